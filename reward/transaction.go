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
	// merchant is the effective one; category and mcc are as the settlement
	// sent them (as the authorisation did, until it posts).
	merchant, category string

	amount    int64   // settled amount; authorised amount until it posts
	settledAt Instant // event time of the settlement
	postedAt  Instant // the account's time when it posted

	home   int64 // active facts linked here, of a posted transaction
	placed int64 // unlinked money and excess of others placed here

	base     int64 // amount that the original reward was computed on
	original int64 // R_orig: set once by the grant
	retained int64 // R: what is still granted
	levelled int64 // reversed amount that retained reflects

	pending int64 // announced refunds that still hold
	risk    int64 // retained reward that is about to be clawed back
	held    int64 // risk, or all that is retained while immature

	links  *links  // facts that name this transaction; nil while there are none
	bucket *bucket // nil where it earns nothing

	order int32 // posting order in the account, from 1
	cycle Cycle
	rule  int32 // index in the rules of its program version, or NoRule
	mcc   MCC
	flags txFlags
}

// txFlags are the yes-or-no facts of a transaction.
type txFlags uint16

const (
	authorised txFlags = 1 << iota
	canceled
	posted
	granted
	// inherited: the settlement named no merchant and the authorisation's stands.
	inherited
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
	// noted: it has changed since it was last written down.
	noted
	// listed: it is among those that unlinked money may be placed on.
	listed
)

func (t *transaction) is(f txFlags) bool { return t.flags&f != 0 }
func (t *transaction) set(f txFlags)     { t.flags |= f }
func (t *transaction) clear(f txFlags)   { t.flags &^= f }

// links are the facts that name a transaction, and the firm refunds placed on it.
type links struct {
	refunds     []*refund
	chargebacks []*chargeback
	refunded    int64      // Σ active refunds at home here, once it posted
	disputes    int        // active chargebacks
	withdrawnAt Instant    // the account's time when the withdrawal arrived
	firm        []firmPart // by refund: event time, then id
	firmPlaced  int64
	contest     contest
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
func (t *transaction) reversed() int64 { return t.atHome() + t.placed }

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

// open is what home and firm parts leave for unlinked money.
func (t *transaction) open() int64 { return t.amount - t.atHome() - t.firmPlaced() }

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
	case t.reversed() == 0:
		return Settled
	case t.net() > 0:
		return PartRefunded
	}
	return Refunded
}

// facts adds up the active facts that name the transaction, of which the second
// result is refunds. A withdrawal and a chargeback without an amount count as
// the whole purchase.
func (t *transaction) facts() (all, refunds int64) {
	if t.is(withdrawn) {
		all = t.amount
	}
	if t.links == nil {
		return all, 0
	}
	for _, c := range t.links.chargebacks {
		if c.active() {
			all += c.takes(t)
		}
	}
	for _, r := range t.links.refunds {
		if r.atHome() {
			refunds += r.amount
		}
	}
	return all + refunds, refunds
}
