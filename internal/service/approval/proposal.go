package approval

import (
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"recoup/event"
	"recoup/internal/engine"
	"recoup/internal/service/access"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// Proposal is something that somebody proposed.
type Proposal struct {
	Number  int64 // counts proposals from one; 0: it needed no approval
	Account string
	// Adjustment is the id of the proposal, of the event that it becomes, and of the
	// adjustment where it is one. Who proposes may choose one that was never there, so
	// that a form that is sent twice is one proposal.
	Adjustment string
	// Source is that of the event that it is if its proposer does it alone; empty:
	// engine.ConsoleSource. The lists do not have it.
	Source string
	// Action is the type of the event that it becomes: an adjustment.posted,
	// refund.linked, refund.counted, refund.reversed, redemption.reversed, account.opened
	// or program.published.
	Action reward.Type
	About  string // the adjustment, refund, redemption or program that it is about
	// Transaction is the purchase that a refund is to be linked to, As the id under which
	// it is to count, Digest that of the terms to be published; see DigestOf.
	Transaction, As, Digest string
	Amount                  int64  // what it does to the balance, in minor units; negative lowers it
	Currency                string // the account's; empty when it is proposed means that
	// Version is that of the account that Amount was weighed at, as durable.Trial has it;
	// zero: Amount is what it does whatever comes before. The lists do not have it.
	Version  int64
	Reason   string
	Proposer Person
	Proposed reward.Instant
	State    State
	// Decider is who approved or rejected it, a proposer who withdrew it among them.
	Decider Person
	Decided reward.Instant // zero: not yet
	Note    string         // what the decider had to say about a rejection

	counts bool // Admit has counted it in this request, and Release may take that back
}

// Weighed returns a context in which what one person may do alone is done only as long as
// it does what was weighed: else it is engine.ErrMoved. Of a nil proposal nothing was.
func (p *Proposal) Weighed(ctx context.Context) context.Context {
	if p == nil || p.Version == 0 {
		return ctx
	}
	return engine.Weighed(ctx, p.Version)
}

// Weighings is how often somebody weighs what they want to do before they leave it to a
// time when less comes in between.
const Weighings = 20

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

// Person is somebody who proposes or decides.
type Person struct {
	ID   string // tells people apart and stays the same: of an API key, or of a provider's subject
	Name string // what the journal calls them
}

// same reports whether two may be one person. Of keys either is enough, id or name: a
// person may have two of them. Whether both are linked to one person is for access.People
// to say.
func (p Person) same(o Person) bool { return access.Alike(access.Actor(p), access.Actor(o)) }

// same reports whether two proposals are of the same.
func (p *Proposal) same(o *Proposal) bool {
	return p.Account == o.Account && p.Adjustment == o.Adjustment && p.Action == o.Action && p.About == o.About && p.Transaction == o.Transaction &&
		p.As == o.As && p.Digest == o.Digest && p.Amount == o.Amount && p.Currency == o.Currency && p.Reason == o.Reason
}

// home is the account whose log says that it was proposed. An account that is not there
// yet has none.
func (p *Proposal) home() string {
	if p.Action == reward.AccountOpened {
		return TermsAccount
	}
	return p.Account
}

// made is the event that says what is proposed.
func (p *Proposal) made() reward.Event {
	e := reward.Event{
		Source: Source, ID: p.Adjustment, Account: p.Account, Time: p.Proposed, Type: reward.ProposalMade, Fact: p.Adjustment,
		Method: p.Action.String(), Category: p.About, Transaction: p.Transaction, As: p.As, Digest: p.Digest,
		Amount: p.Amount, HasAmount: p.Amount != 0, Currency: p.Currency, Reason: p.Reason, Actor: p.Proposer.Name,
	}
	if p.Action == reward.AccountOpened {
		e.Account, e.As = p.home(), p.Account
	}
	return e
}

// proposalIn is the proposal that an event of the log says was made; ok is false if it says
// something else.
func proposalIn(v *durable.LoggedView) (p Proposal, ok bool) {
	e := &v.Event
	action, known := reward.ParseType(e.Method)
	p = Proposal{
		Account: e.Account, Adjustment: e.Fact, Action: action, About: e.Category, Transaction: e.Transaction, As: e.As, Digest: e.Digest,
		Amount: e.Amount, Currency: e.Currency, Reason: e.Reason, Proposer: Person{v.Principal, e.Actor}, Proposed: e.Time,
	}
	if action == reward.AccountOpened {
		p.Account, p.As = e.As, ""
	}
	return p, known && e.Type == reward.ProposalMade && e.ID == e.Fact
}

// event is the event that it becomes at a moment, by approval of a person; nobody: it
// needs none. All else of it is in the proposal, so whoever posts it again sends the same
// event.
func (p *Proposal) event(approver Person, at reward.Instant) reward.Event {
	e := reward.Event{
		Source: engine.ConsoleSource, ID: p.Adjustment, Account: p.Account, Time: at, Type: p.Action, Fact: p.About,
		Transaction: p.Transaction, As: p.As, Digest: p.Digest, Reason: p.Reason, Actor: p.Proposer.Name, Approver: approver.Name,
	}
	if p.Action == reward.AdjustmentPosted {
		e.Amount, e.HasAmount, e.Currency = p.Amount, true, p.Currency
	}
	return e
}

// Other says in a few words what is proposed that is no adjustment; "" for one.
func (p Proposal) Other() string {
	if p.Action == reward.AdjustmentPosted {
		return ""
	}
	return p.String()
}

// Terms reports whether it is terms of a program that are proposed.
func (p Proposal) Terms() bool { return p.Action == reward.ProgramPublished }

// String says in a few words what is proposed.
func (p *Proposal) String() string {
	text := fmt.Sprintf("%v %s on %s", p.Action, p.About, p.Account)
	if p.Amount != 0 {
		text += fmt.Sprintf(": %d minor units of %s", p.Amount, p.Currency)
	}
	return text
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
	case p.Amount == 0 && p.Action == reward.AdjustmentPosted:
		return invalid("amount", "expected an amount other than zero")
	case p.Amount > reward.MaxAmount || p.Amount < -reward.MaxAmount:
		return invalid("amount", "expected at most 10^15 minor units either way")
	}
	e := p.event(Person{}, p.Proposed)
	if member, is := event.CardNumber(&e, event.Names(e.Type)); is {
		return invalid(strings.TrimPrefix(member, "data."), cardNumber)
	}
	return nil
}

// check refuses somebody whom the journal could not name.
func (p Person) check(who string) error {
	if p.ID == "" || len(p.ID) > maxID || !plain(p.ID) {
		return invalid(who, "expected an id of 1 to %d bytes without control characters", maxID)
	}
	if err := checkText(who, p.Name); err != nil {
		return err
	}
	if _, is := event.CardNumber(&reward.Event{Type: reward.AdjustmentPosted, Actor: p.Name}, nil); is {
		return invalid(who, cardNumber)
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
		return invalid(member, "missing; it must be there and not empty")
	}
	return checkNote(member, text)
}

// checkNote checks a text that need not be there.
func checkNote(member, text string) error {
	switch {
	case len(text) > event.MaxText:
		return invalid(member, "expected at most %d bytes, found %d", event.MaxText, len(text))
	case !plain(text):
		return invalid(member, "expected text in UTF-8 without control characters")
	}
	return nil
}

func plain(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}
