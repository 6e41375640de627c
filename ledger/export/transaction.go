package export

import (
	"fmt"
	"time"

	"recoup/ledger"
	"recoup/reward"
)

// Transaction is one balanced entry of the exported journal.
type Transaction struct {
	At         reward.Instant
	Cardholder string // the account; "" in an opening entry over all of them
	// Divided: the cardholder has sub-accounts of its own.
	Divided  bool
	Currency Currency
	// Kind is that of the posting; matured, held, reserved or released where there is
	// none; or opening.
	Kind string
	Text string // why, in words
	// Source and Event name the event that caused it, or that moved the account's
	// time past it; Type is that event's.
	Source, Event string
	Type          reward.Type
	Principal     string // who sent that event; "": not known
	Number        int64  // of the posting among the account's; 0: none
	// Purchase and Fact are what it is about: a purchase; a refund, redemption or
	// adjustment.
	Purchase, Fact string
	Item           string // of the purchase, "" for all of it
	Program, Rule  string
	Version        int32
	// Reason, Actor and Approver are those of what somebody decided by hand.
	Reason, Actor, Approver string

	Legs []Leg // they add up to zero; none of them is zero
}

// Currency is what amounts are in, and how many decimals it has.
type Currency struct {
	Code     string
	Decimals int
}

// The kinds of transactions that no posting is behind.
const (
	kindMatured  = "matured"
	kindHeld     = "held"
	kindReserved = "reserved"
	kindReleased = "released"
	kindOpening  = "opening"
)

// ofPosting makes the transaction of a posting that moves the cardholder from
// one position to another.
func (t *Transaction) ofPosting(p *reward.Posting, cause reward.Type, from, to position, told reward.Telling) {
	*t = Transaction{
		At: p.At, Cardholder: p.Account, Kind: p.Kind.String(), Text: p.Explain(told),
		Source: p.Source, Event: p.Event, Type: cause, Number: p.Number,
		Purchase: p.Transaction, Item: p.Item, Fact: p.Fact, Program: p.Program, Rule: p.Rule, Version: p.Version,
		Reason: p.Reason, Actor: p.Actor, Approver: p.Approver, Legs: t.Legs[:0],
	}
	entry := ledger.EntryOf(p)
	if entry.Debit == ledger.CardholderRewards {
		t.Legs = append(t.Legs, Leg{exported[entry.Credit], -entry.Amount})
	} else {
		t.Legs = append(t.Legs, Leg{exported[entry.Debit], entry.Amount})
	}
	t.Legs = appendMove(t.Legs, from, to)
}

// ofMove makes the transaction of what moves between pending or reserved and available
// without a posting, because of an event or, if it has an instant, an ending.
func (t *Transaction) ofMove(at reward.Instant, e *reward.Event, end ending, from, to position, money func(int64) string) {
	*t = Transaction{
		At: at, Cardholder: e.Account, Kind: kindHeld, Source: e.Source, Event: e.ID, Type: e.Type,
		Purchase: e.Transaction, Fact: e.Fact, Legs: appendMove(t.Legs[:0], from, to),
	}
	amount := money(max(to.held-from.held, from.held-to.held))
	switch {
	case to.reserved != from.reserved:
		t.ofReserved(e, end, to.reserved-from.reserved, money)
	case end.at != 0:
		t.Kind, t.Purchase, t.Fact = kindMatured, end.purchase, end.refund
		switch {
		case end.purchase != "":
			t.Text = fmt.Sprintf("The reward of purchase %s has matured: %s may be redeemed.", end.purchase, amount)
		case end.refund != "":
			t.Kind = kindReleased
			t.Text = fmt.Sprintf("Refund %s was announced and did not come: %s is held no longer.", end.refund, amount)
		default:
			t.Text = fmt.Sprintf("Rewards have matured: %s may be redeemed.", amount)
		}
	case to.held < from.held:
		t.Kind, t.Text = kindReleased, fmt.Sprintf("%s: %s is held no longer.", occasion(e), amount)
	case e.Type == reward.RefundPending:
		t.Text = fmt.Sprintf("Refund %s of purchase %s is announced: %s of rewards is held.", e.Fact, e.Transaction, amount)
	case e.Type == reward.RefundPosted:
		t.Text = fmt.Sprintf("Refund %s takes reward back later: until then %s is held.", e.Fact, amount)
	default:
		t.Text = fmt.Sprintf("%s: %s of rewards is held.", occasion(e), amount)
	}
}

// ofReserved says why what is reserved has changed.
func (t *Transaction) ofReserved(e *reward.Event, end ending, change int64, money func(int64) string) {
	amount := money(max(change, -change))
	switch {
	case change > 0:
		t.Kind, t.Text = kindReserved, fmt.Sprintf("Redemption %s is authorised: %s is reserved.", e.Fact, amount)
	case end.at == 0:
		t.Kind, t.Text = kindReleased, fmt.Sprintf("%s: %s is reserved no longer.", occasion(e), amount)
	default:
		t.Kind, t.Purchase, t.Fact = kindReleased, "", end.redemption
		t.Text = fmt.Sprintf("What was authorised was not captured in time: %s is reserved no longer.", amount)
	}
}

// occasion names what an event reports.
func occasion(e *reward.Event) string {
	switch {
	case e.Type == reward.CycleClosed:
		return "The cycle closed"
	case e.Fact != "":
		return e.Type.String() + " " + e.Fact
	case e.Transaction != "":
		return e.Type.String() + " " + e.Transaction
	}
	return e.Type.String()
}

// ofOpening makes the entry that brings forward what was there when the exported
// period begins. It reports false where there was nothing.
func (t *Transaction) ofOpening(at reward.Instant, cardholder string, s Sums) bool {
	*t = Transaction{
		At: at, Cardholder: cardholder, Kind: kindOpening,
		Text: "Opening balances on " + at.Time().Format(time.DateOnly) + ".", Legs: t.Legs[:0],
	}
	for a, amount := range s {
		if amount != 0 {
			t.Legs = append(t.Legs, Leg{Account(a), amount})
		}
	}
	return len(t.Legs) > 0
}
