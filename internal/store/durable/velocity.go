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

// velocityPeriod is how far back quick returns are counted. What is read of an account's log
// is bounded by that time, and for a refund that came after no payout by the days of Velocity
// alone: however long the history is, it costs the same. Only of an account with more than a
// hundred events a day is it bounded by velocityReach, since whoever sends for the account
// waits meanwhile.
const (
	velocityPeriod = 90 * reward.Day
	velocityReach  = 10_000
	velocityPage   = 40 // of events at first, then ever twice as many
	velocityPages  = 1_280
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

// velocity looks whether an event is a quick return, of the purchases that the ledger has the
// refund on, whether or not it names one. It reads of the account's log what lies before it;
// that is done for a refund alone, and only if somebody listens.
func (u *unit) velocity(e *reward.Event, at *entry, r reward.Result, row *EventRow) (v *velocityNotice, err error) {
	o := u.store.velocity
	if o.Days == 0 || e.Type != reward.RefundPosted || r.Outcome != reward.Applied || !u.tell.Wants(outbox.VelocityExceeded) {
		return nil, nil
	}
	past := velocityPast{returned: make(map[string]bool)}
	log := backwards{unit: u, at: at, before: row, next: len(u.rows) - 1, from: at.baseLast}
	read := func(after reward.Instant) error {
		past.after = after
		if err := log.each(past.take); err != nil {
			return fmt.Errorf("account %s: reading what was before event %d: %w", e.Account, row.Number, err)
		}
		return nil
	}
	quick := e.Time - reward.Instant(o.Days)*reward.Day
	if err := read(quick); err != nil {
		return nil, err
	}
	last, transaction := past.quick(at.account, e.Fact, e.Time, o.Days)
	if last == nil {
		return nil, nil
	}
	if err := read(quick - velocityPeriod); err != nil {
		return nil, err
	}
	v = &velocityNotice{
		Refund: e.Fact, Transaction: transaction, Amount: e.Amount, Redemption: last.id, PaidOut: last.amount, PaidAt: last.at.String(),
		Seconds: int64((e.Time - last.at) / 1e9), Times: 1,
	}
	for _, one := range past.refunds {
		if one.Time < e.Time-velocityPeriod {
			continue
		}
		if before, _ := past.quick(at.account, one.Fact, one.Time, o.Days); before != nil {
			v.Times++
		}
	}
	if v.Times < o.Times {
		return nil, nil
	}
	return v, nil
}

// backwards goes through the events of an account before one, the newest first.
type backwards struct {
	*unit
	at     *entry
	before *EventRow
	next   int   // among those of the unit of work
	from   int64 // in the log after those; 0: there are no more
	page   []EventRow
	read   int
}

// each calls f with the next events until it returns false, or they are many. Called again
// it goes on after them.
func (b *backwards) each(f func(*EventRow) (bool, error)) error {
	for ; b.next >= 0; b.next-- {
		if row := &b.rows[b.next]; row.Account == b.at.id && row.Sequence < b.before.Sequence {
			if more, err := f(row); err != nil || !more {
				b.next--
				return err
			}
		}
	}
	for limit := velocityPage; ; limit = min(2*limit, velocityPages) {
		for len(b.page) > 0 {
			row := &b.page[0]
			b.page = b.page[1:]
			if more, err := f(row); err != nil || !more {
				return err
			}
		}
		if b.from == 0 || b.read >= velocityReach {
			return nil
		}
		rows, err := b.tx.Events(b.ctx, b.from, limit)
		if err != nil {
			return err
		}
		if b.page, b.from = rows, 0; len(rows) > 0 {
			b.from = rows[len(rows)-1].Before
		}
		b.read += len(rows)
	}
}

// velocityPast is what was before a refund.
type velocityPast struct {
	after    reward.Instant // nothing before that matters
	payouts  []payout
	refunds  []reward.Event
	returned map[string]bool // redemptions
}

// take takes up an event that lies before those it has seen.
func (p *velocityPast) take(row *EventRow) (more bool, err error) {
	if row.Outcome != reward.Applied {
		return true, nil
	}
	switch row.Type {
	case "refund.posted", "redemption.reversed":
		var e reward.Event
		if err := event.NewDecoder().Decode(row.Event, &e); err != nil {
			return false, &store.Failure{Reach: store.OneAccount, Account: row.Account, Err: err}
		}
		switch e.Type {
		case reward.RefundPosted:
			p.refunds = append(p.refunds, e)
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

// quick returns the payout that a refund came quickly after, and the purchase that it is of;
// nil if there is none. A refund that was undone lies on no purchase.
func (p *velocityPast) quick(account *reward.Account, refund string, returned reward.Instant, days int) (last *payout, transaction string) {
	for _, id := range account.LiesOn(refund) {
		purchase, known := account.Detail(id)
		if !known || purchase.Settled == 0 {
			continue
		}
		for i := range p.payouts {
			x := &p.payouts[i]
			if !p.returned[x.id] && Quick(purchase.Settled, x.at, returned, days) && (last == nil || x.at > last.at) {
				last, transaction = x, id
			}
		}
	}
	return last, transaction
}
