package reward

import (
	"cmp"
	"slices"
)

// Detail is one purchase with all that an account knows of it. Amounts are minor
// units.
type Detail struct {
	TransactionState
	Held               int64 // of what is retained, not redeemable yet
	Merchant, Category string
	MCC                MCC
	Rule               string  // "" for none
	Version            int32   // of the program that it was posted under
	Settled            Instant // event time of the settlement; zero: not posted
	Posted             Instant // the account's time when it posted
	Cycle              Cycle   // that it counts in, once it posted
	Withdrawn          Instant // the account's time when the posting itself was taken back; zero: it stands
	Excess             int64   // what the facts that name it exceed it by, once it posted
	Reversals          []Reversal
}

// Reversal is a refund or chargeback of a purchase.
type Reversal struct {
	Kind   PartKind // RefundPart or ChargebackPart
	ID     string
	Amount int64 // the whole of it
	// Placed is what of it lies on the purchase.
	Placed int64
	// Linked: it names the purchase or was linked to it by hand; otherwise it was
	// placed there.
	Linked    bool
	Pending   bool // announced and not posted
	Canceled  bool // announced, and will not come
	Annulled  bool // undone, perhaps before it came
	Dismissed bool
	At        Instant // event time of a refund, the account's time at a chargeback
}

// Detail returns what the account knows of a transaction.
func (a *Account) Detail(id string) (d Detail, ok bool) {
	t, _ := a.find(id)
	if t == nil || !t.is(authorised|posted|canceled) {
		return d, false
	}
	d = Detail{
		TransactionState: a.transactionState(t),
		Held:             t.held, Merchant: t.merchant, Category: t.category, MCC: t.mcc,
	}
	if t.is(posted) {
		p := a.under(t)
		d.Rule, d.Version, d.Settled, d.Posted, d.Cycle = a.ruleOf(t), p.Version, t.settledAt, t.postedAt, t.cycle
		d.Excess = max(0, t.home-t.amount)
	}
	if t.links != nil {
		d.Withdrawn = t.links.withdrawnAt
		for _, r := range t.links.refunds {
			v := r.reversal()
			v.Linked = !r.unlinked
			if r.atHome() {
				v.Placed = r.amount
			}
			d.Reversals = append(d.Reversals, v)
		}
		for _, c := range t.links.chargebacks {
			v := Reversal{Kind: ChargebackPart, ID: c.id, Amount: c.takes(t), Linked: true, Annulled: c.annulled, Dismissed: c.dismissed, At: c.arrived}
			if c.active() {
				v.Placed = v.Amount
			}
			d.Reversals = append(d.Reversals, v)
		}
		for _, f := range t.links.firm {
			v := f.of.reversal()
			v.Placed = f.placed
			d.Reversals = append(d.Reversals, v)
		}
	}
	for _, r := range a.movable() {
		for _, p := range r.parts {
			if p.on == t {
				v := r.reversal()
				v.Placed = p.amount
				d.Reversals = append(d.Reversals, v)
			}
		}
	}
	return d, true
}

// reversal is a refund as a reversal of some purchase.
func (r *refund) reversal() Reversal {
	v := Reversal{
		Kind: RefundPart, ID: r.id, Amount: r.amount, Pending: r.pending && !r.posted, Canceled: r.canceled && !r.posted,
		Annulled: r.annulled, Dismissed: r.dismissed, At: r.at,
	}
	if !r.posted {
		v.Amount, v.At = r.announced, r.heard
	}
	return v
}

// RefundDetail is one refund with all that an account knows of it. Its merchant
// category code and category are not kept, only the rule that they match.
type RefundDetail struct {
	Reversal           // Placed is what of it lies on purchases in all
	Rest        int64  // while it counts, what lies on none: it found no spend, or waits
	Transaction string // that it names or was linked to, "" for none
	Merchant    string // as the posting sent it
	Rule        string // that its own merchant data match, "" for none
	Arrived     Instant
	// Firm: it was placed, and where it lies is final unless a linked fact or a
	// person needs the place.
	Firm bool
	// Contested is since when a second delivery disagrees with this one, and
	// ContestedAmount what that said; zero where none did.
	Contested       Instant
	ContestedAmount int64
}

// Refund returns what the account knows of a refund.
func (a *Account) Refund(id string) (d RefundDetail, ok bool) {
	r := a.findRefund(id)
	if r == nil {
		return d, false
	}
	d = RefundDetail{
		Reversal: r.reversal(), Merchant: r.merchant, Rule: r.rule, Arrived: r.arrived, Firm: r.firm,
		Contested: r.contest.at, ContestedAmount: r.contest.amount,
	}
	d.Linked = !r.unlinked
	if !r.posted {
		d.Arrived = r.heard
	}
	if r.transaction != nil {
		d.Transaction = r.transaction.id
	}
	switch {
	case !r.active() || r.waits():
	case r.unlinked:
		d.Placed = r.amount - r.rest
	default:
		d.Placed = r.amount
	}
	if r.active() {
		d.Rest = r.amount - d.Placed
	}
	return d, true
}

// movable are the refunds whose money may move.
func (a *Account) movable() []*refund {
	if a.match == nil {
		return nil
	}
	return a.match.claims
}

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
)

var holdNames = [...]string{HeldForMaturity: "maturity", HeldForDeferredRefund: "refund_deferred", HeldForAnnouncedRefund: "refund_announced"}

// String returns the reason's name on the wire.
func (r HoldReason) String() string { return nameOf(holdNames[:], int(r)) }

// Holds lists what is held, what ends first first. It adds up to State.Held.
func (a *Account) Holds() []Hold {
	var list []Hold
	for t := range a.transactions.all() {
		if t.held == 0 {
			continue
		}
		h := Hold{Transaction: t.id, Amount: t.held, Why: HeldForDeferredRefund, Until: a.cycleEnd}
		switch {
		case t.is(immature):
			h.Why, h.Until = HeldForMaturity, a.ripe(t)
		case t.pending > 0:
			h.Why = HeldForAnnouncedRefund
			for _, r := range a.announce {
				if r.holding && r.transaction == t {
					h.Until = r.heard.plusDays(a.program.Refunds.PendingDays)
				}
			}
		}
		list = append(list, h)
	}
	slices.SortFunc(list, func(x, y Hold) int {
		return cmp.Or(cmp.Compare(x.Until, y.Until), cmp.Compare(x.Transaction, y.Transaction))
	})
	return list
}
