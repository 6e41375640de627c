package durable

import (
	"context"
	"fmt"

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
		var ahead lookahead
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
				open, err := ahead.of(ctx, s, r, parts[i:min(len(parts), i+limit)], f.Kind)
				if err != nil {
					return err
				}
				for _, v := range open {
					if f.Kind != 0 && v.Kind != f.Kind || f.Kind == 0 && !f.Certain && v.Kind == reward.CertainWithoutLink || v.Amount < f.MinAmount {
						continue
					}
					list = append(list, v)
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

// lookahead is what is open about the next parts of the review list, which are looked into
// together.
type lookahead struct{ found map[PartKey][]ReviewView }

// of returns what is open about the first of parts. Where it has not looked into that yet, it
// looks into all of them that may have a review of a kind.
func (l *lookahead) of(ctx context.Context, s *Store, r Reader, parts []Part, kind reward.ReviewKind) ([]ReviewView, error) {
	first := keyOf(&parts[0])
	if open, known := l.found[first]; known {
		return open, nil
	}
	var keys []PartKey
	read := make(map[PartKey][]byte, len(parts))
	for i := range parts {
		if p := &parts[i]; mayHave(p.Kind, kind) {
			keys = append(keys, keyOf(p))
			read[keyOf(p)] = p.Data
		}
	}
	var err error
	if l.found, err = s.reviewsIn(ctx, r, keys, read); err != nil {
		return nil, err
	}
	open, there := l.found[first]
	if !there {
		return nil, fmt.Errorf("account %s has something to review, but is not there: the database is damaged; restore it from a backup", first.Account)
	}
	return open, nil
}

func keyOf(p *Part) PartKey { return PartKey{p.Account, p.Kind, p.ID} }

// currencyOf is what the amount of a review is in: purchases and what reverses them are
// in the program's currency, redemptions in what rewards are in.
func currencyOf(p *reward.Program, v *reward.Review) string {
	if v.Kind == reward.WaitsForAuthorization {
		return p.RewardUnit()
	}
	return p.Currency
}
