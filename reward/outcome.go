package reward

// Outcome is what became of an event.
type Outcome uint8

// The outcomes.
const (
	// Applied: the event changed the account.
	Applied Outcome = iota + 1
	// Duplicate: the same event or the same business fact was there already.
	Duplicate
	// Parked: kept until what it refers to arrives.
	Parked
	// Ignored: stale; what it would change is already final.
	Ignored
	// Rejected: refused by a rule; the code says which.
	Rejected
)

var outcomeNames = [...]string{Applied: "applied", Duplicate: "duplicate", Parked: "parked", Ignored: "ignored", Rejected: "rejected"}

// String returns the outcome's name on the wire.
func (o Outcome) String() string { return nameOf(outcomeNames[:], int(o)) }

// Code says more about an outcome; NoCode where there is nothing to add.
type Code uint8

// The codes.
const (
	NoCode Code = iota
	OverRefund
	Matched
	Unmatched
	TransactionUnknown
	AlreadyFinal
	AlreadyReversed
	InvalidAmount
	CurrencyMismatch
	IDReused
	TransactionConflict
	RefundConflict
	ChargebackConflict
	RedemptionConflict
	AdjustmentConflict
	RefundUnknown
	ChargebackUnknown
	RedemptionUnknown
	AccountIsClosed
	GraceHold
	InsufficientBalance
	OutstandingNegativeBalance
	// LimitExceeded: the event would take the account past MaxVolume.
	LimitExceeded
	// ProgramUnknown: an account cannot be opened under a program that is not
	// there.
	ProgramUnknown
	// ProgramConflict: the account belongs to another program already.
	ProgramConflict
	// InvalidTime: an authorisation would end before it begins, or too late, or a purchase
	// be made after it was reported.
	InvalidTime
	// OverCapture: a capture is of more than was authorised.
	OverCapture
	// AuthorizationExpired, AuthorizationReleased: what was authorised is not reserved
	// any more.
	AuthorizationExpired
	AuthorizationReleased
	// AuthorizationLimit: MaxReservations are open.
	AuthorizationLimit
	AttributeConflict
	AttributeUnknown
	// InvalidItems: a list of items is none that a purchase or refund of the amount can
	// have.
	InvalidItems
	// ItemsConflict: the purchase has other items, or another amount than theirs.
	ItemsConflict
	codes // how many there are: one without a name is seen
)

var codeNames = [codes]string{
	NoCode:                     "",
	OverRefund:                 "over_refund",
	Matched:                    "matched",
	Unmatched:                  "unmatched",
	TransactionUnknown:         "transaction_unknown",
	AlreadyFinal:               "already_final",
	AlreadyReversed:            "already_reversed",
	InvalidAmount:              "invalid_amount",
	CurrencyMismatch:           "currency_mismatch",
	IDReused:                   "id_reused",
	TransactionConflict:        "transaction_conflict",
	RefundConflict:             "refund_conflict",
	ChargebackConflict:         "chargeback_conflict",
	RedemptionConflict:         "redemption_conflict",
	AdjustmentConflict:         "adjustment_conflict",
	RefundUnknown:              "refund_unknown",
	ChargebackUnknown:          "chargeback_unknown",
	RedemptionUnknown:          "redemption_unknown",
	AccountIsClosed:            "account_closed",
	GraceHold:                  "grace_hold",
	InsufficientBalance:        "insufficient_balance",
	OutstandingNegativeBalance: "outstanding_negative_balance",
	LimitExceeded:              "limit_exceeded",
	ProgramUnknown:             "program_unknown",
	ProgramConflict:            "program_conflict",
	InvalidTime:                "invalid_time",
	OverCapture:                "over_capture",
	AuthorizationExpired:       "authorization_expired",
	AuthorizationReleased:      "authorization_released",
	AuthorizationLimit:         "authorization_limit",
	AttributeConflict:          "attribute_conflict",
	AttributeUnknown:           "attribute_unknown",
	InvalidItems:               "invalid_items",
	ItemsConflict:              "items_conflict",
}

// String returns the code's name on the wire, "" for NoCode.
func (c Code) String() string { return nameOf(codeNames[:], int(c)) }

// Result is the answer to one event.
type Result struct {
	Outcome Outcome
	Code    Code
}

// LeavesNoTrace reports whether the event is to be forgotten altogether, as if
// it had never been delivered: bad input must not use up its identity.
func (r Result) LeavesNoTrace() bool {
	return r.Outcome == Rejected && (r.Code == InvalidAmount || r.Code == CurrencyMismatch || r.Code == InvalidTime || r.Code == InvalidItems || r.Code == ProgramUnknown)
}

// nameOf indexes a table of names; values outside it have no name.
func nameOf(names []string, i int) string {
	if i < 0 || i >= len(names) {
		return "unknown"
	}
	return names[i]
}
