package reward

import (
	"cmp"
	"slices"
)

// ReviewKind is why something is on the review list.
type ReviewKind uint8

// The kinds of reviews.
const (
	// WaitsForTransaction: a reversal of a purchase that has not posted.
	WaitsForTransaction ReviewKind = iota + 1
	// WaitsForFact: an undo of a refund or chargeback that has not arrived.
	WaitsForFact
	// FoundNoSpend: an unlinked refund, of which the amount is unmatched.
	FoundNoSpend
	// MatchedWithoutLink: an unlinked refund, of which the amount was placed.
	MatchedWithoutLink
	// OverRefunded: a purchase, which facts exceed by the amount.
	OverRefunded
)

var reviewNames = [...]string{
	WaitsForTransaction: "waits_for_transaction", WaitsForFact: "waits_for_fact", FoundNoSpend: "unmatched",
	MatchedWithoutLink: "matched_without_link", OverRefunded: "over_refunded",
}

// String returns the kind's name in lists.
func (k ReviewKind) String() string { return nameOf(reviewNames[:], int(k)) }

// Review is one thing that somebody may want to look into. Nothing that was
// delivered is dropped: what has had no effect, or a guessed one, is here.
type Review struct {
	Account     string
	Kind        ReviewKind
	Fact        string // the refund or chargeback, "" for a withdrawal or a purchase
	Transaction string
	Amount      int64   // minor units; zero where it is not known
	Since       Instant // its age is what has passed of the account's time
}

// Reviews lists what is open on the account, the oldest first.
func (a *Account) Reviews() []Review {
	var list []Review
	add := func(k ReviewKind, fact string, t *transaction, amount int64, since Instant) {
		r := Review{Account: a.id, Kind: k, Fact: fact, Amount: amount, Since: since}
		if t != nil {
			r.Transaction = t.id
		}
		list = append(list, r)
	}
	for _, r := range a.refunds {
		switch {
		case r.annulled && !r.posted && !r.pending:
			add(WaitsForFact, r.id, nil, 0, r.heard)
		case r.canceled && !r.posted && !r.pending:
			add(WaitsForFact, r.id, nil, 0, r.heard)
		case !r.active():
		case r.unlinked:
			if r.rest > 0 {
				add(FoundNoSpend, r.id, r.transaction, r.rest, r.arrived)
			}
			if r.rest < r.amount {
				add(MatchedWithoutLink, r.id, r.transaction, r.amount-r.rest, r.arrived)
			}
		case !r.transaction.is(posted):
			add(WaitsForTransaction, r.id, r.transaction, r.amount, r.arrived)
		}
	}
	for _, c := range a.chargebacks {
		switch {
		case c.annulled && !c.posted:
			add(WaitsForFact, c.id, nil, 0, c.arrived)
		case c.active() && !c.transaction.is(posted):
			add(WaitsForTransaction, c.id, c.transaction, c.amount, c.arrived)
		}
	}
	for t := range a.transactions.all() {
		switch {
		case t.is(withdrawn) && !t.is(posted):
			add(WaitsForTransaction, "", t, 0, t.links.withdrawnAt)
		case t.is(posted) && t.home > t.amount:
			add(OverRefunded, "", t, t.home-t.amount, t.postedAt)
		}
	}
	slices.SortFunc(list, func(x, y Review) int {
		return cmp.Or(cmp.Compare(x.Since, y.Since), cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Fact, y.Fact), cmp.Compare(x.Transaction, y.Transaction))
	})
	return list
}
