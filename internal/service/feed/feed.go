// Package feed is an account as its holder sees it: what each purchase earned, whether it
// can be used yet, what was taken back, and why, in words without terms of the trade. It
// also has what an app or a page shows it with: tokens that a browser may hold, and the
// element that asks for it.
package feed

import (
	"strconv"

	"recoup/internal/store/durable"
	"recoup/reward"
)

// State is where an entry stands.
type State string

// The states.
const (
	Pending         State = "pending"           // it comes, or cannot be used yet
	Available       State = "available"         // it counts towards what can be used
	PartlyTakenBack State = "partly_taken_back" // a part of it does, as of a purchase that came back in part
	TakenBack       State = "taken_back"        // nothing of it is left
	None            State = "none"              // there is no reward
	Reserved        State = "reserved"          // set aside for a payout
	Paid            State = "paid"
	Returned        State = "returned" // a payout that came back
	Released        State = "released" // a payout that was not made
	Expired         State = "expired"
)

// States are all states, for documentation.
func States() []any {
	return []any{Pending, Available, PartlyTakenBack, TakenBack, None, Reserved, Paid, Returned, Released, Expired}
}

// Sums are amounts in minor units of what rewards are in. Of all entries of an account they
// add up to its own: pending to what is held, reserved to what is reserved, available to
// what is available, and the three together to the balance.
type Sums struct {
	Pending, Available, Reserved int64
	// TakenBack is what of a reward as it was granted is not kept: without sign, and in none
	// of the others.
	TakenBack int64
}

// Entry is one line of a feed with what it says.
type Entry struct {
	*durable.FeedLine
	Sums
	State State
	Name  string // of the entry among those of its account, the same on every page
}

// kinds are the names of kinds on the wire.
var kinds = map[durable.FeedKind]string{
	durable.FeedPurchase: "purchase", durable.FeedPayout: "payout", durable.FeedAdjustment: "adjustment",
	durable.FeedBonus: "bonus", durable.FeedExpiry: "expiry", durable.FeedHold: "hold",
}

// Kinds are all kinds, for documentation.
func Kinds() []any { return []any{"purchase", "payout", "adjustment", "bonus", "expiry", "hold"} }

// Kind is what the entry is about, as it is said on the wire.
func (e *Entry) Kind() string { return kinds[e.FeedLine.Kind] }

// EntryOf says where a line stands.
func EntryOf(line *durable.FeedLine) Entry {
	e := Entry{FeedLine: line}
	switch {
	case line.Purchase != nil:
		e.purchase()
		e.Name = e.Kind() + ":" + line.ID
	case line.Payout != nil:
		e.payout()
		e.Name = e.Kind() + ":" + line.ID
	case line.Posting != nil:
		e.posting()
		e.Name = e.Kind() + ":" + strconv.FormatInt(line.Posting.Number, 10)
	default:
		e.State, e.Sums = Pending, Sums{Pending: line.Held, Available: -line.Held}
		e.Name = e.Kind()
	}
	return e
}

// purchase is of what a purchase retains: some of it may be held, and what is missing of
// what it was granted was taken back.
func (e *Entry) purchase() {
	p := e.Purchase
	e.Sums = Sums{Pending: e.Held, Available: p.Retained - e.Held, TakenBack: max(0, p.Original-p.Retained)}
	switch {
	case e.comes() || e.Pending > 0:
		e.State = Pending
	case e.TakenBack > 0 && p.Retained == 0:
		e.State = TakenBack
	case e.TakenBack > 0:
		e.State = PartlyTakenBack
	case p.Retained > 0:
		e.State = Available
	default:
		e.State = None
	}
}

// comes reports whether a purchase may still be granted its reward: it has not posted, or
// waits for its statement.
func (e *Entry) comes() bool { return e.Purchase.Status == reward.Pending }

func (e *Entry) payout() {
	p := e.Payout
	e.Sums = Sums{Reserved: p.Reserved, Available: -p.Reserved - p.Paid}
	switch {
	case p.Reserved > 0:
		e.State = Reserved
	case p.Returned:
		e.State = Returned
	case p.Paid > 0:
		e.State = Paid
	default:
		e.State = Released
	}
}

func (e *Entry) posting() {
	p := e.Posting
	e.Available = p.Amount
	switch {
	case p.Amount > 0:
		e.State = Available
	case e.FeedLine.Kind == durable.FeedExpiry:
		e.State = Expired
	default:
		e.State = TakenBack
	}
}
