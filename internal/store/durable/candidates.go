package durable

import (
	"context"
	"fmt"
	"maps"
	"strconv"

	"recoup/reward"
)

// What somebody needs who works on a review: the refund, the purchases that it
// may be of, and what was said of it.

// Candidates returns up to limit posted purchases of an account that a refund may
// be of, those first that a person would want to look at first; see
// reward.Account.Candidates. There are none of what is not there.
func (s *Store) Candidates(ctx context.Context, account, refund string, limit int) (list []reward.Candidate, err error) {
	_, err = s.read(ctx, account, func(_ Reader, _ *AccountRow, e *entry) error {
		list = e.account.Candidates(refund, limit)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

// Refund returns one refund of an account; ok is false if there is none.
func (s *Store) Refund(ctx context.Context, account, id string) (d reward.RefundDetail, ok bool, err error) {
	_, err = s.read(ctx, account, func(_ Reader, _ *AccountRow, e *entry) error {
		d, ok = e.account.Refund(id)
		return nil
	})
	if err != nil {
		return reward.RefundDetail{}, false, err
	}
	return d, ok, nil
}

// LiesOn returns the purchases that a refund reverses something of now, the one with most of
// it first; see reward.Account.LiesOn.
func (s *Store) LiesOn(ctx context.Context, account, refund string) (transactions []string, err error) {
	_, err = s.read(ctx, account, func(_ Reader, _ *AccountRow, e *entry) error {
		transactions = e.account.LiesOn(refund)
		return nil
	})
	return transactions, err
}

// ReviewsOf returns what is open for review about one refund, chargeback,
// redemption, attribute or transaction.
func (s *Store) ReviewsOf(ctx context.Context, part PartKey) (list []ReviewView, err error) {
	if part.Kind == RefusedFact {
		r, ok, err := s.Refused(ctx, part.Account, part.ID)
		if err != nil || !ok || r.Decision != "" {
			return nil, err
		}
		v, is, err := s.reviewOfRefused(ctx, ReviewFilter{}, &r)
		if is {
			list = append(list, v)
		}
		return list, err
	}
	found, err := s.ReviewsAmong(ctx, []PartKey{part})
	return found[part], err
}

// ReviewsAmong returns what is open for review about several of these, by part, as one
// snapshot of each lane has it. What is of no account that is there is left out.
func (s *Store) ReviewsAmong(ctx context.Context, parts []PartKey) (map[PartKey][]ReviewView, error) {
	found := make(map[PartKey][]ReviewView)
	lanes := make(map[int][]PartKey)
	for _, part := range parts {
		if part.Kind == RefusedFact {
			list, err := s.ReviewsOf(ctx, part)
			if err != nil {
				return nil, err
			}
			found[part] = list
			continue
		}
		lane := s.db.LaneOf(part.Account)
		lanes[lane] = append(lanes[lane], part)
	}
	for _, theirs := range lanes {
		err := s.db.ViewOf(ctx, theirs[0].Account, func(r Reader) (err error) {
			defer recoverUnreadable(&err)
			in, err := s.reviewsIn(ctx, r, theirs, nil)
			maps.Copy(found, in)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("reading what is open for review: %w", s.noticed(err))
		}
	}
	return found, nil
}

// mostTaken bounds the numbers that are tried for the id of a refund made to count.
const mostTaken = 1000

// FreeRefundID returns an id under which what was refused under a refund's id can
// count: the refund's with ~2, or the first number after it that is not taken.
func (s *Store) FreeRefundID(ctx context.Context, account, refund string) (id string, err error) {
	_, err = s.read(ctx, account, func(_ Reader, _ *AccountRow, e *entry) error {
		for n := 2; n < mostTaken; n++ {
			id = refund + "~" + strconv.Itoa(n)
			if _, taken := e.account.Refund(id); !taken {
				return nil
			}
		}
		return fmt.Errorf("refund %q: all ids up to %s are taken: choose one", refund, id)
	})
	return id, err
}

// FactHistory returns the logged events about one refund or chargeback, the
// oldest first: every delivery as it was sent, those that were refused for
// disagreeing among them, and what people decided about it. Of an account with more
// than 3,000 events it looks at as many: the newest, and those at and before a
// refund's arrival; cut says so.
func (s *Store) FactHistory(ctx context.Context, account string, kind reward.PartKind, id string) (list []LoggedView, cut bool, err error) {
	_, err = s.read(ctx, account, func(r Reader, row *AccountRow, e *entry) error {
		var times []reward.Instant
		if refund, is := e.account.Refund(id); is && kind == reward.RefundPart {
			times = append(times, refund.Arrived)
			for _, x := range refund.Refused {
				times = append(times, x.Arrived)
			}
		}
		var ids mentions
		ids.add(id)
		list, cut, err = logged(ctx, r, e.account.Program(), row, times, &ids, func(v *LoggedView) bool {
			k, named := reward.PartOf(v.Event.Type)
			return named && k == kind && v.Event.Fact == id
		})
		return err
	})
	if err != nil {
		return nil, false, err
	}
	return list, cut, nil
}
