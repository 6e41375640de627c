package traffic

import (
	"time"

	"recoup/reward"
)

// The shares of what happens to purchases, per mille unless it says otherwise.
const (
	authorized      = 600 // of purchases; the others settle at once
	voided          = 30  // of authorisations, which never clear
	chargedBack     = 3
	chargebackLost  = 300 // of chargebacks, which are reversed
	withdrawnIn     = 3000
	returnedInPart  = 333 // of returns
	unlinkedRefunds = 200 // of refunds
	announced       = 300 // of linked refunds
	neverPosted     = 50  // of announced refunds
	refundBounced   = 10  // of refunds, which are reversed
	redeemedAfter   = 20
	payoutReturned  = 10 // of redemptions
	adjustedIn      = 4000
)

// lag is the time from purchase to return in the Online Retail II data: median
// ten days, nine in ten within 78, 99 in a hundred within 328, the longest 595.
var lag = linear(
	quantile{0, 0},
	quantile{500, 10 * int64(reward.Day)},
	quantile{900, 78 * int64(reward.Day)},
	quantile{990, 328 * int64(reward.Day)},
	quantile{1000, 595 * int64(reward.Day)},
)

// clearing is the time from authorisation to settlement: up to three days.
var clearing = linear(
	quantile{0, int64(time.Hour)},
	quantile{500, int64(reward.Day)},
	quantile{900, 2 * int64(reward.Day)},
	quantile{1000, 3 * int64(reward.Day)},
)

// shop makes a purchase and returns its first step.
func (w *world) shop(at reward.Instant) step {
	d := w.dice
	w.purchases++
	p := purchase{number: w.purchases, account: uint32(d.skewed(len(w.earned))), trade: uint16(w.market.busy.draw(d))}
	t := &w.market.trades[p.trade]
	p.merchant, p.amount = uint16(t.busy.draw(d)), t.amounts.draw(d)
	if !d.chance(authorized) {
		return step{what: reward.TransactionSettled, of: p, amount: p.amount}
	}
	if d.chance(voided) {
		w.coming.push(at+d.days(0, 7), step{what: reward.TransactionCanceled, of: p})
	} else {
		w.coming.push(at+reward.Instant(clearing.draw(d)), step{what: reward.TransactionSettled, of: p, amount: p.amount})
	}
	return step{what: reward.TransactionAuthorized, of: p, amount: p.amount}
}

// decide says, when a step's time has come, what follows from it, and whether it
// takes place at all.
func (w *world) decide(at reward.Instant, s *step) bool {
	d := w.dice
	earned := &w.earned[s.of.account]
	switch s.what {
	case reward.TransactionSettled:
		*earned += w.rate.Of(s.amount)
		if s.chased && d.chance(returnsChased) {
			w.coming.push(at+d.days(3, 28), step{what: reward.RefundPosted, of: s.of, fact: w.number(), amount: s.amount})
		} else {
			w.foresee(at, s.of)
		}
	case reward.RefundPosted:
		*earned -= w.rate.Of(s.amount)
		if d.chance(refundBounced) {
			w.coming.push(at+d.days(1, 10), step{what: reward.RefundReversed, of: s.of, fact: s.fact})
		}
	case reward.ChargebackPosted:
		if d.chance(chargebackLost) {
			w.coming.push(at+d.days(20, 60), step{what: reward.ChargebackReversed, of: s.of, fact: s.fact})
		}
	case reward.RedemptionRequested:
		if s.amount = roundSum(*earned); s.amount == 0 {
			return false
		}
		s.fact = w.number()
		*earned -= s.amount
		if d.chance(payoutReturned) {
			w.coming.push(at+d.days(1, 5), step{what: reward.RedemptionReversed, of: s.of, fact: s.fact})
		}
	}
	return true
}

// foresee decides what becomes of a purchase that has settled, and of its
// cardholder soon after.
func (w *world) foresee(at reward.Instant, p purchase) {
	d := w.dice
	switch {
	case d.chance(w.returns):
		w.giveBack(at, p)
	case d.chance(chargedBack):
		w.dispute(at, p)
	case d.below(withdrawnIn) == 0:
		w.coming.push(at+d.days(0, 10), step{what: reward.TransactionReversed, of: p})
	}
	if d.chance(redeemedAfter) {
		w.coming.push(at+d.days(0, 10), step{what: reward.RedemptionRequested, of: p})
	}
	if d.below(adjustedIn) == 0 {
		amount := 100 * d.between(5, 25)
		if d.chance(200) {
			amount = -amount
		}
		w.coming.push(at+d.days(0, 10), step{what: reward.AdjustmentPosted, of: p, fact: w.number(), amount: amount})
	}
}

// giveBack refunds a purchase: more than all of it, all of it, or parts of a
// tenth to six tenths each, as long as something is left.
func (w *world) giveBack(at reward.Instant, p purchase) {
	d := w.dice
	switch {
	case d.chance(w.overRefund):
		w.refund(at, p, p.amount+p.amount/20+1)
	case !d.chance(returnedInPart):
		w.refund(at, p, p.amount)
	case w.terms.itemized(&p):
		_, amount := w.terms.returnsOne(&p)
		w.refund(at, p, amount)
	default:
		rest := p.amount
		for parts := 1 + min(d.below(3), d.below(3)); parts > 0 && rest > 0; parts-- {
			part := min(rest, max(1, p.amount*d.between(100, 600)/1000))
			w.refund(at, p, part)
			rest -= part
		}
	}
}

func (w *world) refund(settled reward.Instant, p purchase, amount int64) {
	d := w.dice
	after := reward.Instant(lag.draw(d))
	s := step{what: reward.RefundPosted, of: p, fact: w.number(), amount: amount, unlinked: d.chance(unlinkedRefunds)}
	if w.terms.itemized(&p) {
		switch one, of := w.terms.returnsOne(&p); amount {
		case p.amount:
			s.item = wholeReceipt
		case of:
			s.item = one
		}
	}
	if !s.unlinked && d.chance(announced) {
		before := min(after, d.days(1, 5))
		w.coming.push(settled+after-before, step{what: reward.RefundPending, of: p, fact: s.fact, amount: amount})
		if d.chance(neverPosted) {
			s.what, s.amount = reward.RefundCanceled, 0
		}
	}
	w.coming.push(settled+after, s)
}

// dispute charges a purchase back: half of the time whole without an amount,
// otherwise with the amount that is in dispute.
func (w *world) dispute(settled reward.Instant, p purchase) {
	d := w.dice
	s := step{what: reward.ChargebackPosted, of: p, fact: w.number()}
	if d.chance(500) {
		s.amount = max(1, p.amount*d.between(300, 1000)/1000)
	}
	w.coming.push(settled+d.days(10, 90), s)
}

// number numbers refunds, chargebacks, redemptions and adjustments.
func (w *world) number() int64 {
	w.facts++
	return w.facts
}

// roundSum returns the largest sum of those that people ask for that is there,
// or 0.
func roundSum(earned int64) int64 {
	for _, sum := range [...]int64{500_00, 200_00, 100_00, 50_00, 25_00, 20_00, 10_00, 5_00} {
		if sum <= earned {
			return sum
		}
	}
	return 0
}
