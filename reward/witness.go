package reward

import "fmt"

// Two of the properties are of a change and not of an account as it stands. Apply
// watches for them, and Check reports what it saw.

// watched is an event whose effect is looked at, and what there was before it.
type watched struct {
	event     *Event
	netReward int64
	available int64
	// alone: the fact changes one purchase by what it says, and nothing moves.
	alone bool
}

// watch notes what there is before an event that a property is about.
func (a *Account) watch(e *Event) (w watched) {
	switch e.Type {
	case RefundPosted, ChargebackPosted, TransactionReversed:
		w = watched{event: e, netReward: a.netReward(), alone: len(a.loose)+len(a.over)+len(a.dirty)+len(a.spreads) == 0}
	case RedemptionRequested, RedemptionAuthorized:
		w.event = e
	case RedemptionCaptured, RedemptionReleased:
		w.event, w.available = e, a.available()
	}
	return w
}

// witness looks at what has become of it.
func (a *Account) witness(w watched, r Result) {
	if w.event == nil || r.Outcome != Applied {
		return
	}
	see := func(holds bool, invariant, format string, figures ...any) {
		if !holds {
			a.broken = append(a.broken, Violation{a.id, invariant, fmt.Sprintf("event %s: ", w.event.ID) + fmt.Sprintf(format, figures...)})
		}
	}
	switch w.event.Type {
	case RedemptionRequested, RedemptionAuthorized:
		// The paper's Lemma 3 (Negative Balance and Grace Period Enforcement): nothing
		// is paid out within the grace period, nor below the minimum balance.
		least := a.program.Redemption.MinimumBalance
		see(a.now >= a.holdUntil, Enforcement, "redeemed at %v, held until %v", a.now, a.holdUntil)
		see(a.available() >= least, Enforcement, "balance %d, held %d, reserved %d, the least is %d", a.balance, a.withheld(), a.reserved, least)
		return
	case RedemptionCaptured, RedemptionReleased:
		// What was promised was set aside: to keep the promise, or to be let off it, takes
		// nothing from what is available.
		see(a.available() >= w.available, Promise, "available %d, it was %d before", a.available(), w.available)
		return
	}
	t, _ := a.transactions.find(w.event.Transaction)
	if w.alone && len(a.loose)+len(a.over)+len(a.spreads) == 0 && t != nil && !t.bearsFirm() {
		most := w.netReward
		places, steps := a.newest.everLimits()
		if steps {
			most += int64(a.posted) // what moves to another step is rounded anew
		}
		see(places || a.netReward() <= most, Monotonicity, "net reward %d, it was %d before", a.netReward(), w.netReward)
	}
}

// netReward is what the account has earned and kept, paid out or not.
func (a *Account) netReward() int64 {
	return a.balance + a.redeemed + a.expiredSoFar() - a.adjustments
}
