package judge

import (
	"strconv"

	"recoup/internal/audit/history"
	"recoup/reward"
)

// terms plays an account's facts through the core of Recoup, under the program as
// it is written. One run gives two things:
//
// The entitlement is the right-hand side of Reward Integrity (paper, section 4.1)
// on what the facts leave of the spend, in cycles by the time of posting. It does
// not depend on timing or method where every refund names its purchase. Where one
// does not, the core's allocation stands for what was returned: the dearest
// purchases that the refund may be of. It is the figure that the
// lab's comparison measures designs by. A purchase, refund or chargeback that is exported twice counts once,
// as the first of its rows says; so does one whose rows contradict each other.
//
// The simulation is what the core granted, took back, held and refused by the end
// of the exports.
type terms struct {
	program *reward.Program
	// patience is for how many cycles after its last row a close may still change
	// what waits: its own, and those until a refund that waits for its purchase stops
	// waiting. After settling of them all refunds stand where they were placed; one
	// that becomes firm may move the others.
	patience, settling reward.Cycle

	account *reward.Account
	event   reward.Event
	journal []reward.Posting
	numbers []string // ids for facts that have none in exports
	seen    names    // purchases
	amounts []int64  // of them
	paid    []paid   // redemptions, while any may be put back

	closes   bool           // cycles have to be closed on time
	last     reward.Cycle   // of the latest row
	ends     reward.Instant // when it closes
	sim      Simulation
	end      reward.State
	entitled []entitled // by calendar month, in order
}

// paid is a redemption of the history that was not refused.
type paid struct {
	fact   string
	amount int64
}

// entitled is the entitlement after the last row of a calendar month.
type entitled struct {
	cycle  reward.Cycle
	amount int64
}

func newTerms(p *reward.Program) *terms {
	const shortestMonth = 28
	within := func(days int) reward.Cycle { return 2 + reward.Cycle(days/shortestMonth) }
	return &terms{program: p, patience: within(p.Refunds.ParkDays), settling: within(max(p.Refunds.ParkDays, p.Refunds.FirmDays))}
}

// play plays a history to the end of the exports and notes the simulation, then
// closes as many cycles as it takes until no refund waits any more.
func (t *terms) play(h *history.History, end reward.Instant) {
	t.account = reward.NewAccount(h.Account, t.program)
	t.event = reward.Event{Account: h.Account}
	t.seen.reset()
	t.amounts, t.paid, t.entitled = t.amounts[:0], t.paid[:0], t.entitled[:0]
	t.closes, t.last, t.ends, t.sim = false, 0, 0, Simulation{}
	for i := range h.Rows {
		r := &h.Rows[i]
		if r.At >= t.ends {
			t.turn(r.At)
		}
		t.row(r, i)
		t.sim.HeldMost = max(t.sim.HeldMost, t.account.Balances().Held)
	}
	if len(h.Rows) > 0 {
		t.closeOnTime(end)
		t.close(max(end, h.Rows[len(h.Rows)-1].At))
	}
	s := t.account.Balances()
	t.sim.Held, t.sim.NetReward = s.Held, s.NetReward
	sim := t.sim
	next := reward.CycleAt(end) + 1
	if (t.closes || t.waits()) && next.Start() <= reward.LatestInstant {
		t.close(next.Start())
		sim.NextClose = t.account.Balances().NetReward - s.NetReward
	}
	if t.closes {
		for c := next + 1; c < next+t.patience && c.Start() <= reward.LatestInstant; c++ {
			t.close(c.Start())
		}
	}
	t.sim = sim
	t.end = t.account.Summary()
	if n := len(h.Rows); n > 0 {
		t.entitled = append(t.entitled, entitled{t.last, t.end.Entitlement})
	}
}

// waits reports whether anything may wait for a close under the program.
func (t *terms) waits() bool {
	return t.program.Timing.Grant == reward.GrantAtStatement || t.program.Timing.Clawback == reward.ClawbackAtStatement
}

// turn moves on to the cycle of a row.
func (t *terms) turn(to reward.Instant) {
	if t.last != 0 {
		t.entitled = append(t.entitled, entitled{t.last, t.account.Summary().Entitlement})
		t.closeOnTime(to)
	}
	t.last = reward.CycleAt(to)
	t.ends = t.last.End()
}

