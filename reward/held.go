package reward

import (
	"cmp"
	"slices"
)

// Hold is a part of the balance that may not be redeemed yet.
type Hold struct {
	Transaction string // whose reward it is
	Amount      int64  // above zero
	Why         HoldReason
	Until       Instant // when it ends, unless something happens before
}

// HoldReason is why an amount is held.
type HoldReason uint8

// The reasons of holds.
const (
	// HeldForMaturity: the reward has not matured.
	HeldForMaturity HoldReason = iota + 1
	// HeldForDeferredRefund: a reversal takes it at the next close.
	HeldForDeferredRefund
	// HeldForAnnouncedRefund: a refund that was announced will take it.
	HeldForAnnouncedRefund
	// HeldForWaitingRefund: a refund that waits for its purchase would take it, if
	// that does not come.
	HeldForWaitingRefund
)

var holdNames = [...]string{HeldForMaturity: "maturity", HeldForDeferredRefund: "refund_deferred", HeldForAnnouncedRefund: "refund_announced", HeldForWaitingRefund: "refund_waiting"}

// String returns the reason's name on the wire.
func (r HoldReason) String() string { return nameOf(holdNames[:], int(r)) }

// Holds lists what is held, what ends first first. It adds up to State.Held.
func (a *Account) Holds() []Hold {
	a.recall()
	var list []Hold
	for t := range a.transactions.all() {
		if t.held > 0 {
			list = append(list, a.holdOn(t, t.held))
		}
	}
	for b := range a.buckets() {
		list = append(list, a.holdsIn(b)...)
	}
	list = a.relieved(list)
	slices.SortFunc(list, func(x, y Hold) int {
		return cmp.Or(cmp.Compare(x.Until, y.Until), cmp.Compare(x.Transaction, y.Transaction))
	})
	return list
}

// relieved leaves out of what is held what has expired, and would be taken from nobody.
func (a *Account) relieved(list []Hold) []Hold {
	relief := a.held - a.withheld()
	if relief == 0 {
		return list
	}
	for i := range list {
		t, _ := a.transactions.find(list[i].Transaction)
		if end := a.newest.expiresWith(t.cycle); t.cycle < a.newest.expiresFrom() || end < a.cycle {
			own := min(relief, list[i].Amount)
			list[i].Amount -= own
			relief -= own
		}
	}
	return slices.DeleteFunc(list, func(h Hold) bool { return h.Amount == 0 })
}

// holdOn says why an amount of a purchase's reward is held.
func (a *Account) holdOn(t *transaction, amount int64) Hold {
	w := t.whole()
	h := Hold{Transaction: w.id, Amount: amount, Why: HeldForDeferredRefund, Until: a.cycleEnd}
	switch {
	case t.is(immature):
		h.Why, h.Until = HeldForMaturity, a.ripe(t)
	case w.pending > 0:
		h.Why = HeldForAnnouncedRefund
		for _, r := range a.announce {
			if r.holding && r.transaction == w {
				h.Until = r.until
			}
		}
	case a.ahead(t) > t.reversed():
		h.Why = HeldForWaitingRefund
	}
	return h
}

// holdsIn says of which purchases the hold on a pooled bucket is: of those that
// would keep less than they have, in posting order.
func (a *Account) holdsIn(b *bucket) (list []Hold) {
	if b.held == 0 {
		return nil
	}
	left := b.held
	for t, f := range a.wouldKeep(b) {
		if t.is(immature) {
			f = 0
		}
		if amount := min(left, t.retained-f); amount > 0 {
			list = append(list, a.holdOn(t, amount))
			left -= amount
		}
	}
	return list
}
