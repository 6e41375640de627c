package judge

import (
	"strconv"

	"recoup/internal/audit/history"
	"recoup/reward"
)

// player plays an account's facts through the core of Recoup. It is there twice: with
// the published terms in force at once, which says what was owed after each fact, and
// with the program as it is written, which says what Recoup would have done.
//
// A purchase, refund or chargeback that is exported twice counts once, as the first of
// its rows says; so does one whose rows contradict each other.
type player struct {
	program *reward.Program
	whole   bool // redemptions and adjustments too
	// patience is for how many cycles after its last row a close may still change
	// what waits: its own, and those until a refund that waits for its purchase stops
	// waiting. After settling of them all refunds stand where they were placed; one
	// that becomes firm may move the others.
	patience, settling reward.Cycle

	account *reward.Account
	event   reward.Event
	result  reward.Result
	journal []reward.Posting // of the row at hand
	numbers []string         // ids for facts that have none in exports
	seen    names            // purchases
	amounts []int64          // of them
	paid    []paid           // redemptions, while any may be put back
	refused int64            // redemptions
	unpaid  int64            // their sum

	closes bool           // cycles have to be closed on time
	last   reward.Cycle   // of the latest row
	ends   reward.Instant // when it closes
}

// paid is a redemption of the history that was not refused.
type paid struct {
	fact   string
	amount int64
}

// promised are the published terms as if they were in force at once: every fact is
// levelled when it comes. What is posted then adds up to what the terms promise (paper,
// section 4.1), whatever the timing of the program is.
func promised(p *reward.Program) *reward.Program {
	now := *p
	now.Timing = atOnce
	now.MaturityDays, now.ExpiryMonths, now.Redemption = 0, 0, reward.RedemptionTerms{}
	if p.Earlier != nil {
		now.Earlier = promised(p.Earlier)
	}
	return &now
}

var atOnce = reward.Timing{Grant: reward.GrantAtSettlement, Clawback: reward.ClawbackAtRefund}

func newPlayer(p *reward.Program, whole bool) *player {
	const shortestMonth = 28
	within := func(days int) reward.Cycle { return 2 + reward.Cycle(days/shortestMonth) }
	return &player{program: p, whole: whole, patience: within(p.Refunds.ParkDays), settling: within(max(p.Refunds.ParkDays, p.Refunds.FirmDays))}
}

func (t *player) begin(account string) {
	t.account = reward.NewAccount(account, t.program)
	t.event = reward.Event{Account: account}
	t.seen.reset()
	t.amounts, t.paid, t.journal = t.amounts[:0], t.paid[:0], t.journal[:0]
	t.closes, t.last, t.ends, t.refused, t.unpaid = false, 0, 0, 0, 0
}

// turn moves on to the cycle of a row, and reports whether it is another. The journal
// has what closes posted.
func (t *player) turn(to reward.Instant) bool {
	if to < t.ends {
		return false
	}
	if t.last != 0 {
		t.closeOnTime(to)
	} else { // the first row is when the account opened, as far as the exports say
		t.event.Type, t.event.Time = reward.AccountOpened, to
		t.apply()
	}
	t.last = t.program.CycleAt(to)
	t.ends = t.program.CycleEnd(t.last)
	return true
}

// closeOnTime closes the cycles that are over by then, each at its end. Where all
// refunds are linked to purchases that are there, the core closes them with the
// next row as well.
func (t *player) closeOnTime(by reward.Instant) {
	if !t.closes {
		return
	}
	for c := t.last; c < t.last+t.settling; c++ {
		end := t.program.CycleEnd(c)
		if end > by {
			return
		}
		t.close(end)
	}
}

func (t *player) close(at reward.Instant) {
	t.event.Type = reward.CycleClosed
	t.event.Time = at
	t.apply()
}

// settle closes cycles until no refund waits any more.
func (t *player) settle(end reward.Instant) {
	next := t.program.CycleAt(end) + 1
	for c := next; t.closes && c < next+t.patience && t.program.CycleStart(c) <= reward.LatestInstant; c++ {
		t.close(t.program.CycleStart(c))
	}
}

