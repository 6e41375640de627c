// Package approval has what one person may not do alone wait for a second: adjustments of
// balances, decisions of reviews and reversals of redemptions above limits, new terms of programs, and accounts that
// are let into other terms.
//
// What is proposed is an event of the account's log, and so is what becomes of it: the
// event that was proposed, with who approved it, or that it was rejected. Both have one
// identity, so it is decided once, whatever happens twice or at the same time; and both
// are under the hash chain, with the principals who sent them. What this package keeps in
// tables only lists proposals: nothing is posted from there. See docs/principals.md.
package approval

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"recoup/internal/engine"
	"recoup/internal/service/access"
	"recoup/internal/service/command"
	"recoup/internal/service/security"
	"recoup/internal/store/durable"
	"recoup/internal/store/record"
	"recoup/reward"
)

// Source is the source of the events that say what was proposed. It is kept from senders,
// as engine.ConsoleSource is, which what becomes of them has.
const Source = engine.ApprovalSource

// Accounts are what is known of the accounts; a durable.Store is one.
type Accounts interface {
	// Units returns what an account's amounts are in; ok is false if there is none.
	Units(ctx context.Context, account string) (units reward.Units, ok bool, err error)
	// Logged returns what became of an event; ok is false if it is not in the log.
	Logged(ctx context.Context, account, source, id string) (v durable.LoggedView, ok bool, err error)
}

// Apply applies one event, which is durable once it returns.
type Apply func(ctx context.Context, e reward.Event) (reward.Result, error)

// Decide implements command.Applier.
func (f Apply) Decide(ctx context.Context, e reward.Event) (reward.Result, []reward.Posting, error) {
	r, err := f(ctx, e)
	return r, nil, err
}

// Options are what a book is made of. All but those said to be optional must be there.
type Options struct {
	Records  record.Store
	Now      func() time.Time
	Accounts Accounts
	Apply    Apply
	// People say which principals are one person's. Optional: those are who have one id, or
	// one name.
	People *access.People
	// Programs are where terms are published. Optional: none can be proposed.
	Programs Programs
	// Security is told what is proposed and decided. Optional.
	Security *security.Log
}

// Book is the proposals of a database. It is safe for concurrent use, also by
// several processes on one database.
type Book struct {
	records  record.Store
	now      func() time.Time
	accounts Accounts
	desk     command.Desk
	people   *access.People
	programs Programs
	security *security.Log
	looked   atomic.Bool // whether Finish has looked at all that wait
}

// New returns the proposals of a database.
func New(o Options) *Book {
	return &Book{
		records: o.Records, now: o.Now, accounts: o.Accounts, desk: command.Desk{Applier: o.Apply, Log: o.Accounts},
		people: o.People, programs: o.Programs, security: o.Security,
	}
}

// Propose posts an adjustment at once if its proposer may do it alone, and otherwise keeps
// it open for another person; waits says which. Of the proposal only Account, Adjustment,
// Amount, Currency, Reason and Proposer are looked at. The same adjustment proposed again
// by the same person changes nothing and is answered with what is there: the proposal, as
// State says, or the outcome duplicate. The result is zero where nothing was to be posted.
//
// The error is an *InvalidError, ErrAccountUnknown, ErrReused, a *FullError, a
// *RefusedError, or one of the database. An account that is closed can still be adjusted.
func (b *Book) Propose(ctx context.Context, p Proposal, alone Limits) (_ Proposal, r reward.Result, waits bool, err error) {
	id := cmp.Or(p.Adjustment, "console-"+rand.Text())
	p, waits, err = b.Ask(ctx, Proposal{
		Account: p.Account, Adjustment: id, Action: reward.AdjustmentPosted, About: id, Amount: p.Amount, Currency: p.Currency,
		Reason: p.Reason, Proposer: p.Proposer,
	}, alone)
	if err != nil || p.Number != 0 {
		return p, r, waits, err
	}
	r, err = b.post(ctx, &p)
	return p, r, false, err
}

