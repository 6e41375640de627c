package reward

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
	Bonuses            []BonusState // that it counts for, as they stand
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
	Status    ReversalStatus
	Dismissed bool    // somebody looked at it and let it be
	At        Instant // event time of a refund, the account's time at a chargeback; zero where only its undo is known
}

// ReversalStatus is where a refund or chargeback stands.
type ReversalStatus uint8

// The statuses of reversals.
const (
	ReversalPending  ReversalStatus = iota + 1 // announced, not posted
	ReversalPosted                             // counts
	ReversalCanceled                           // announced, and will not come
	ReversalReversed                           // undone, perhaps before it came
)

var reversalStatuses = [...]string{
	ReversalPending: "pending", ReversalPosted: "posted", ReversalCanceled: "canceled", ReversalReversed: "reversed",
}

// String returns the status in small letters, "" for none.
func (s ReversalStatus) String() string {
	if int(s) >= len(reversalStatuses) {
		return ""
	}
	return reversalStatuses[s]
}

// Refunds are those of its reversals that are refunds, linked to it or placed on it.
func (d *Detail) Refunds() []Reversal { return d.reversals(RefundPart) }

// Chargebacks are those of its reversals that are chargebacks.
func (d *Detail) Chargebacks() []Reversal { return d.reversals(ChargebackPart) }

func (d *Detail) reversals(kind PartKind) (list []Reversal) {
	for _, r := range d.Reversals {
		if r.Kind == kind {
			list = append(list, r)
		}
	}
	return list
}

// Detail returns what the account knows of a transaction.
func (a *Account) Detail(id string) (d Detail, ok bool) {
	t, _ := a.lookup(id)
	if t == nil || !t.is(authorised|posted|canceled) || t.isItem() {
		return d, false
	}
	d = Detail{
		TransactionState: a.transactionState(t),
		Held:             t.held, Merchant: t.merchant, Category: t.sent().Category, MCC: t.sent().MCC,
	}
	if t.is(posted) {
		p := a.under(t)
		d.Rule, d.Version, d.Settled, d.Posted, d.Cycle = a.ruleOf(t), p.Version, t.settledAt, t.postedAt, t.cycle
		d.Excess = max(0, t.home-t.amount)
		if t.layered() {
			for _, k := range t.more.counts {
				d.Bonuses = append(d.Bonuses, k.basket.state())
			}
		}
	}
	if t.links != nil {
		d.Withdrawn = t.links.withdrawnAt
		for _, r := range a.refundsOf(t) {
			v := r.reversal()
			v.Linked = !r.unlinked
			if r.atHome() {
				v.Placed = t.share(r)
			}
			d.Reversals = append(d.Reversals, v)
		}
		for _, c := range t.links.chargebacks {
			v := Reversal{Kind: ChargebackPart, ID: c.id, Amount: c.takes(t), Linked: true, Status: ReversalPosted, Dismissed: c.dismissed, At: c.arrived}
			if c.annulled {
				v.Status = ReversalReversed
			}
			if c.active() {
				v.Placed = v.Amount
			}
			d.Reversals = append(d.Reversals, v)
		}
	}
	for _, x := range append(t.items(), t) {
		if x.links == nil {
			continue
		}
		for _, f := range x.links.firm {
			v := f.of.reversal()
			v.Placed = f.placed
			d.Reversals = append(d.Reversals, v)
		}
	}
	for _, x := range t.items() {
		d.Held += x.held
	}
	for _, r := range a.loose {
		for _, p := range r.places {
			if p.on.whole() == t {
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
	v := Reversal{Kind: RefundPart, ID: r.id, Amount: r.amount, Status: ReversalPosted, Dismissed: r.dismissed, At: r.at}
	switch {
	case r.annulled:
		v.Status = ReversalReversed
	case r.posted:
	case r.canceled:
		v.Status = ReversalCanceled
	case r.pending:
		v.Status = ReversalPending
	}
	if !r.posted {
		v.Amount, v.At = r.announced, r.heard
	}
	return v
}

// RefundDetail is one refund with all that an account knows of it.
type RefundDetail struct {
	Reversal           // Placed is what of it lies on purchases in all
	Rest        int64  // while it counts, what lies on none: it found no spend, or waits
	Transaction string // that it names or was linked to, "" for none
	// Merchant, MCC and Category are as the posting sent them; SpendKind is the
	// category, or what stands for it, "" for none.
	Merchant, Category, SpendKind string
	MCC                           MCC
	Arrived                       Instant
	// Firm: it was placed, and where it lies is final unless a linked fact or a
	// person needs the place.
	Firm bool
	// Doubted: who sent it guessed the purchase, which does not fit.
	Doubted bool
	// Refused are deliveries under its id that do not count, the oldest first.
	Refused []Refused
}

// Refused is a delivery of a refund that does not count: it contradicts the one
// that does (Code RefundConflict), or came after that was undone
// (AlreadyReversed).
type Refused struct {
	Code        Code
	Amount      int64   // minor units
	At          Instant // event time
	Arrived     Instant // the account's time
	Transaction string  // that it named, "" for none
	Merchant    string
	Countable   bool // a refund.counted can have it count
	Done        bool // it was made to count, or let be
}

// Refund returns what the account knows of a refund.
func (a *Account) Refund(id string) (d RefundDetail, ok bool) {
	r := a.lookupRefund(id)
	if r == nil {
		return d, false
	}
	d = RefundDetail{
		Reversal: r.reversal(), Merchant: r.merchant, MCC: r.mcc, Category: r.category, SpendKind: a.kindOfRefund(r), Arrived: r.arrived, Firm: r.firm, Doubted: r.doubted,
	}
	for _, x := range r.refusals {
		d.Refused = append(d.Refused, Refused{x.code, x.amount, x.at, x.arrived, x.sent, x.merchant, x.posting && !x.done, x.done})
	}
	d.Linked = !r.unlinked
	if !r.posted {
		d.Arrived = r.heard
	}
	if r.transaction != nil {
		d.Transaction = r.transaction.id
	}
	switch {
	case !r.active():
	case r.waits():
		d.Rest = r.amount
	case r.unlinked:
		d.Placed, d.Rest = r.amount-r.rest, r.rest
	default:
		d.Placed = r.transaction.share(r)
	}
	return d, true
}
