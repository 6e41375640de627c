package durable

import (
	"context"

	"recoup/reward"
)

// What Reviews reads at most to find what a filter lets through.
const (
	maxListed   = 3000 // parts that have something to review
	maxReviewed = 300  // of those, looked into: each costs opening its account
)

// mayHave reports whether a part of a kind may have a review of a kind; 0 is any.
func mayHave(part reward.PartKind, kind reward.ReviewKind) bool {
	switch kind {
	case reward.OverRefunded:
		return part == reward.TransactionPart
	case reward.FoundNoSpend, reward.MatchedWithoutLink, reward.CertainWithoutLink, reward.DoubtedLink:
		return part == reward.RefundPart
	case reward.WaitsForAuthorization:
		return part == reward.RedemptionPart
	case reward.WaitsForAttribute:
		return part == reward.AttributePart
	}
	return true
}

// accountReviews is Reviews for what is on accounts.
func (s *Store) accountReviews(ctx context.Context, f ReviewFilter, after ReviewPlace, limit int) (list []ReviewView, next ReviewPlace, more bool, err error) {
	err = s.db.View(ctx, func(r Reader) (err error) {
		defer recoverUnreadable(&err)
		next = after
		opened := make(map[string]*entry)
		page, looked := limit, 0
		if f.Kind != 0 || f.MinAmount > 0 {
			page = max(limit, maxReviewed)
		}
		for read := 0; read < maxListed; {
			parts, err := r.Reviews(ctx, f.Account, next, page)
			if err != nil {
				return err
			}
			for i := range parts {
				p := &parts[i]
				if f.Before != 0 && p.ReviewSince >= f.Before {
					more = false
					return nil
				}
				if len(list) >= limit || looked >= max(limit, maxReviewed) {
					more = true
					return nil
				}
				next = ReviewPlace{p.ReviewSince, p.Account, p.Kind, p.ID}
				if !mayHave(p.Kind, f.Kind) {
					continue
				}
				looked++
				e := opened[p.Account]
				if e == nil {
					row, _, err := r.Account(ctx, p.Account)
					if err != nil {
						return err
					}
					if e, err = s.openIn(ctx, r, &row); err != nil {
						return err
					}
					opened[p.Account] = e
				}
				e.shelf.read[PartKey{p.Account, p.Kind, p.ID}] = p.Data
				for _, v := range e.account.ReviewsIn(p.Kind, p.ID) {
					if f.Kind != 0 && v.Kind != f.Kind || f.Kind == 0 && !f.Certain && v.Kind == reward.CertainWithoutLink || v.Amount < f.MinAmount {
						continue
					}
					list = append(list, ReviewView{v, PartKey{p.Account, p.Kind, p.ID}, currencyOf(e.account.Program(), &v), e.version})
				}
			}
			if read += len(parts); len(parts) < page {
				more = false
				return nil
			}
		}
		more = true
		return nil
	})
	return list, next, more, err
}

// currencyOf is what the amount of a review is in: purchases and what reverses them are
// in the program's currency, redemptions in what rewards are in.
func currencyOf(p *reward.Program, v *reward.Review) string {
	if v.Kind == reward.WaitsForAuthorization {
		return p.RewardUnit()
	}
	return p.Currency
}