// Ask says whether a person may do alone what a proposal says, and notes that they do: the
// caller has to do it then, and to call Release if it turns out that it cannot be done.
// Otherwise the proposal is kept, or found, and waits says whether it is open; it has a
// number. Its Amount is what is done to the balance. Errors are those of Propose.
func (b *Book) Ask(ctx context.Context, p Proposal, alone Limits) (_ Proposal, waits bool, err error) {
	p.Proposed, p.Proposer.Name = reward.At(b.now()), access.Normal(p.Proposer.Name)
	if err := p.check(); err != nil {
		return p, false, err
	}
	if (p.Account == TermsAccount) != (p.Action == reward.ProgramPublished) { // it has nothing else
		return p, false, fmt.Errorf("account %q: %w", p.Account, ErrAccountUnknown)
	}
	if p.Account != TermsAccount && p.Action != reward.AccountOpened {
		units, ok, err := b.accounts.Units(ctx, p.Account)
		switch {
		case err != nil:
			return p, false, err
		case !ok:
			return p, false, fmt.Errorf("account %q: %w", p.Account, ErrAccountUnknown)
		case p.Currency != "" && p.Currency != units.Reward.Name:
			return p, false, invalid("currency", "expected what the account's rewards are in, %s", units.Reward.Name)
		}
		p.Currency = units.Reward.Name
	}
	there, ok, err := b.proposed(ctx, p.Adjustment)
	switch {
	case err != nil:
		return p, false, err
	case ok:
		return b.again(ctx, there, &p)
	}
	if may, err := b.Admit(ctx, &p, alone); may || err != nil {
		return p, false, err
	}
	switch _, done, err := b.accounts.Logged(ctx, p.Account, engine.ConsoleSource, p.Adjustment); {
	case err != nil:
		return p, false, err
	case done: // it was posted without anybody's approval
		return p, false, ErrReused
	}
	if there, err = b.keep(ctx, p); err != nil {
		return there, false, err
	}
	return b.again(ctx, there, &p)
}

// again answers for a proposal that is listed, once the log has it too.
func (b *Book) again(ctx context.Context, there Proposal, again *Proposal) (Proposal, bool, error) {
	there, err := there.agreed(again)
	if err != nil || there.State != Open {
		return there, false, err
	}
	d, err := b.desk.Decide(engine.By(ctx, there.Proposer.ID), there.made(), true)
	switch {
	case errors.Is(err, command.ErrReused):
		return there, false, ErrReused
	case err != nil:
		return there, false, fmt.Errorf("proposing %s: %w", there.Adjustment, err)
	case d.Result.Outcome != reward.Applied:
		return there, false, &RefusedError{d.Result}
	}
	if !d.Replayed {
		b.note(ctx, security.Proposed, &there, there.Proposer)
	}
	return there, true, nil
}

// agreed is a proposal that was there already, if it is the one proposed again.
func (p Proposal) agreed(again *Proposal) (Proposal, error) {
	if !p.same(again) || p.Proposer.ID != again.Proposer.ID {
		return *again, ErrReused
	}
	return p, nil
}

// post has an adjustment that its proposer may do alone posted, and says of one that was
// there before what became of it then: the log may have refused it.
func (b *Book) post(ctx context.Context, p *Proposal) (reward.Result, error) {
	d, err := b.desk.Decide(engine.By(ctx, p.Proposer.ID), p.event(Person{}, p.Proposed), true)
	switch {
	case errors.Is(err, command.ErrReused):
		return reward.Result{}, errors.Join(ErrReused, b.Release(ctx, p))
	case err != nil: // it may be done: it counts
		return reward.Result{}, fmt.Errorf("posting adjustment %s: %w", p.Adjustment, err)
	case d.Result.Outcome != reward.Applied:
		if err := b.Release(ctx, p); err != nil {
			return d.Result, err
		}
		return d.Result, &RefusedError{d.Result}
	case d.Replayed:
		return reward.Result{Outcome: reward.Duplicate}, nil
	}
	return d.Result, nil
}

// note tells the security log what somebody did about a proposal, by the id that the log of
// events has it under: that log can forget whose account it is about, and this one cannot.
// What was done stands also where that fails: the log of events has it.
func (b *Book) note(ctx context.Context, what security.What, p *Proposal, by Person) {
	_ = b.security.Note(ctx, security.Entry{What: what, Principal: by.ID, Name: by.Name, Address: security.AddressOf(ctx), Detail: fmt.Sprintf("%v, proposal %s", p.Action, p.Adjustment)})
}