// closeOnTime closes the cycles that are over by then, each at its end. Where all
// refunds are linked to purchases that are there, the core closes them with the
// next row as well.
func (t *terms) closeOnTime(by reward.Instant) {
	if !t.closes {
		return
	}
	for c := t.last; c < t.last+t.settling && c.End() <= by; c++ {
		t.close(c.End())
	}
}

func (t *terms) close(at reward.Instant) {
	t.event.Type = reward.CycleClosed
	t.event.Time = at
	t.apply()
}

// row plays one row. Reward rows are what the program did, and no fact.
func (t *terms) row(r *history.Row, i int) {
	e := &t.event
	*e = reward.Event{
		Account: e.Account, Time: r.At, Fact: r.ID, Transaction: r.Transaction, Amount: r.Amount, HasAmount: true,
		Currency: t.program.Currency, Merchant: r.Merchant, MCC: r.MCC, Category: r.Category,
	}
	switch r.Kind {
	case history.Purchase:
		e.Type, e.Transaction, e.Fact = reward.TransactionSettled, r.ID, ""
		if t.apply().Outcome == reward.Applied {
			t.seen.add(r.ID, int32(len(t.amounts)))
			t.amounts = append(t.amounts, r.Amount)
		}
	case history.Refund:
		e.Type = reward.RefundPosted
		if t.withdrawal(r) {
			e.Type = reward.TransactionReversed
		}
		t.watch(t.apply())
	case history.Chargeback:
		e.Type = reward.ChargebackPosted
		t.watch(t.apply())
	case history.RefundReversed:
		e.Type = reward.RefundReversed
		t.apply()
	case history.ChargebackReversed:
		e.Type = reward.ChargebackReversed
		t.apply()
	case history.Adjustment:
		e.Type, e.Fact = reward.AdjustmentPosted, t.number(i)
		t.apply()
	case history.Redemption:
		t.redeem(r, i)
	}
}

// withdrawal tells a clearing that was withdrawn, as Recoup's own exports write
// it.
func (t *terms) withdrawal(r *history.Row) bool {
	const prefix = "withdrawal-"
	if len(r.ID) != len(prefix)+len(r.Transaction) || r.ID[:len(prefix)] != prefix || r.ID[len(prefix):] != r.Transaction {
		return false
	}
	at := t.seen.find(r.Transaction)
	return at >= 0 && t.amounts[at] == r.Amount
}

// watch notes whether there are refunds that look for a purchase: their placement
// depends on when cycles close.
func (t *terms) watch(r reward.Result) {
	switch r.Code {
	case reward.Matched, reward.Unmatched, reward.TransactionUnknown, reward.OverRefund:
		t.closes = true
	}
}

// redeem asks for a redemption of the history, or puts one back. One that the
// core refused needs not be put back.
func (t *terms) redeem(r *history.Row, i int) {
	e := &t.event
	if r.Amount > 0 {
		e.Type, e.Fact = reward.RedemptionRequested, t.number(i)
		if t.apply().Outcome != reward.Applied {
			t.sim.Refused++
			t.sim.RefusedAmount += r.Amount
			return
		}
		t.paid = append(t.paid, paid{e.Fact, r.Amount})
		return
	}
	const reach = 64 // payouts that come back do so soon
	for k := len(t.paid) - 1; k >= max(0, len(t.paid)-reach); k-- {
		if t.paid[k].amount == -r.Amount {
			e.Type, e.Fact = reward.RedemptionReversed, t.paid[k].fact
			t.apply()
			t.paid = append(t.paid[:k], t.paid[k+1:]...)
			return
		}
	}
}

// apply applies the event and counts what it posted.
func (t *terms) apply() reward.Result {
	var result reward.Result
	result, t.journal = t.account.Apply(&t.event, t.journal[:0])
	for i := range t.journal {
		switch p := &t.journal[i]; p.Kind {
		case reward.Grant, reward.Clawback, reward.Restore, reward.Reallocation:
			if p.Amount > 0 {
				t.sim.Granted += p.Amount
			} else {
				t.sim.TakenBack -= p.Amount
			}
		}
	}
	return result
}

// number is an id that no other row of the account has.
func (t *terms) number(row int) string {
	for len(t.numbers) <= row {
		t.numbers = append(t.numbers, strconv.Itoa(len(t.numbers)))
	}
	return t.numbers[row]
}
