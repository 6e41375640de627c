package durable

import (
	"context"
	"fmt"

	"recoup/reward"
)

// Trial is what an event would do, as the account stands.
type Trial struct {
	Result reward.Result
	// Change is of the balance, in minor units of Currency, which is what rewards are in: at once or, where that is more
	// either way, once the cycle has closed in which it falls. What time alone does is not
	// in it.
	Change   int64
	Currency string
	// Version counts the events of the account that it was tried on; zero: there is none.
	// As long as it is at that, the event does this.
	Version int64
	// Of a refund.linked. Linkable: nobody has said yet which purchase the refund is of, or
	// it is contested. Room: what of the purchase is not reversed covers the refund.
	Linkable, Room bool
}

// Try says what an event would do; ok is false if there is no such account. Nothing is
// kept.
func (s *Store) Try(ctx context.Context, e reward.Event) (t Trial, ok bool, err error) {
	ok, err = s.read(ctx, e.Account, func(r Reader, row *AccountRow, at *entry) error {
		t = Trial{Currency: at.account.Program().RewardUnit(), Version: row.Version, Linkable: true, Room: true}
		if e.Type == reward.RefundLinked {
			refund, known := at.account.Refund(e.Fact)
			if known {
				t.Linkable = !refund.Linked || len(at.account.ReviewsIn(reward.RefundPart, e.Fact)) > 0
			}
			if purchase, there := at.account.Detail(e.Transaction); known && there {
				t.Room = refund.Amount <= purchase.Amount-purchase.Reversed+placedBy(e.Fact, purchase.Reversals)
			}
		}
		without, err := s.openIn(ctx, r, row)
		if err != nil {
			return err
		}
		t.Result, t.Change = Effect(at.account, without.account, &e)
		return nil
	})
	return t, ok, err
}

// Effect applies an event to an account, of which another is the like without it, and
// returns the result and what it does to the balance; see Trial. Both are used up.
func Effect(with, without *reward.Account, e *reward.Event) (r reward.Result, change int64) {
	r, postings := with.Apply(e, nil)
	change = sumOf(postings) - sumOf(without.AsOf(e.Time, nil))
	if due := max(with.Due(), without.Due()); due != 0 { // what a close grants or claws back
		later := change + sumOf(with.AsOf(due, nil)) - sumOf(without.AsOf(due, nil))
		if max(later, -later) > max(change, -change) {
			change = later
		}
	}
	return r, change
}

func sumOf(postings []reward.Posting) (sum int64) {
	for i := range postings {
		sum += postings[i].Amount
	}
	return sum
}

// placedBy is what of a purchase a refund reverses.
func placedBy(refund string, reversals []reward.Reversal) (placed int64) {
	for i := range reversals {
		if r := &reversals[i]; r.Kind == reward.RefundPart && r.ID == refund {
			placed += r.Placed
		}
	}
	return placed
}

// ProgramOf returns the id of the program that an account belongs to; ok is false if there
// is no such account.
func (s *Store) ProgramOf(ctx context.Context, account string) (id string, ok bool, err error) {
	err = s.db.ViewOf(ctx, account, func(r Reader) error {
		row, there, err := r.Account(ctx, account)
		id, ok = row.Program, there
		return err
	})
	return id, ok, err
}

// ProgramsOf returns the ids of the programs that accounts belong to, of those that are
// there: of each lane on one snapshot.
func (s *Store) ProgramsOf(ctx context.Context, accounts []string) (map[string]string, error) {
	byLane := make(map[int][]string)
	for _, id := range accounts {
		lane := s.db.LaneOf(id)
		byLane[lane] = append(byLane[lane], id)
	}
	programs := make(map[string]string, len(accounts))
	for _, ids := range byLane {
		err := s.db.ViewOf(ctx, ids[0], func(r Reader) error {
			for _, id := range ids {
				row, there, err := r.Account(ctx, id)
				if err != nil {
					return err
				}
				if there {
					programs[id] = row.Program
				}
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("reading which programs accounts are of: %w", err)
		}
	}
	return programs, nil
}