// row plays one row, whose postings are added to the journal. Reward rows are what the
// program did, and no fact.
func (t *player) row(r *history.Row, i int) {
	e := &t.event
	*e = reward.Event{
		Account: e.Account, Time: r.At, Fact: r.ID, Transaction: r.Transaction, Amount: r.Amount, HasAmount: true,
		Currency: t.program.Currency, Merchant: r.Merchant, MCC: r.MCC, Category: r.Category,
	}
	switch r.Kind {
	case history.Purchase:
		e.Type, e.Transaction, e.Fact = reward.TransactionSettled, r.ID, ""
		if t.apply(); t.result.Outcome == reward.Applied {
			t.seen.add(r.ID, int32(len(t.amounts)))
			t.amounts = append(t.amounts, r.Amount)
		}
	case history.Refund:
		e.Type = reward.RefundPosted
		if t.withdrawal(r) {
			e.Type = reward.TransactionReversed
		}
		t.apply()
		t.watch()
	case history.Chargeback:
		if e.Type = reward.ChargebackPosted; r.Transaction == "" {
			e.Type = reward.RefundPosted // which is placed where it may be of
		}
		t.apply()
		t.watch()
	case history.RefundReversed:
		e.Type = reward.RefundReversed
		t.apply()
	case history.ChargebackReversed:
		e.Type = reward.ChargebackReversed
		if t.apply(); r.Transaction == "" && t.result.Outcome != reward.Applied {
			e.Type = reward.RefundReversed
			t.apply()
		}
	case history.Adjustment:
		if t.whole {
			e.Type, e.Fact, e.Currency = reward.AdjustmentPosted, t.number(i), t.program.RewardUnit()
			t.apply()
		}
	case history.Redemption:
		if t.whole {
			t.redeem(r, i)
		}
	}
}

// withdrawal tells a clearing that was withdrawn, as Recoup's own exports write it.
func (t *player) withdrawal(r *history.Row) bool {
	const prefix = "withdrawal-"
	if len(r.ID) != len(prefix)+len(r.Transaction) || r.ID[:len(prefix)] != prefix || r.ID[len(prefix):] != r.Transaction {
		return false
	}
	at := t.seen.find(r.Transaction)
	return at >= 0 && t.amounts[at] == r.Amount
}

// watch notes whether there are refunds that look for a purchase: their placement
// depends on when cycles close.
func (t *player) watch() {
	switch t.result.Code {
	case reward.Matched, reward.Unmatched, reward.TransactionUnknown, reward.OverRefund:
		t.closes = true
	}
}

// redeem asks for a redemption of the history, or puts one back. One that the core
// refused needs not be put back.
func (t *player) redeem(r *history.Row, i int) {
	e := &t.event
	e.Currency = t.program.RewardUnit()
	if r.Amount > 0 {
		e.Type, e.Fact = reward.RedemptionRequested, t.number(i)
		if t.apply(); t.result.Outcome != reward.Applied {
			t.refused++
			t.unpaid += r.Amount
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

func (t *player) apply() { t.result, t.journal = t.account.Apply(&t.event, t.journal) }

// number is an id that no other row of the account has.
func (t *player) number(row int) string {
	for len(t.numbers) <= row {
		t.numbers = append(t.numbers, strconv.Itoa(len(t.numbers)))
	}
	return t.numbers[row]
}

// isReward reports whether a posting changes what a purchase or a period earns.
func isReward(k reward.Kind) bool {
	return k == reward.Grant || k == reward.Clawback || k == reward.Restore || k == reward.Reallocation
}

// simulate plays the history under the program as it is written, to the end of the
// exports and then to the next close. Where its timing is another, refunds that name no
// purchase may be placed elsewhere, so that its entitlement counts.
func (j *Judge) simulate() {
	t, s := j.recoup, &j.account.Simulation
	other := j.program.Timing != atOnce
	if len(j.rows) == 0 || !j.options.Simulate && !other {
		return
	}
	t.begin(j.account.ID)
	count := func() {
		for i := range t.journal {
			switch p := &t.journal[i]; {
			case !isReward(p.Kind):
			case p.Amount > 0:
				s.Granted += p.Amount
			default:
				s.TakenBack -= p.Amount
			}
		}
		t.journal = t.journal[:0]
	}
	for i := range j.rows {
		t.turn(j.rows[i].At)
		t.row(&j.rows[i], i)
		count()
		s.HeldMost = max(s.HeldMost, t.account.Balances().Held)
	}
	end := max(j.options.End, j.account.Last)
	t.closeOnTime(end)
	t.close(end)
	count()
	b := t.account.Balances()
	s.Held, s.NetReward, s.Refused, s.RefusedAmount = b.Held, b.NetReward, t.refused, t.unpaid
	waits := t.program.Timing.Grant == reward.GrantAtStatement || t.program.Timing.Clawback == reward.ClawbackAtStatement
	if next := t.program.CycleStart(t.program.CycleAt(end) + 1); (t.closes || waits) && next <= reward.LatestInstant {
		t.close(next)
		s.NextClose = t.account.Balances().NetReward - b.NetReward
		t.journal = t.journal[:0]
	}
	if other {
		t.settle(end)
		j.entitled = t.account.Summary()
	}
}
