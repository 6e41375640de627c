package approval

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"recoup/engine"
	"recoup/event"
	"recoup/reward"
)

// Proposal is an adjustment that somebody proposed.
type Proposal struct {
	Number  int64 // counts proposals from one; 0: it needed no approval
	Account string
	// Adjustment is the id of the adjustment, and of the event that posts it. Who
	// proposes may choose one that was never there, so that a form that is sent
	// twice is one proposal; empty: one is made.
	Adjustment string
	Amount     int64  // in minor units; negative lowers the balance
	Currency   string // the account's; empty when it is proposed means that
	Reason     string
	Proposer   Person
	Proposed   reward.Instant
	State      State
	// Decider is who approved or rejected it, a proposer who withdrew it among
	// them. An open proposal that has one is approved, but whether its adjustment
	// was posted is not known yet: see Book.Approve.
	Decider Person
	Decided reward.Instant // zero: not yet
	Note    string         // what the decider had to say about a rejection
}

// State is what became of a proposal.
type State int64

// The states.
const (
	Open State = iota
	Approved
	Rejected
)

// String returns the state's name.
func (s State) String() string {
	switch s {
	case Open:
		return "open"
	case Approved:
		return "approved"
	case Rejected:
		return "rejected"
	}
	return "unknown"
}

// Withdrawn reports whether it was the proposer who rejected it.
func (p *Proposal) Withdrawn() bool { return p.State == Rejected && p.Decider.same(p.Proposer) }

// By reports whether the person may be the one who proposed it, and so cannot
// approve it.
func (p *Proposal) By(person Person) bool { return p.Proposer.same(person) }

// passing reports whether it is approved and perhaps not posted.
func (p *Proposal) passing() bool { return p.State == Open && p.Decider != Person{} }

// Person is somebody who proposes or decides.
type Person struct {
	ID   string // tells people apart and stays the same: of an API key, or of a provider's subject
	Name string // what the journal calls them
}

// same reports whether two may be one person. Either is enough, id or name: a
// person may have two keys, and the journal has names alone, so an adjustment by
// Anna that Anna approved would show nobody that there were two.
func (p Person) same(o Person) bool {
	return p.ID == o.ID || strings.EqualFold(strings.TrimSpace(p.Name), strings.TrimSpace(o.Name))
}

// event is the event that posts the adjustment. All of it is in the proposal, so
// whoever posts it again sends the same event.
func (p *Proposal) event() reward.Event {
	e := reward.Event{
		Source: engine.ConsoleSource, ID: p.Adjustment, Account: p.Account, Time: p.Proposed, Type: reward.AdjustmentPosted,
		Fact: p.Adjustment, Amount: p.Amount, HasAmount: true, Currency: p.Currency, Reason: p.Reason, Actor: p.Proposer.Name,
	}
	if p.Decided != 0 {
		e.Time, e.Approver = p.Decided, p.Decider.Name
	}
	return e
}

// check refuses what could never be posted.
func (p *Proposal) check() error {
	for _, text := range [...]struct{ member, text string }{
		{"account", p.Account}, {"adjustment", p.Adjustment}, {"reason", p.Reason},
	} {
		if err := checkText(text.member, text.text); err != nil {
			return err
		}
	}
	if err := p.Proposer.check("proposer"); err != nil {
		return err
	}
	switch {
	case p.Amount == 0:
		return &InvalidError{"amount", "expected an amount other than zero"}
	case p.Amount > reward.MaxAmount || p.Amount < -reward.MaxAmount:
		return &InvalidError{"amount", "expected at most 10^15 minor units either way"}
	}
	e := p.event()
	if member, is := event.CardNumber(&e, event.Names(e.Type)); is {
		return &InvalidError{strings.TrimPrefix(member, "data."), cardNumber}
	}
	return nil
}

// check refuses somebody whom the journal could not name.
func (p Person) check(who string) error {
	if p.ID == "" || len(p.ID) > maxID || !plain(p.ID) {
		return &InvalidError{who, fmt.Sprintf("expected an id of 1 to %d bytes without control characters", maxID)}
	}
	if err := checkText(who, p.Name); err != nil {
		return err
	}
	if _, is := event.CardNumber(&reward.Event{Type: reward.AdjustmentPosted, Actor: p.Name}, nil); is {
		return &InvalidError{who, cardNumber}
	}
	return nil
}

// maxID is the length in bytes of the longest id of a person: that of a provider's
// subject, which is at most 255, with what it begins with.
const maxID = 512

const cardNumber = "looks like the number of a payment card, which must not be kept here"

// checkText checks a text that must be there.
func checkText(member, text string) error {
	if text == "" {
		return &InvalidError{member, "missing; it must be there and not empty"}
	}
	return checkNote(member, text)
}

// checkNote checks a text that need not be there.
func checkNote(member, text string) error {
	switch {
	case len(text) > event.MaxText:
		return &InvalidError{member, fmt.Sprintf("expected at most %d bytes, found %d", event.MaxText, len(text))}
	case !plain(text):
		return &InvalidError{member, "expected text in UTF-8 without control characters"}
	}
	return nil
}

func plain(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}
