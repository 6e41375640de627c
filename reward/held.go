package reward

import (
	"cmp"
	"slices"
)

// Hold is a part of the balance that may not be redeemed yet.
type Hold struct {
	Transaction string // whose reward it is; empty: of no purchase alone
	Bonus       string // then the bonus, or
	Rule        string // the rule, or the limit that rules share, under which all of a period goes to another rate
	Period      string // of either
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

// holding is a hold with how much of it is on lots that are over, and perhaps would be
// taken from nobody.
type holding struct {
	Hold
	over int64
}

// Holds lists what is held, what ends first first. It adds up to State.Held.
func (a *Account) Holds() []Hold {
	if a.held == 0 {
		return nil
	}
	if !a.tellsWhy() {
		a.recall()
	}
	var list []holding
	for t := range a.transactions.all() {
		if t.held > 0 {
			list = append(list, a.holdOn(t, t.held, nil))
		}
	}
	for b := range a.buckets() {
		list = append(list, a.holdsIn(b)...)
	}
	list = append(list, a.holdsOfBaskets()...)
	return merged(a.relieved(list))
}

// relieved takes off what is held what would be taken from nobody, since it has expired, of
// what ends first first: whichever order the account has its purchases in.
func (a *Account) relieved(list []holding) []holding {
	slices.SortFunc(list, func(x, y holding) int {
		return cmp.Or(byEnd(x.Hold, y.Hold), cmp.Compare(x.over, y.over), cmp.Compare(x.Amount, y.Amount))
	})
	relief := a.held - a.withheld()
	for i := range list {
		own := min(relief, list[i].over)
		list[i].Amount -= own
		relief -= own
	}
	return list
}

// byEnd orders holds by when they end, then by what they are on and why.
func byEnd(x, y Hold) int {
	return cmp.Or(cmp.Compare(x.Until, y.Until), cmp.Compare(x.Transaction, y.Transaction), cmp.Compare(x.Bonus, y.Bonus),
		cmp.Compare(x.Rule, y.Rule), cmp.Compare(x.Period, y.Period), cmp.Compare(x.Why, y.Why))
}

// merged are holds in order, those that say the same as one.
func merged(list []holding) (holds []Hold) {
	for _, h := range list {
		switch last := len(holds) - 1; {
		case h.Amount == 0:
		case last >= 0 && byEnd(holds[last], h.Hold) == 0:
			holds[last].Amount += h.Amount
		default:
			holds = append(holds, h.Hold)
		}
	}
	return holds
}

// isOver reports whether the lot of a cycle has expired, or never expires and stood
// before those that do.
func (a *Account) isOver(c Cycle) bool {
	return a.lots != nil && (c < a.newest.expiresFrom() || a.newest.expiresWith(c) < a.cycle)
}

// holdOn says why an amount of a purchase's reward is held: by what becomes of it, or
// else of others that it is counted with.
func (a *Account) holdOn(t *transaction, amount int64, others []*stake) holding {
	h := holding{Hold: Hold{Transaction: t.whole().id, Amount: amount}}
	if a.isOver(t.cycle) {
		h.over = amount
	}
	h.Why, h.Until = a.whyHeld(a.causeOf(t, others))
	return h
}

// whyHeld is why a purchase is not as it is posted, or may not stay so, and when that
// ends; of none, that the next close has to bring it about.
func (a *Account) whyHeld(t *transaction) (why HoldReason, until Instant) {
	why, until = HeldForDeferredRefund, a.cycleEnd
	if t == nil {
		return why, until
	}
	w := t.whole()
	switch {
	case t.is(immature):
		why, until = HeldForMaturity, a.ripe(t)
	case w.pending() > 0:
		why = HeldForAnnouncedRefund
		for _, r := range a.announce {
			if r.holding && r.transaction == w {
				until = r.until
			}
		}
	case a.ahead(t) > t.reversed() || a.forgotten && !t.is(changed):
		why = HeldForWaitingRefund
	}
	return why, until
}

// tellsWhy reports whether it shows of each purchase for which something is held why that
// is, without what is foreseen: what has not matured, is not announced to come back and was
// levelled would be held for nothing but a refund that waits.
func (a *Account) tellsWhy() bool {
	if !a.heldApart() {
		return false
	}
	for t := range a.transactions.all() {
		if t.held != 0 && t.is(changed) && !t.is(immature) && t.pending() == 0 {
			return false
		}
	}
	return true
}

// causeOf is the purchase for which a reward is held: its own if that is not as it is
// posted, or else the first of others that is not.
func (a *Account) causeOf(t *transaction, others []*stake) *transaction {
	if a.unsettled(t) {
		return t
	}
	for _, cause := range a.causes(others) {
		return cause
	}
	return t
}

// causes are the purchases that are not as they are posted, of some in posting order, and
// then of those that qualify for tiers.
func (a *Account) causes(of []*stake) (list []*transaction) {
	var qualify []*stake
	for _, tier := range a.apart {
		qualify = append(qualify, a.oddIn(tier)...)
	}
	for _, stakes := range [][]*stake{of, qualify} {
		for _, k := range slices.SortedFunc(slices.Values(stakes), byStake) {
			if a.unsettled(k.of) {
				list = append(list, k.of)
			}
		}
	}
	return list
}

// unsettled reports whether a posted purchase counts for something else than is posted
// of it, or does not count as mature.
func (a *Account) unsettled(t *transaction) bool {
	_, ahead := a.foreseen[t]
	return ahead || t.is(immature) || t.is(changed)
}

// holdsIn says of which purchases the hold on a pooled bucket is: of those that
// would keep less than they have, in posting order.
func (a *Account) holdsIn(b *bucket) (list []holding) {
	if b.held == 0 {
		return nil
	}
	left := b.held
	for t, f := range a.wouldKeep(b) {
		if t.is(immature) {
			f = 0
		}
		if amount := min(left, t.retained-f); amount > 0 {
			list = append(list, a.holdOn(t, amount, nil))
			left -= amount
		}
	}
	return list
}
