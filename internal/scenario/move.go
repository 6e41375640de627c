package scenario

import (
	"time"

	"recoup/reward"
)

// Kind is what a move does.
type Kind uint8

// The kinds of moves, in the order of the port's calls.
const (
	Settle Kind = iota + 1
	Refund
	Chargeback
	Redeem
	CloseStatement
	Authorize
	Cancel
	Withdraw
	UndoRefund
	UndoChargeback
	Announce
	CancelRefund
	CloseAccount
	Wait
	CountRefund
	SetAttribute
	WithdrawAttribute
	Itemize
)

// String returns the words that begin the move in a file.
func (k Kind) String() string {
	for _, f := range forms {
		if f.kind == k {
			return f.words
		}
	}
	return "unknown"
}

// Move is one thing that happens. Members that its kind does not use are zero.
type Move struct {
	Kind Kind
	// ID names the purchase, refund, chargeback, redemption or attribute.
	ID string
	// Amount is in minor units, above zero except in a redemption, which may ask
	// for any. Zero in a chargeback means all of the purchase.
	Amount int64
	// Of is the purchase that the move names; empty in an unlinked refund.
	Of string
	// Merchant, MCC and Category are as the network sends them, empty where it
	// does not.
	Merchant, MCC, Category string
	// Labels of a purchase are texts that terms may ask for; of an attribute the one that
	// it sets. Items are the lines of a receipt, or those of them that came back.
	Labels reward.Labels
	Items  []reward.Item
	// Happened is when a fact of the network happened, at or before its
	// delivery; zero in the other kinds.
	Happened time.Time
	// Really is what a refund or a chargeback gave back in truth, which no issuer
	// is told. Nil: what it names, if anything.
	Really []Part
	// As is the name under which a refund that was not counted under its own is to
	// be counted.
	As string
	// Again: the fact was delivered before and is delivered once more as it was.
	// Then the other members are those of the first delivery.
	Again bool
	// Another: it is a refund of its own, under a name that was used before.
	Another bool
}

// Part is an amount of one purchase, or of one item of it, which is written t1/pan, in
// minor units.
type Part struct {
	Purchase string
	Amount   int64
}

// truth returns what a refund, or a chargeback of an amount, gave back in truth.
func (m *Move) truth() []Part {
	switch {
	case m.Really != nil || m.Of == "":
		return m.Really
	case m.Items == nil:
		return []Part{{m.Of, m.Amount}}
	}
	parts := make([]Part, len(m.Items))
	for i, item := range m.Items {
		parts[i] = Part{itemOf(m.Of, item.ID), item.Amount}
	}
	return parts
}
