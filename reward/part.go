package reward

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
)

// Part is one record of an account besides its head, as a store keeps it. What
// stores select by is in members; the rest is Data, which only this package
// reads.
type Part struct {
	Kind PartKind
	ID   string
	Data []byte
	// Working parts are those that an event may touch without naming them: what
	// matures, waits for its close, or lies on a list. An account is opened with
	// all of them at hand.
	Working bool
	// Bucket is set for a transaction whose reward depends on the others of its
	// bucket (under Rerate, with a cap); such a bucket is read whole.
	Bucket int64
	// Settled is the settlement time of a posted transaction, otherwise zero.
	Settled Instant
	// ReviewSince is since when the part is on the review list; zero: it is not.
	ReviewSince Instant
}

// PartKind says what a part is.
type PartKind uint8

// The kinds of parts.
const (
	TransactionPart PartKind = iota + 1
	RefundPart
	ChargebackPart
	RedemptionPart
	AdjustmentPart
	// BucketPart is a bucket of a cycle that is over; those of the open one are in the
	// head. Under terms that are not plain it is a basket, a rung of one's order, or the
	// account's attributes; where rewards expire it is what has.
	BucketPart
	// AttributePart is an attribute that was withdrawn before it came, as long as nothing
	// else is known of it. What attributes say is in a BucketPart, all together.
	AttributePart
)

// LastPart is the last of the kinds, of which TransactionPart is the first.
const LastPart = AttributePart

var partNames = [...]string{
	0: "head", TransactionPart: "transaction", RefundPart: "refund", ChargebackPart: "chargeback",
	RedemptionPart: "redemption", AdjustmentPart: "adjustment", BucketPart: "bucket",
	AttributePart: "attribute",
}

// String returns the kind's name.
func (k PartKind) String() string { return nameOf(partNames[:], int(k)) }

// Changes calls f with every part that changed since the account was opened or
// Changes was last called, each once. Only an account on a shelf has any.
func (a *Account) Changes(f func(Part)) {
	k := a.kept
	for _, t := range k.transactions {
		t.clear(handed)
		f(a.transactionPart(t))
	}
	for _, r := range k.refunds {
		r.handed = false
		f(a.refundPart(r))
	}
	for _, c := range k.chargebacks {
		c.handed = false
		f(a.chargebackPart(c))
	}
	for _, b := range k.buckets {
		b.handed = false
		f(bucketPart(b))
	}
	for _, b := range k.baskets {
		b.handed = false
		f(basketPart(b))
	}
	if a.lots != nil && a.lots.past != nil && a.lots.past.handed {
		a.lots.past.handed = false
		f(a.pastPart())
	}
	for _, x := range k.rungs {
		x.rung.handed = false
		f(x.basket.rungPart(x.rung))
	}
	if k.attributes {
		f(a.attributesPart())
	}
	slices.SortFunc(k.facts, func(x, y fact) int { return cmp.Or(cmp.Compare(x.kind, y.kind), cmp.Compare(x.id, y.id)) })
	for _, x := range slices.Compact(k.facts) {
		f(a.factPart(x))
	}
	*k = kept{
		account: k.account, shelf: k.shelf, transactions: k.transactions[:0], refunds: k.refunds[:0], chargebacks: k.chargebacks[:0],
		buckets: k.buckets[:0], baskets: k.baskets[:0], rungs: k.rungs[:0], facts: k.facts[:0],
	}
}

// Parts yields every part of an account that is all at hand, in no order.
func (a *Account) Parts() iter.Seq[Part] {
	return func(yield func(Part) bool) {
		for t := range a.transactions.all() {
			if !yield(a.transactionPart(t)) {
				return
			}
		}
		for _, r := range a.refunds {
			if !yield(a.refundPart(r)) {
				return
			}
		}
		for _, c := range a.chargebacks {
			if !yield(a.chargebackPart(c)) {
				return
			}
		}
		for id := range a.redemptions {
			if !yield(a.factPart(fact{RedemptionPart, id})) {
				return
			}
		}
		for id := range a.corrections {
			if !yield(a.factPart(fact{AdjustmentPart, id})) {
				return
			}
		}
		for b := range a.buckets() {
			if b.cycle < a.cycle && !yield(bucketPart(b)) {
				return
			}
		}
		for _, b := range a.baskets {
			if !yield(basketPart(b)) {
				return
			}
			if b.order != nil && !b.order.top.each(func(r *rung) bool { return yield(b.rungPart(r)) }) {
				return
			}
		}
		if a.lots != nil && a.lots.past != nil && a.lots.past.written && !yield(a.pastPart()) {
			return
		}
		if a.attributes != nil {
			if !yield(a.attributesPart()) {
				return
			}
			for _, x := range a.attributes {
				if x.unheard && !yield(a.factPart(fact{AttributePart, x.id})) {
					return
				}
			}
		}
	}
}

// AtHand is how many parts the account has at hand, a measure of its memory.
func (a *Account) AtHand() int {
	return a.transactions.used + len(a.refunds) + len(a.chargebacks) + len(a.redemptions) + len(a.corrections)
}

// rules is more than a program has.
const rules = 1 << 16

// code names a bucket within its account in a number above zero.
func (b *bucket) code() int64 { return int64(b.cycle)*rules + int64(b.number) + 1 }

// bucketID names the bucket of a rule, by its index, in a cycle.
func bucketID(rule int32, cycle Cycle) string { return cycle.String() + "/" + strconv.Itoa(int(rule)) }

// PartOf returns the kind of part that events of a type name by their Fact; ok is
// false where they name none.
func PartOf(t Type) (kind PartKind, ok bool) {
	switch t {
	case RefundPending, RefundPosted, RefundCanceled, RefundReversed, RefundLinked, RefundDismissed, RefundCounted:
		return RefundPart, true
	case ChargebackPosted, ChargebackReversed, ChargebackDismissed:
		return ChargebackPart, true
	case RedemptionRequested, RedemptionReversed, RedemptionAuthorized, RedemptionCaptured, RedemptionReleased, RedemptionDismissed:
		return RedemptionPart, true
	case AdjustmentPosted:
		return AdjustmentPart, true
	case AttributeSet, AttributeWithdrawn, AttributeDismissed:
		return AttributePart, true
	}
	return 0, false
}

// Has reports whether a part is at hand.
func (a *Account) Has(kind PartKind, id string) (there bool) {
	switch kind {
	case TransactionPart:
		t, _ := a.transactions.find(id)
		return t != nil
	case RefundPart:
		_, there = a.refunds[id]
	case ChargebackPart:
		_, there = a.chargebacks[id]
	case RedemptionPart:
		_, there = a.redemptions[id]
	case AdjustmentPart:
		_, there = a.corrections[id]
	case AttributePart: // all attributes are at hand with the account
		there = true
	}
	return there
}
