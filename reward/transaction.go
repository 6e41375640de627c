package reward

// Status is where a purchase stands in the paper's transaction reward state
// machine. It is never stored: it follows from the facts.
type Status uint8

// The five states (paper, figure "Transaction reward state machine").
const (
	Pending Status = iota
	Settled
	PartRefunded
	Refunded
	ChargedBack
)

var statusNames = [...]string{Pending: "PENDING", Settled: "SETTLED", PartRefunded: "PART_REF", Refunded: "REFUNDED", ChargedBack: "CHARGEBACK"}

// String returns the paper's name of the state.
func (s Status) String() string { return nameOf(statusNames[:], int(s)) }

// transaction is one clearing of a purchase, kept for the account's lifetime.
// Before it posts it may be known from an authorisation, from a cancel, or only
// from facts that wait for it.
type transaction struct {
	id string
	// merchant, category and mcc are the effective ones: what the settlement leaves
	// out is the last authorisation's.
	merchant, category string

	amount int64 // settled amount; authorised amount until it posts
	// Before it posts these are the event time of the earliest authorisation, and the
	// time of purchase by that.
	settledAt Instant // event time of the settlement
	postedAt  Instant // the account's time when it posted

	home   int64 // active facts linked here, of a posted transaction
	placed int64 // unlinked money and excess of others placed here

	base     int64 // amount that the original reward was computed on
	original int64 // R_orig: set once by the grant
	retained int64 // R: what is still granted
	levelled int64 // reversed amount that retained reflects

	risk int64 // retained reward that is about to be clawed back
	held int64 // risk, or all that is retained while immature

	links  *links  // facts that name this transaction; nil while there are none
	bucket *bucket // of a plain rule; nil where it earns nothing under one
	more   *particulars
	abroad *abroad // in the merchant's currency, if the settlement says it

	order int32 // posting order in the account, from 1
	cycle Cycle
	rule  int32 // index in the rules of its program version, or NoRule
	mcc   MCC
	item  uint16 // of an item, its place among those of its transaction, from 1
	flags txFlags
}

// txFlags are the yes-or-no facts of a transaction.
type txFlags uint32

const (
	authorised txFlags = 1 << iota
	canceled
	posted
	granted
	// The settlement left its merchant, its code or its category out, and the
	// authorisation's stands.
	inheritedMerchant
	inheritedMCC
	inheritedCategory
	// withdrawn: the clearing itself was taken back.
	withdrawn
	// immature: its reward may not be redeemed yet for its age.
	immature
	// changed: it is on the account's list of what levelling has to look at.
	changed
	// ranked: it takes part in its bucket's re-rated order.
	ranked
	// short: it waits in its bucket for room under the cap.
	short
	// dismissed: somebody looked at its review and let it be.
	dismissed
	// barren: it posted after the account was closed, and earns nothing.
	barren
	// split: it posted with items, or got them later. Nothing of it itself is left: its
	// items are purchases in its place.
	split
	// handed: it was handed out for change since it was last written down.
	handed
)

func (t *transaction) is(f txFlags) bool { return t.flags&f != 0 }
func (t *transaction) set(f txFlags)     { t.flags |= f }
func (t *transaction) clear(f txFlags)   { t.flags &^= f }

// links are the facts that name a transaction, and the firm refunds placed on it.
type links struct {
	unread      *unread // of refunds, those before the ones at hand
	refunds     []*refund
	chargebacks []*chargeback
	pending     int64       // announced refunds that still hold
	named       int64       // Σ active refunds, and chargebacks with an amount, at home here, once it posted
	span        span        // of these facts; zero: not known at the moment
	disputes    int         // active chargebacks
	withdrawnAt Instant     // the account's time when the withdrawal arrived
	firm        []firmPlace // by refund: event time, then id
	firmPlaced  int64
	contests    contests
}

func (t *transaction) link() *links {
	if t.links == nil {
		t.links = new(links)
	}
	return t.links
}

// atHome is what the transaction's own facts reverse.
func (t *transaction) atHome() int64 { return min(t.amount, t.home) }

// reversed is x_t, the paper's TotalRefunded.
func (t *transaction) reversed() int64 {
	if t.is(split) {
		return t.amount
	}
	return t.atHome() + t.placed
}

// net is what is left of the purchase.
func (t *transaction) net() int64 { return t.amount - t.reversed() }

// firmPlaced is what firm refunds take of it.
func (t *transaction) firmPlaced() int64 {
	if t.links == nil {
		return 0
	}
	return t.links.firmPlaced
}

// soft is what may still move away from here when a fact arrives.
func (t *transaction) soft() int64 { return t.placed - t.firmPlaced() }

// room is what home and firm places leave for unlinked money.
func (t *transaction) room() int64 {
	if t.is(split) {
		return 0
	}
	return t.amount - t.atHome() - t.firmPlaced()
}

// pending is what announced refunds of it come to that still hold.
func (t *transaction) pending() int64 {
	if t.links == nil {
		return 0
	}
	return t.links.pending
}

// namedSum is what the facts linked to it come to that name an amount.
func (t *transaction) namedSum() int64 {
	if t.links == nil {
		return 0
	}
	return t.links.named
}

// excess is what the facts linked to a transaction that name an amount exceed it
// by. It is money that came back for something else.
func (t *transaction) excess() int64 { return t.excessWith(0) }

// excessWith is the same as if so much more were refunded of it.
func (t *transaction) excessWith(more int64) int64 {
	return max(0, min(t.namedSum()+more, t.home+more-t.amount))
}

// chargedBack reports whether a chargeback of it is active.
func (t *transaction) chargedBack() bool { return t.links != nil && t.links.disputes > 0 }

// status derives the state from the facts.
func (a *Account) status(t *transaction) Status {
	switch {
	case !t.is(posted):
		if t.is(canceled) {
			return Refunded
		}
		return Pending
	case t.chargedBack():
		return ChargedBack
	case a.under(t).Timing.Grant == GrantAtStatement && t.cycle >= a.cycle:
		return Pending
	}
	switch t.takenBack() {
	case 0:
		return Settled
	case t.amount:
		return Refunded
	}
	return PartRefunded
}

// facts adds up the active facts that name the transaction, of which the second
// result is those that name an amount. A withdrawal and a chargeback without an
// amount count as the whole purchase.
func (a *Account) facts(t *transaction) (all, named int64) {
	if t.is(withdrawn) {
		all = t.amount
	}
	if t.links == nil {
		return all, 0
	}
	var back, billed int64 // of refunds that go by the merchant's currency
	for _, c := range t.links.chargebacks {
		switch {
		case !c.active():
		case c.amount == 0:
			all += t.amount
		default:
			named += c.amount
		}
	}
	for _, r := range a.refundsOf(t) {
		switch {
		case !r.atHome():
		case t.foreign(r):
			back += r.abroad.amount
			billed += r.amount
		default:
			named += r.amount
		}
	}
	if back > 0 {
		named += t.foreignShare(back, billed)
	}
	return all + named, named
}

// named is the span of the active facts that name an amount.
func (a *Account) named(t *transaction) span {
	l := t.links
	if l.span.lastID != "" {
		return l.span
	}
	for _, c := range l.chargebacks {
		if c.active() && c.amount != 0 {
			l.span = l.span.include(c.at, c.id)
		}
	}
	for _, r := range a.refundsOf(t) {
		if r.atHome() {
			l.span = l.span.include(r.at, r.id)
		}
	}
	return l.span
}
