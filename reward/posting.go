package reward

// Kind is the reason of a posting.
type Kind uint8

// The kinds of postings.
const (
	// Grant: a purchase earned its reward.
	Grant Kind = iota + 1
	// Clawback: a reversal took reward back.
	Clawback
	// Restore: a reversal was undone and its reward came back.
	Restore
	// Reallocation: the reward of one purchase moved because of another's
	// change: cap room that was freed or taken, a refund that found its place.
	Reallocation
	// RedemptionPaid: rewards were paid out.
	RedemptionPaid
	// RedemptionReturned: a payout came back.
	RedemptionReturned
	// Adjustment: somebody changed the balance by hand.
	Adjustment
	// Expiry: rewards that nobody used in time are gone.
	Expiry
	// ExpiryRestored: of rewards that had expired some were used in time after all, or
	// their purchase came back.
	ExpiryRestored
)

var kindNames = [...]string{
	Grant: "grant", Clawback: "clawback", Restore: "restore", Reallocation: "reallocation",
	RedemptionPaid: "redemption", RedemptionReturned: "redemption_reversal", Adjustment: "adjustment",
	Expiry: "expiry", ExpiryRestored: "expiry_restored",
}

// String returns the kind's name in journals.
func (k Kind) String() string { return nameOf(kindNames[:], int(k)) }

// Posting is one change of an account's balance, with its reason. Amounts are
// in minor units; Amount is never zero and is negative where the balance falls.
type Posting struct {
	Account string
	// Number counts the account's postings from one.
	Number int64
	At     Instant
	// Cycle is the billing cycle on whose statement the posting is. What a close
	// posts is on the statement that it closes.
	Cycle Cycle
	Kind  Kind
	// Source and Event name the event that caused the posting.
	Source, Event string
	// Transaction is the purchase whose reward changed; Fact the redemption or
	// adjustment otherwise.
	Transaction, Fact string
	// Item is the item of the transaction whose reward it is, "" for the whole.
	Item string
	// Program and Version are what the posting was made under, Rule the
	// purchase's, or the bonus. Layer and Period are the rule's under terms that are
	// not plain, "" otherwise; of an expiry Period is the cycle whose
	// rewards these are.
	Program, Rule string
	Layer, Period string
	Version       int32
	// Reason, Actor and Approver are those of what somebody decided by hand.
	Reason, Actor, Approver string

	Amount  int64
	Balance int64 // after the posting
	// Formula has the numbers that the amount follows from.
	Formula Formula
}

// Formula has the numbers behind a change of a purchase's reward.
type Formula struct {
	Method   ClawbackMethod
	Purchase int64 // the purchase's amount
	Reversed int64 // what of it is reversed now
	Base     int64 // the amount that the original reward was computed on
	Original int64 // the reward as it was granted
	Before   int64 // retained before the posting
	After    int64 // retained after it
	Rate     Rate
	Cap      int64 // NoCap where there is none
	Used     int64 // of the cap after the posting

	// Under terms that are not plain: the rate where it is a fraction, and what
	// counts in the period, spend and purchases.
	Exact     Fraction
	Spend     int64
	Purchases int64
}
