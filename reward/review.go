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
	// Contested: the fact was delivered again with other content, of which the
	// amount is what it said. The first delivery stands.
	Contested
	// CertainWithoutLink: an unlinked refund whose exact purchase was the only one
	// that its merchant and kind allow. There is nothing to doubt about it.
	CertainWithoutLink
	// ReversedBefore: the fact was delivered again after it was undone, or its undo
	// came first. It does not count.
	ReversedBefore
	// ForeignCurrency: a fact was refused since it is in another currency. It left
	// no trace on the account; services keep it.
	ForeignCurrency
	// HasCardNumber: an event has what may be the number of a card, and was kept apart
	// before the rules saw it. Services keep it.
	HasCardNumber
	// WaitsForAuthorization: a capture of a redemption that was not authorised.
	WaitsForAuthorization
	// DoubtedLink: a refund of which somebody guessed the purchase, which does not fit. The
	// amount was placed as if it named none.
	DoubtedLink
	// WaitsForAttribute: the withdrawal of an attribute that has not arrived.
	WaitsForAttribute
)

// LastReview is the last of the kinds, of which WaitsForTransaction is the first.
const LastReview = WaitsForAttribute

var reviewNames = [...]string{
	WaitsForTransaction: "waits_for_transaction", WaitsForFact: "waits_for_fact", FoundNoSpend: "unmatched",
	MatchedWithoutLink: "matched_without_link", OverRefunded: "over_refunded", Contested: "conflict",
	CertainWithoutLink: "matched_certain", ReversedBefore: "already_reversed", ForeignCurrency: "currency_mismatch",
	HasCardNumber: "card_number", WaitsForAuthorization: "waits_for_authorization", DoubtedLink: "link_doubted",
	WaitsForAttribute: "attribute_unknown",
}

// String returns the kind's name in lists.
func (k ReviewKind) String() string { return nameOf(reviewNames[:], int(k)) }

// Review is one thing that somebody may want to look into. Nothing that was
// delivered is dropped: what has had no effect, or a guessed one, is here.
type Review struct {
	Account     string
	Kind        ReviewKind
	Fact        string // the refund, chargeback, redemption or attribute, "" for a withdrawal or a purchase
	Transaction string
	Amount      int64   // minor units; zero where it is not known
	Since       Instant // its age is what has passed of the account's time
}

// Reviews lists what is open on the account, the oldest first.
func (a *Account) Reviews() []Review {
	a.readAll()
	var list []Review
	for _, r := range a.refunds {
		list = a.judged(r, r.reviews(list))
	}
	for _, c := range a.chargebacks {
		list = c.reviews(list)
	}
	for _, r := range a.redemptions {
		list = r.reviews(list)
	}
	for _, x := range a.attributes {
		list = x.reviews(list)
	}
	for t := range a.transactions.all() {
		list = t.reviews(list)
	}
	for i := range list {
		list[i].Account = a.id
	}
	slices.SortFunc(list, func(x, y Review) int {
		return cmp.Or(cmp.Compare(x.Since, y.Since), cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Fact, y.Fact), cmp.Compare(x.Transaction, y.Transaction))
	})
	return list
}

// reviews appends what is open on a refund.
func (r *refund) reviews(list []Review) []Review {
	add := func(k ReviewKind, amount int64, since Instant) {
		v := Review{Kind: k, Fact: r.id, Amount: amount, Since: since}
		if r.transaction != nil {
			v.Transaction = r.transaction.id
		}
		list = append(list, v)
	}
	for _, x := range r.refusals {
		if x.done {
			continue
		}
		kind := Contested
		if x.code == AlreadyReversed {
			kind = ReversedBefore
		}
		add(kind, x.amount, x.arrived)
	}
	switch {
	case r.dismissed:
	case !r.posted && (r.annulled || r.canceled && !r.pending):
		add(WaitsForFact, 0, r.heard)
	case !r.active():
	case r.unlinked:
		if r.rest > 0 {
			add(FoundNoSpend, r.rest, r.arrived)
		}
		switch placed := r.amount - r.rest; {
		case placed == 0:
		case r.doubted:
			add(DoubtedLink, placed, r.arrived)
		default:
			add(MatchedWithoutLink, placed, r.arrived)
		}
	case !r.transaction.is(posted):
		add(WaitsForTransaction, r.amount, r.arrived)
	}
	return list
}

// judged tells a refund that was placed without a link apart where there is
// nothing to doubt: all of it lies on a purchase of that amount, the only one in
// its window of its merchant and kind.
func (a *Account) judged(r *refund, list []Review) []Review {
	n := len(list)
	if n == 0 || list[n-1].Kind != MatchedWithoutLink || list[n-1].Fact != r.id || r.rest > 0 {
		return list
	}
	if a.certain(r) {
		list[n-1].Kind = CertainWithoutLink
	}
	return list
}

func (a *Account) certain(r *refund) bool {
	on := r.lies()
	if on == nil || r.merchant == "" {
		return false
	}
	c := a.claimOf(r, r.amount)
	if c.kind == "" || on.merchant != c.merchant || a.kindOf(on) != c.kind || on.amount-on.reversed() > 0 || r.amount != on.reversed()-on.atHome() {
		return false
	}
	return !a.another(c, on)
}

