package event

import (
	"math/bits"

	"recoup/reward"
)

// member is one member of data, and the bit-wise union of several.
type member uint32

// The members of data.
const (
	transaction member = 1 << iota
	refund
	chargeback
	redemption
	adjustment
	amount
	currency
	merchant
	mcc
	category
	method
	reason
	actor
	approver
	program
	as
	proposal
	action
	about
	digest
	fact // the attribute that an event is about
	factName
	value
	from
	labels
	purchased
	expires
	items
	linkedBy
	merchantAmount
	merchantCurrency
)

// identifiers are the members that name something, and so come once or twice
// in a stream, unlike the others.
const identifiers = transaction | refund | chargeback | redemption | adjustment | as | proposal | about | fact

// facts are the members that an event keeps in Fact; no type has two of them.
const facts = refund | chargeback | redemption | adjustment | program | proposal | fact

// layouts has the members of data of each type, in the order in which they are
// written: first those that it must have, then those that it may have.
var layouts = [...]struct{ must, may []member }{
	reward.TransactionAuthorized: {must: purchase, may: purchaseTerms},
	reward.TransactionSettled:    {must: purchase, may: append(purchaseTerms[:len(purchaseTerms):len(purchaseTerms)], items, merchantAmount, merchantCurrency)},
	reward.TransactionCanceled:   {must: []member{transaction}},
	reward.TransactionReversed:   {must: []member{transaction}},
	reward.RefundPending:         {must: []member{refund, transaction, amount, currency}},
	reward.RefundPosted:          {must: []member{refund, amount, currency}, may: []member{transaction, merchant, mcc, category, labels, items, linkedBy, merchantAmount, merchantCurrency}},
	reward.RefundCanceled:        {must: []member{refund}},
	reward.RefundReversed:        {must: []member{refund}, may: []member{reason, actor, approver}},
	reward.ChargebackPosted:      {must: []member{chargeback, transaction}, may: []member{amount}},
	reward.ChargebackReversed:    {must: []member{chargeback}},
	reward.RedemptionRequested:   {must: []member{redemption, amount, currency}, may: []member{method}},
	reward.RedemptionReversed:    {must: []member{redemption}, may: []member{reason, actor, approver}},
	reward.RedemptionAuthorized:  {must: []member{redemption, amount, currency}, may: []member{expires, method}},
	reward.RedemptionCaptured:    {must: []member{redemption}, may: []member{amount}},
	reward.RedemptionReleased:    {must: []member{redemption}},
	reward.AdjustmentPosted:      {must: []member{adjustment, amount, currency, reason, actor}, may: []member{approver}},
	reward.CycleClosed:           {},
	reward.AccountClosed:         {},
	reward.AccountOpened:         {may: []member{program, reason, actor, approver}},
	reward.RefundLinked:          {must: []member{refund, transaction, reason, actor}, may: []member{approver}},
	reward.RefundDismissed:       {must: []member{refund, reason, actor}},
	reward.ChargebackDismissed:   {must: []member{chargeback, reason, actor}},
	reward.TransactionDismissed:  {must: []member{transaction, reason, actor}},
	reward.RedemptionDismissed:   {must: []member{redemption, reason, actor}},
	reward.AttributeDismissed:    {must: []member{fact, reason, actor}},
	reward.RefundCounted:         {must: []member{refund, as, reason, actor}, may: []member{approver}},
	reward.ProposalMade:          {must: []member{proposal, action, about, reason, actor}, may: []member{transaction, as, amount, currency, digest}},
	reward.ProposalRejected:      {must: []member{proposal, actor}, may: []member{reason}},
	reward.ProgramPublished:      {must: []member{program, digest, reason, actor, approver}},
	reward.AttributeSet:          {must: []member{fact, factName, value}, may: []member{from}},
	reward.AttributeWithdrawn:    {must: []member{fact}},
	reward.TransactionItemized:   {must: []member{transaction, items}},
}

var (
	purchase      = []member{transaction, amount, currency}
	purchaseTerms = []member{merchant, mcc, category, labels, purchased}
)

// musts and mays are the unions of the layouts' members.
var musts, mays = func() (musts, mays [len(layouts)]member) {
	for t, layout := range layouts {
		for _, m := range layout.must {
			musts[t] |= m
		}
		for _, m := range layout.may {
			mays[t] |= m
		}
	}
	return musts, mays
}()

// name returns the first member's name on the wire.
func (m member) name() string {
	return [...]string{
		"transaction", "refund", "chargeback", "redemption", "adjustment",
		"amount", "currency", "merchant", "mcc", "category", "method", "reason", "actor", "approver", "program", "as",
		"proposal", "action", "about", "digest", "attribute", "name", "value", "from", "labels", "purchased", "expires", "items", "linked_by", "merchant_amount", "merchant_currency",
	}[bits.TrailingZeros32(uint32(m))]
}

// memberNamed returns the member with the name, and 0 if no type has one of that
// name.
func memberNamed(name []byte) member {
	switch string(name) {
	case "transaction":
		return transaction
	case "refund":
		return refund
	case "chargeback":
		return chargeback
	case "redemption":
		return redemption
	case "adjustment":
		return adjustment
	case "amount":
		return amount
	case "currency":
		return currency
	case "merchant":
		return merchant
	case "mcc":
		return mcc
	case "category":
		return category
	case "method":
		return method
	case "reason":
		return reason
	case "actor":
		return actor
	case "approver":
		return approver
	case "program":
		return program
	case "as":
		return as
	case "proposal":
		return proposal
	case "action":
		return action
	case "about":
		return about
	case "digest":
		return digest
	case "attribute":
		return fact
	case "name":
		return factName
	case "value":
		return value
	case "from":
		return from
	case "labels":
		return labels
	case "purchased":
		return purchased
	case "expires":
		return expires
	case "items":
		return items
	case "linked_by":
		return linkedBy
	case "merchant_amount":
		return merchantAmount
	case "merchant_currency":
		return merchantCurrency
	}
	return 0
}

// checkMembers reports whether data with those members is complete for the
// type and has nothing that the type does not have.
func checkMembers(t reward.Type, have member, hasData bool) error {
	if more := have &^ (musts[t] | mays[t]); more != 0 {
		return fault("data."+more.name(), t.String()+" has no such member")
	}
	missing := musts[t] &^ have
	switch {
	case missing == 0:
		return nil
	case !hasData:
		return fault("data", "missing; "+t.String()+" must have it")
	}
	return fault("data."+missing.name(), "missing; "+t.String()+" must have it")
}

// textOf returns where the event keeps a member that is text, or nil for one
// that is not.
func textOf(m member, e *reward.Event) *string {
	switch m {
	case transaction:
		return &e.Transaction
	case refund, chargeback, redemption, adjustment, program, proposal, fact:
		return &e.Fact
	case currency:
		return &e.Currency
	case merchantCurrency:
		return &e.MerchantCurrency
	case merchant:
		return &e.Merchant
	case category, about, factName:
		return &e.Category
	case method, action, value:
		return &e.Method
	case reason:
		return &e.Reason
	case actor:
		return &e.Actor
	case approver:
		return &e.Approver
	case as:
		return &e.As
	case digest:
		return &e.Digest
	}
	return nil
}
