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
	// Gives and Takes are what Change is made of, neither of them negative: the sums over
	// the purchases and bonuses that get more by it, and over those that get less.
	Gives, Takes int64
	// Version counts the events of the account that it was tried on; zero: there is none.
	// As long as it is at that, the event does this.
	Version int64
	// Of a refund.linked. Linkable: nobody has said yet which purchase the refund is of, or
	// it is contested. Room: what of the purchase is not reversed covers the refund.
	// Of a refund.reversed, Linkable: nobody has said which purchase the refund is of, so
	// somebody may say that it is of none.
	Linkable, Room bool
}

// Try says what an event would do; ok is false if there is no such account. Nothing is
// kept.
func (s *Store) Try(ctx context.Context, e reward.Event) (t Trial, ok bool, err error) {
	ok, err = s.read(ctx, e.Account, func(r Reader, row *AccountRow, at *entry) error {
		t = Trial{Currency: at.account.Program().RewardUnit(), Version: row.Version, Linkable: true, Room: true}
		if e.Type == reward.RefundReversed {
			refund, known := at.account.Refund(e.Fact)
			t.Linkable = !known || !refund.Linked
		}
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
		effect := EffectOf(at.account, without.account, &e)
		t.Result, t.Change, t.Gives, t.Takes = effect.Result, effect.Change, effect.Gives, effect.Takes
		return nil
	})
	return t, ok, err
}

// Effect is what an event does to the balance of an account; see Trial.
type Effect struct {
	Result               reward.Result
	Change, Gives, Takes int64
}

// EffectOf applies an event to an account, of which another is the like without it, and
// returns what it does. Both are used up.
func EffectOf(with, without *reward.Account, e *reward.Event) (f Effect) {
	moves := make(map[moved]int64)
	r, postings := with.Apply(e, nil)
	add(moves, postings, 1)
	add(moves, without.AsOf(e.Time, nil), -1)
	f = sumOf(moves)
	if due := max(with.Due(), without.Due()); due != 0 { // what a close grants or claws back
		add(moves, with.AsOf(due, nil), 1)
		add(moves, without.AsOf(due, nil), -1)
		if later := sumOf(moves); max(later.Change, -later.Change) > max(f.Change, -f.Change) {
			f = later
		}
	}
	f.Result = r
	return f
}

// moved is what a posting changes the reward of: a purchase, or else a bonus or a limit.
type moved struct{ transaction, rule, layer, period string }

func add(moves map[moved]int64, postings []reward.Posting, sign int64) {
	for i := range postings {
		p := &postings[i]
		of := moved{transaction: p.Transaction}
		if p.Transaction == "" {
			of = moved{"", p.Rule, p.Layer, p.Period}
		}
		moves[of] += sign * p.Amount
	}
}

func sumOf(moves map[moved]int64) (f Effect) {
	for _, amount := range moves {
		f.Change += amount
		f.Gives += max(amount, 0)
		f.Takes += max(-amount, 0)
	}
	return f
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
