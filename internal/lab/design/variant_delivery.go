package design

import "recoup/reward"

// This file has the policies that do not hear of every reversal, or hear of
// something twice. Each is issuer C but for what its comment says.

// overRefundsIgnored rejects a refund of more than what is left (G2). What a
// chargeback exceeds it by does not matter.
type overRefundsIgnored struct{ instantClawback }

func (overRefundsIgnored) lets(r *reversal, of *purchase) bool {
	return of == nil || r.chargeback || r.amount <= of.amount-of.reversed
}

// earlyDropped knows nothing to do with a reversal of what it has not seen (G3).
type earlyDropped struct{ instantClawback }

func (earlyDropped) lets(_ *reversal, of *purchase) bool { return of != nil }

// doubleGrant rewards what is delivered, not what was bought (G4). A refund takes
// one of the rewards back.
type doubleGrant struct{ instantClawback }

func (doubleGrant) settledAgain(b *bank, a *account, i int) {
	if p := &a.purchases[i]; p.rule != reward.NoRule && !a.closed {
		b.post(a, i, Granted, b.withinCap(a, p, b.rules(p.cycle)[p.rule].Rate.Of(p.amount)))
	}
}

// doubleClawback takes the refund's share of the reward at each delivery (G5).
type doubleClawback struct{ instantClawback }

func (doubleClawback) reversedAgain(b *bank, a *account, i int, amount int64) {
	p := &a.purchases[i]
	if p.original == 0 {
		return
	}
	kept, _ := share(p.original, p.base-min(amount, p.base), p.base)
	b.post(a, i, ClawedBack, kept-p.original)
}

// chargebacksIgnored leaves disputes to somebody who does not know of rewards.
type chargebacksIgnored struct{ instantClawback }

func (chargebacksIgnored) lets(r *reversal, _ *purchase) bool { return !r.chargeback }

// unlinkedIgnored takes a refund in if it says of what.
type unlinkedIgnored struct{ instantClawback }

func (unlinkedIgnored) lets(r *reversal, _ *purchase) bool { return r.transaction != "" }

// partsIgnored knows only returns of the whole purchase.
type partsIgnored struct{ instantClawback }

func (partsIgnored) lets(r *reversal, of *purchase) bool { return of == nil || r.amount >= of.amount }