// lies returns the purchase that all the placed money of an unlinked refund lies on
// now, nil if it lies on several or on none. Of a firm refund that is what did not have
// to give way, and what did where it went.
func (r *refund) lies() (on *transaction) {
	for _, p := range r.firmPlaces {
		for _, f := range p.on.links.firm {
			switch {
			case f.of != r || f.placed == 0:
			case on != nil && on != p.on:
				return nil
			default:
				on = p.on
			}
		}
	}
	for _, p := range r.places {
		if on != nil && on != p.on {
			return nil
		}
		on = p.on
	}
	return on
}

// reviews appends the deliveries beside a fact, as things to look into.
func (c contests) reviews(list []Review, fact, transaction string) []Review {
	for _, x := range c {
		kind := Contested
		if x.undone {
			kind = ReversedBefore
		}
		list = append(list, Review{Kind: kind, Fact: fact, Transaction: transaction, Amount: x.amount, Since: x.at})
	}
	return list
}

// reviews appends what is open on a chargeback.
func (c *chargeback) reviews(list []Review) []Review {
	named := ""
	if c.transaction != nil {
		named = c.transaction.id
	}
	list = c.contests.reviews(list, c.id, named)
	switch {
	case c.dismissed:
	case c.annulled && !c.posted:
		list = append(list, Review{Kind: WaitsForFact, Fact: c.id, Since: c.arrived})
	case c.active() && !c.transaction.is(posted):
		list = append(list, Review{Kind: WaitsForTransaction, Fact: c.id, Transaction: c.transaction.id, Amount: c.amount, Since: c.arrived})
	}
	return list
}

// reviews appends what is open on a redemption.
func (r *redemption) reviews(list []Review) []Review {
	if r.phase == awaited && !r.dismissed {
		list = append(list, Review{Kind: WaitsForAuthorization, Fact: r.id, Amount: r.authorised, Since: r.heard})
	}
	return list
}

// reviews appends what is open on an attribute.
func (x *attribute) reviews(list []Review) []Review {
	if x.heard != 0 && !x.dismissed {
		list = append(list, Review{Kind: WaitsForAttribute, Fact: x.id, Since: x.heard})
	}
	return list
}

// reviews appends what is open on a transaction itself.
func (t *transaction) reviews(list []Review) []Review {
	if t.links != nil {
		list = t.links.contests.reviews(list, "", t.id)
	}
	if t.awaitsPosting() && !t.is(dismissed) {
		p := t.more.parcel
		list = append(list, Review{Kind: WaitsForTransaction, Transaction: t.id, Amount: p.sent.total(), Since: p.arrived})
	}
	switch {
	case t.is(dismissed):
	case t.is(withdrawn) && !t.is(posted):
		list = append(list, Review{Kind: WaitsForTransaction, Transaction: t.id, Since: t.links.withdrawnAt})
	case t.is(posted) && t.home > t.amount:
		list = append(list, Review{Kind: OverRefunded, Transaction: t.id, Amount: t.home - t.amount, Since: t.postedAt})
	}
	return list
}

// ReviewsOf lists what an event that was just applied has opened: what is open on
// the refund, chargeback, redemption, attribute or purchase that it is about, if the event's result says
// that it did not simply go through.
func (a *Account) ReviewsOf(e *Event, r Result) []Review {
	switch r.Outcome {
	case Applied, Parked:
		if r.Code == NoCode {
			return nil
		}
	case Rejected:
		if r.Code != TransactionConflict && r.Code != RefundConflict && r.Code != ChargebackConflict && r.Code != ItemsConflict {
			return nil
		}
	case Ignored:
		if r.Code != AlreadyReversed {
			return nil
		}
	default:
		return nil
	}
	var list []Review
	if kind, ok := PartOf(e.Type); ok {
		list = a.ReviewsIn(kind, e.Fact)
	}
	return append(list, a.ReviewsIn(TransactionPart, e.Transaction)...)
}

// ReviewsIn lists what is open on one refund, chargeback, redemption, attribute or transaction.
func (a *Account) ReviewsIn(kind PartKind, id string) (list []Review) {
	switch kind {
	case RefundPart:
		if r := a.lookupRefund(id); r != nil {
			list = a.judged(r, r.reviews(nil))
		}
	case ChargebackPart:
		if c := a.lookupChargeback(id); c != nil {
			list = c.reviews(nil)
		}
	case RedemptionPart:
		if r := a.findRedemption(id); r != nil {
			list = r.reviews(nil)
		}
	case AttributePart:
		if x := a.attribute(id); x != nil {
			list = x.reviews(nil)
		}
	case TransactionPart:
		if t, _ := a.lookup(id); t != nil {
			list = t.reviews(nil)
		}
	}
	for i := range list {
		list[i].Account = a.id
	}
	return list
}

// since is since when the first of a list is open; zero if it is empty.
func since(list []Review) (first Instant) {
	for _, v := range list {
		if first == 0 || v.Since < first {
			first = v.Since
		}
	}
	return first
}
