package durable

import (
	"fmt"

	"recoup/event"
	"recoup/internal/store"
	"recoup/internal/store/outbox"
	"recoup/reward"
)

// Velocity says from which on quick returns are told: purchases that are sent back
// within days of a payout which came after them.
type Velocity struct {
	// Days is how many days after the payout a refund may come; 0: nothing is told.
	Days int
	// Times is how many such refunds there must have been in velocityPeriod, this one
	// included; 0 is one.
	Times int
}

// velocityPeriod is how far back quick returns are counted, velocityReach over how many
// events of the account at most.
const (
	velocityPeriod = 90 * reward.Day
	velocityReach  = 200
	velocityPage   = 40
)

// Quick reports whether a purchase that settled, a payout and a refund are a quick
// return: the purchase before the payout, the refund within so many days after it.
func Quick(settled, paid, returned reward.Instant, days int) bool {
	return settled <= paid && paid <= returned && returned-paid <= reward.Instant(days)*reward.Day
}

// velocityNotice is of a purchase that was redeemed and returned.
type velocityNotice struct {
	about
	Refund      string `json:"refund"`
	Transaction string `json:"transaction"`
	Amount      int64  `json:"amount"` // of the refund
	Redemption  string `json:"redemption"`
	PaidOut     int64  `json:"paid_out"` // by that redemption
	PaidAt      string `json:"paid_out_at"`
	Seconds     int64  `json:"seconds_after"` // from the payout to the refund
	TakenBack   int64  `json:"taken_back"`    // by this event
	Times       int    `json:"times"`
	sums
}

// payout is a redemption that was paid, and did not come back.
type payout struct {
	id     string
	at     reward.Instant
	amount int64
}

// velocity looks whether an event is a quick return. It reads of the account's log what
// lies before it; that is done for a refund alone, and only if somebody listens.
func (u *unit) velocity(e *reward.Event, at *entry, r reward.Result, row *EventRow) (v *velocityNotice, err error) {
	o := u.store.velocity
	if o.Days == 0 || e.Type != reward.RefundPosted || r.Outcome != reward.Applied || e.Transaction == "" || !u.tell.Wants(outbox.VelocityExceeded) {
		return nil, nil
	}
	past := velocityPast{after: e.Time - velocityPeriod - reward.Instant(o.Days)*reward.Day, returned: make(map[string]bool), undone: make(map[string]bool)}
	if err := u.past(at, row, past.take); err != nil {
		return nil, fmt.Errorf("account %s: reading what was before event %d: %w", e.Account, row.Number, err)
	}
	last := past.quick(at.account, e.Transaction, e.Time, o.Days)
	if last == nil {
		return nil, nil
	}
	v = &velocityNotice{
		Refund: e.Fact, Transaction: e.Transaction, Amount: e.Amount, Redemption: last.id, PaidOut: last.amount, PaidAt: last.at.String(),
		Seconds: int64((e.Time - last.at) / 1e9), Times: 1,
	}
	for _, one := range past.refunds {
		if !past.undone[one.Fact] && one.Time >= e.Time-velocityPeriod && past.quick(at.account, one.Transaction, one.Time, o.Days) != nil {
			v.Times++
		}
	}
	if v.Times < o.Times {
		return nil, nil
	}
	return v, nil
}

// past calls f with the events of an account before one, the newest first, until it
// returns false or they are many.
func (u *unit) past(at *entry, before *EventRow, f func(*EventRow) (bool, error)) error {
	for i := len(u.rows) - 1; i >= 0; i-- {
		if row := &u.rows[i]; row.Account == at.id && row.Sequence < before.Sequence {
			if more, err := f(row); err != nil || !more {
				return err
			}
		}
	}
	from := at.baseLast
	for read := 0; from != 0 && read < velocityReach; {
		rows, err := u.tx.Events(u.ctx, from, velocityPage)
		if err != nil {
			return err
		}
		for i := range rows {
			if more, err := f(&rows[i]); err != nil || !more {
				return err
			}
			from = rows[i].Before
		}
		read += len(rows)
	}
	return nil
}

// velocityPast is what was before a refund.
type velocityPast struct {
	after    reward.Instant // nothing before that matters
	payouts  []payout
	refunds  []reward.Event
	returned map[string]bool // redemptions
	undone   map[string]bool // refunds
}

// take takes up an event that lies before those it has seen.
func (p *velocityPast) take(row *EventRow) (more bool, err error) {
	if row.Outcome != reward.Applied {
		return true, nil
	}
	switch row.Type {
	case "refund.posted", "refund.reversed", "redemption.reversed":
		var e reward.Event
		if err := event.NewDecoder().Decode(row.Event, &e); err != nil {
			return false, &store.Failure{Reach: store.OneAccount, Account: row.Account, Err: err}
		}
		switch e.Type {
		case reward.RefundPosted:
			p.refunds = append(p.refunds, e)
		case reward.RefundReversed:
			p.undone[e.Fact] = true
		default:
			p.returned[e.Fact] = true
		}
	case "redemption.requested", "redemption.captured", "redemption.authorized":
		postings, err := postingsOf(row)
		if err != nil {
			return false, &store.Failure{Reach: store.OneAccount, Account: row.Account, Err: err}
		}
		for i := range postings {
			if q := &postings[i]; q.Kind == reward.RedemptionPaid {
				p.payouts = append(p.payouts, payout{q.Fact, q.At, -q.Amount})
			}
		}
	}
	return row.Received >= p.after, nil
}

// quick returns the payout that a refund came quickly after, nil if there is none.
func (p *velocityPast) quick(account *reward.Account, transaction string, returned reward.Instant, days int) (last *payout) {
	purchase, known := account.Detail(transaction)
	if !known || purchase.Settled == 0 {
		return nil
	}
	for i := range p.payouts {
		x := &p.payouts[i]
		if !p.returned[x.id] && Quick(purchase.Settled, x.at, returned, days) && (last == nil || x.at > last.at) {
			last = x
		}
	}
	return last
}
