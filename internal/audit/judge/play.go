package judge

import (
	"recoup/internal/intake/history"
	"recoup/reward"
)

// player plays an account's facts through the core of Recoup: with the published terms in
// force at once, which says what was owed after each fact, and with the program as it is
// written, which says what Recoup would have done. A fact that is exported twice counts once,
// as the first of its rows says.
type player struct {
	calendar
	// patience is for how many cycles after the last row a close may still change where refunds
	// are placed.
	patience reward.Cycle

	account *reward.Account
	event   reward.Event
	result  reward.Result
	journal []reward.Posting // since it was last read
	paid    []reward.Event   // redemptions, while any may be put back

	closes bool // cycles have to be closed on time
	now    cycle
}

// promised are the published terms as if they were in force at once: every fact is levelled
// when it comes. What is posted then adds up to what the terms promise (paper, section 4.1),
// whatever the timing of the program is.
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

func newPlayer(p *reward.Program) *player {
	const shortestMonth = 28
	return &player{calendar: calendar{program: p}, patience: 2 + reward.Cycle(max(p.Refunds.ParkDays, p.Refunds.FirmDays)/shortestMonth)}
}

func (t *player) begin(account string) {
	t.account = reward.NewAccount(account, t.program)
	t.event = reward.Event{Account: account}
	t.paid, t.journal = t.paid[:0], t.journal[:0]
	t.closes, t.now = false, cycle{}
}

// turn moves on to the cycle of a row. The journal has what closes posted.
func (t *player) turn(to reward.Instant) {
	if to < t.now.end {
		return
	}
	if t.now.end != 0 {
		t.closeUntil(to)
	} else { // the first row is when the account opened, as far as the exports say
		t.event.Type, t.event.Time = reward.AccountOpened, to
		t.apply()
	}
	t.now = t.calendar.at(to)
}

// closeUntil closes the cycles that are over by then, each at its end, as long as refunds may
// wait for it. Where all refunds are linked to purchases that are there, the core closes them
// with the next row as well.
func (t *player) closeUntil(by reward.Instant) {
	for c, last := t.now.Cycle, t.now.Cycle+t.patience; t.closes && c < last && t.program.CycleEnd(c) <= by; c++ {
		t.close(t.program.CycleEnd(c))
	}
}

func (t *player) close(at reward.Instant) {
	t.event.Type, t.event.Time = reward.CycleClosed, at
	t.apply()
}

// say takes a row for the next event, of a type that is still to be said.
func (t *player) say(r *history.Row) *reward.Event {
	t.event = reward.Event{
		Account: t.event.Account, Time: r.At, Fact: r.ID, Transaction: r.Transaction, Amount: r.Amount, HasAmount: true,
		Currency: t.program.Currency, Merchant: r.Merchant, MCC: r.MCC, Category: r.Category,
	}
	return &t.event
}

// row plays a fact, whose postings are added to the journal. Reward rows are what the program
// did, and no fact; nor is what moves the balance.
func (t *player) row(r *history.Row) {
	e := t.say(r)
	switch r.Kind {
	case history.Purchase:
		e.Type, e.Transaction, e.Fact = reward.TransactionSettled, r.ID, ""
	case history.Refund:
		e.Type = reward.RefundPosted
	case history.Chargeback:
		if e.Type = reward.ChargebackPosted; r.Transaction == "" {
			e.Type = reward.RefundPosted // which is placed where it may be of
		}
	case history.RefundReversed:
		e.Type = reward.RefundReversed
	case history.ChargebackReversed:
		if e.Type = reward.ChargebackReversed; r.Transaction == "" {
			if t.apply(); t.result.Outcome == reward.Applied {
				return
			}
			e.Type = reward.RefundReversed
		}
	default:
		return
	}
	t.apply()
	switch t.result.Code {
	case reward.Matched, reward.Unmatched, reward.TransactionUnknown, reward.OverRefund:
		t.closes = true // where such refunds are placed depends on when cycles close
	}
}

func (t *player) apply() { t.result, t.journal = t.account.Apply(&t.event, t.journal) }

// isReward reports whether a posting changes what a purchase or a period earns.
func isReward(k reward.Kind) bool {
	return k == reward.Grant || k == reward.Clawback || k == reward.Restore || k == reward.Reallocation
}
