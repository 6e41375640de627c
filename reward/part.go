package reward

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
	BucketPart // of a cycle that is over; those of the open one are in the head
)
