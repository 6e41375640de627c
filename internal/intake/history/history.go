// Package history is what an audit knows of an account: the rows of a program's
// exports in one form, whatever the export looked like.
package history

import (
	"cmp"
	"slices"

	"recoup/reward"
)

// Kind is what a row records.
type Kind uint8

// The kinds, in the order in which rows of one moment are read.
const (
	// Purchase is a settled transaction.
	Purchase Kind = iota + 1
	// Refund and Chargeback take a purchase back, in part or whole.
	Refund
	Chargeback
	// RefundReversed and ChargebackReversed say that the refund or chargeback of
	// that ID did not stand: it bounced, the dispute was lost.
	RefundReversed
	ChargebackReversed
	// Reward is a change of the reward balance by the program's rules: granted
	// above zero, taken back below.
	Reward
	// Adjustment is a change of the reward balance by hand: no reward by the rules.
	Adjustment
	// Redemption takes rewards out, above zero; below zero it puts them back.
	Redemption
)

// Returns reports whether rows of the kind take a purchase back.
func (k Kind) Returns() bool { return k == Refund || k == Chargeback }

// String returns the kind as exports without a mapping of their own write it.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}

var kindNames = [...]string{
	Purchase: "purchase", Refund: "refund", Chargeback: "chargeback", RefundReversed: "refund_reversed",
	ChargebackReversed: "chargeback_reversed", Reward: "reward", Adjustment: "adjustment", Redemption: "redemption",
}

// Row is one row of an export. Amounts are in minor units of the program's
// currency, never zero, at most reward.MaxAmount either way; only Reward,
// Adjustment and Redemption may be below zero.
type Row struct {
	Kind    Kind
	Account string
	// ID names the purchase, refund or chargeback. The others have none.
	ID string
	// Transaction is the purchase that a refund, chargeback or reward names; empty
	// if it names none.
	Transaction string
	Amount      int64
	At          reward.Instant // when it posted
	// Merchant, MCC and Category are of a purchase, and of a refund that says them.
	Merchant string
	MCC      reward.MCC
	Category string
}

// History is one account's rows in the order of Sort.
type History struct {
	Account string
	Rows    []Row
}

// Sort puts rows in order of time; of one moment in the order of the kinds, and
// of one kind as they were.
func Sort(rows []Row) {
	slices.SortStableFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Kind, b.Kind))
	})
}
