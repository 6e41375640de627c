// Package weigh says what decisions about a review would do, before anybody makes one.
package weigh

import (
	"context"

	"recoup/internal/store/durable"
	"recoup/reward"
)

// Ledger is what is weighed on; durable.Store is one.
type Ledger interface {
	Try(ctx context.Context, e reward.Event) (t durable.Trial, ok bool, err error)
	Candidates(ctx context.Context, account, refund string, limit int) ([]reward.Candidate, error)
	Refund(ctx context.Context, account, id string) (v reward.RefundDetail, ok bool, err error)
	FreeRefundID(ctx context.Context, account, refund string) (id string, err error)
}

// Link is the event that says which purchase a refund is of. What says who decided it is
// left to whoever decides, here and below.
func Link(refund durable.PartKey, transaction string, at reward.Instant) reward.Event {
	return reward.Event{Type: reward.RefundLinked, Account: refund.Account, Time: at, Fact: refund.ID, Transaction: transaction}
}

// Undo is the event after which a refund counts for nothing here.
func Undo(refund durable.PartKey, at reward.Instant) reward.Event {
	return reward.Event{Type: reward.RefundReversed, Account: refund.Account, Time: at, Fact: refund.ID}
}

// Count is the event that has what came under a refund's id count as a refund of its own.
func Count(refund durable.PartKey, as string, at reward.Instant) reward.Event {
	return reward.Event{Type: reward.RefundCounted, Account: refund.Account, Time: at, Fact: refund.ID, As: as}
}

// Dismiss is the event after which what is open about a part is so no more.
func Dismiss(part durable.PartKey, at reward.Instant) reward.Event {
	e := reward.Event{Account: part.Account, Time: at, Fact: part.ID}
	switch part.Kind {
	case reward.RefundPart:
		e.Type = reward.RefundDismissed
	case reward.ChargebackPart:
		e.Type = reward.ChargebackDismissed
	case reward.RedemptionPart:
		e.Type = reward.RedemptionDismissed
	case reward.AttributePart:
		e.Type = reward.AttributeDismissed
	default:
		e.Type, e.Fact, e.Transaction = reward.TransactionDismissed, "", part.ID
	}
	return e
}

// Placeable reports whether somebody may say of which purchase a refund is: it counts, and
// nobody has said so for good; open says that something about it is open.
func Placeable(refund *reward.RefundDetail, open bool) bool {
	return refund.Status == reward.ReversalPosted && (!refund.Linked || open)
}

// Countable is the latest delivery under a refund's id that can be made to count; nil: none
// can.
func Countable(refund *reward.RefundDetail) (latest *reward.Refused) {
	for i := range refund.Refused {
		if refund.Refused[i].Countable {
			latest = &refund.Refused[i]
		}
	}
	return latest
}

// Stake is the most that one of the decisions about what is open changes the balance by, in
// minor units of what rewards are in, without sign: to undo a refund, to put it on the
// purchase that it most likely is of, to have it count. Where nothing that may be decided
// changes the balance it is zero.
func Stake(ctx context.Context, l Ledger, v *durable.ReviewView, at reward.Instant) (most int64, unit string, err error) {
	try := func(e reward.Event) error {
		t, ok, err := l.Try(ctx, e)
		if err == nil && ok {
			unit = t.Currency
			if t.Result.Outcome == reward.Applied && t.Room {
				most = max(most, t.Change, -t.Change)
			}
		}
		return err
	}
	if v.Part.Kind != reward.RefundPart {
		return 0, "", nil
	}
	refund, ok, err := l.Refund(ctx, v.Part.Account, v.Part.ID)
	if err != nil || !ok {
		return 0, "", err
	}
	if Countable(&refund) != nil {
		as, err := l.FreeRefundID(ctx, v.Part.Account, v.Part.ID)
		if err == nil {
			err = try(Count(v.Part, as, at))
		}
		if err != nil {
			return 0, "", err
		}
	}
	if !Placeable(&refund, true) {
		return most, unit, nil
	}
	if refund.Placed > 0 {
		if err := try(Undo(v.Part, at)); err != nil {
			return 0, "", err
		}
	}
	const likely = 4
	candidates, err := l.Candidates(ctx, v.Part.Account, v.Part.ID, likely)
	if err != nil {
		return 0, "", err
	}
	for i := range candidates {
		if candidates[i].Placed == 0 && candidates[i].Covers {
			err = try(Link(v.Part, candidates[i].Transaction, at))
			break
		}
	}
	return most, unit, err
}
