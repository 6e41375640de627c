package reward

// Type says what an event reports. The names are those of the wire.
type Type uint8

// The types of events.
const (
	TransactionAuthorized Type = iota + 1
	TransactionSettled
	TransactionCanceled
	TransactionReversed
	RefundPending
	RefundPosted
	RefundCanceled
	RefundReversed
	ChargebackPosted
	ChargebackReversed
	RedemptionRequested
	RedemptionReversed
	AdjustmentPosted
	CycleClosed
	AccountClosed
	AccountOpened
	RefundLinked
	RefundDismissed
	ChargebackDismissed
	TransactionDismissed
	RefundCounted
	ProposalMade
	ProposalRejected
	ProgramPublished
	RedemptionAuthorized
	RedemptionCaptured
	RedemptionReleased
	RedemptionDismissed
	AttributeSet
	AttributeWithdrawn
	TransactionItemized
	AttributeDismissed
)

var typeNames = [...]string{
	TransactionAuthorized: "transaction.authorized",
	TransactionSettled:    "transaction.settled",
	TransactionCanceled:   "transaction.canceled",
	TransactionReversed:   "transaction.reversed",
	RefundPending:         "refund.pending",
	RefundPosted:          "refund.posted",
	RefundCanceled:        "refund.canceled",
	RefundReversed:        "refund.reversed",
	ChargebackPosted:      "chargeback.posted",
	ChargebackReversed:    "chargeback.reversed",
	RedemptionRequested:   "redemption.requested",
	RedemptionReversed:    "redemption.reversed",
	AdjustmentPosted:      "adjustment.posted",
	CycleClosed:           "cycle.closed",
	AccountClosed:         "account.closed",
	AccountOpened:         "account.opened",
	RefundLinked:          "refund.linked",
	RefundDismissed:       "refund.dismissed",
	ChargebackDismissed:   "chargeback.dismissed",
	TransactionDismissed:  "transaction.dismissed",
	RefundCounted:         "refund.counted",
	ProposalMade:          "proposal.made",
	ProposalRejected:      "proposal.rejected",
	ProgramPublished:      "program.published",
	RedemptionAuthorized:  "redemption.authorized",
	RedemptionCaptured:    "redemption.captured",
	RedemptionReleased:    "redemption.released",
	RedemptionDismissed:   "redemption.dismissed",
	AttributeSet:          "attribute.set",
	AttributeWithdrawn:    "attribute.withdrawn",
	TransactionItemized:   "transaction.itemized",
	AttributeDismissed:    "attribute.dismissed",
}

// String returns the type's name on the wire.
func (t Type) String() string {
	if t == 0 || int(t) >= len(typeNames) {
		return "unknown"
	}
	return typeNames[t]
}

// ParseType returns the type with that name on the wire.
func ParseType(name string) (Type, bool) {
	for t, n := range typeNames {
		if n == name && n != "" {
			return Type(t), true
		}
	}
	return 0, false
}

// OnRecord reports whether events of the type are only there to be in the log: what
// people proposed and decided. They change nothing of an account, not even its time, and
// are the ledger's own: no sender may deliver them.
func (t Type) OnRecord() bool {
	return t == ProposalMade || t == ProposalRejected || t == ProgramPublished
}

// Event is one fact as it was delivered. Members that the type does not use
// are zero.
type Event struct {
	// Source and ID name the event within its account.
	Source, ID string
	Account    string
	Time       Instant
	Type       Type
	// HasAmount is false where the wire had no Amount (a chargeback of the whole amount,
	// a capture of all that was authorised).
	HasAmount bool
	MCC       MCC // see Merchant; what is small stands together
	// LinkedBy is who says that a refund.posted is of its Transaction.
	LinkedBy LinkedBy

	// Transaction is the purchase that the event is about: of every
	// transaction.* event, of refund.pending and chargeback.posted, and, if the
	// sender knows it, of refund.posted.
	Transaction string
	// Fact is the id of the refund, chargeback, redemption, adjustment, attribute or
	// proposal, or of the program that an account.opened or program.published names.
	Fact string
	// As is the id under which a refund.counted has what was refused under Fact
	// count after all, as a refund of its own.
	As string

	// Amount is in minor units. Only an adjustment's may be negative.
	Amount   int64
	Currency string

	// MerchantAmount and MerchantCurrency are what a transaction.settled or refund.posted
	// is of in the currency of the merchant; zero where left out.
	MerchantAmount   int64
	MerchantCurrency string

	// Merchant, MCC and Category are as sent; zero where left out. Category is what a
	// proposal.made is about: the id of an adjustment, refund or program; of an
	// attribute.set it is the attribute's name.
	Merchant string
	Category string

	// Expires is when the authorisation of a redemption ends by itself; zero where that
	// was left out: seven days from its time.
	Expires Instant

	// Labels of a purchase are texts by name. Purchased is when it was made, where
	// that is not when the event happened; of an attribute.set, since when it holds.
	// Zero was left out.
	Labels    Labels
	Purchased Instant

	// Items are the lines of a purchase's receipt, or those that a refund is of; ""
	// where it has no list.
	Items Items

	// Method is how a redemption is paid out, the type of the event that a
	// proposal.made is to become, or the value of an attribute.set; Reason and Actor explain what
	// somebody decided by hand: an adjustment, or what became of a review.
	// Approver is who agreed to an adjustment besides the actor, "" for nobody.
	Method, Reason, Actor, Approver string

	// Digest is that of the terms of a program, and from when on they are to be in
	// force, which are published or proposed.
	Digest string
}

// MCC is an ISO 18245 merchant category code plus one, so that zero is none.
type MCC uint16

// ParseMCC reads a code, which is exactly four digits.
func ParseMCC(s string) (MCC, bool) {
	if len(s) != 4 {
		return 0, false
	}
	var n MCC
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + MCC(s[i]-'0')
	}
	return n + 1, true
}

// String returns the four digits, or "" for none.
func (m MCC) String() string {
	if m == 0 {
		return ""
	}
	n := m - 1
	return string([]byte{'0' + byte(n/1000), '0' + byte(n/100%10), '0' + byte(n/10%10), '0' + byte(n%10)})
}
