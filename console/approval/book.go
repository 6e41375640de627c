// Package approval keeps adjustments that wait for a second person.
//
// Above an amount that the service sets, nobody changes a balance alone: what one
// person proposes another one approves, and both are in the journal. Below it an
// adjustment is posted at once.
//
// A proposal has its adjustment's id from the beginning, and its event follows from
// the proposal alone. So an adjustment is posted once, whatever happens twice.
package approval

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"recoup/engine"
	"recoup/reward"
	"recoup/store/durable"
	"recoup/store/record"
)

// Accounts are what is known of the accounts; a durable.Store is one.
type Accounts interface {
	// Currency returns an account's currency; ok is false if there is none.
	Currency(ctx context.Context, account string) (currency string, ok bool, err error)
	// Logged returns what became of an event; ok is false if it is not in the log.
	Logged(ctx context.Context, account, source, id string) (v durable.LoggedView, ok bool, err error)
}

// Apply applies one event, which is durable once it returns.
type Apply func(ctx context.Context, e reward.Event) (reward.Result, error)

// Book is the proposals of a database. It is safe for concurrent use, also by
// several processes on one database.
type Book struct {
	records  record.Store
	now      func() time.Time
	accounts Accounts
	apply    Apply
}

// New returns the proposals of a database.
func New(records record.Store, now func() time.Time, accounts Accounts, apply Apply) *Book {
	return &Book{records: records, now: now, accounts: accounts, apply: apply}
}

// Propose posts an adjustment at once if its amount, without sign, is at most
// above, and otherwise keeps it open for another person; waits says which. Of the
// proposal only Account, Adjustment, Amount, Currency, Reason and Proposer are
// looked at. The same adjustment proposed again by the same person changes nothing
// and is answered with what is there: the proposal, as State says, or the outcome
// duplicate. The result is zero where nothing was to be posted.
//
// The error is an *InvalidError, ErrAccountUnknown, ErrReused, a *RefusedError, or
// one of the database. An account that is closed can still be adjusted.
func (b *Book) Propose(ctx context.Context, p Proposal, above int64) (_ Proposal, r reward.Result, waits bool, err error) {
	p = Proposal{
		Account: p.Account, Adjustment: cmp.Or(p.Adjustment, "console-"+rand.Text()), Amount: p.Amount, Currency: p.Currency,
		Reason: p.Reason, Proposer: p.Proposer, Proposed: reward.At(b.now()),
	}
	if err := p.check(); err != nil {
		return p, r, false, err
	}
	currency, ok, err := b.accounts.Currency(ctx, p.Account)
	switch {
	case err != nil:
		return p, r, false, err
	case !ok:
		return p, r, false, fmt.Errorf("account %q: %w", p.Account, ErrAccountUnknown)
	case p.Currency != "" && p.Currency != currency:
		return p, r, false, &InvalidError{"currency", "expected that of the account, " + currency}
	}
	p.Currency = currency
	if max(p.Amount, -p.Amount) > above {
		p, err := b.keep(ctx, p)
		return p, r, err == nil && p.State == Open, err
	}
	switch there, ok, err := b.proposed(ctx, p.Adjustment); {
	case err != nil:
		return p, r, false, err
	case ok:
		// The amount that needs no approval was lower when it was proposed.
		there, err = there.agreed(&p)
		return there, r, err == nil && there.State == Open, err
	}
	r, err = b.post(ctx, p)
	if refused := (*RefusedError)(nil); errors.As(err, &refused) && refused.Result.Code == reward.IDReused {
		err = ErrReused
	}
	return p, r, false, err
}

// agreed is a proposal that was there already, if it is the one proposed again.
func (p Proposal) agreed(again *Proposal) (Proposal, error) {
	if p.Account != again.Account || p.Amount != again.Amount || p.Reason != again.Reason || p.Proposer.ID != again.Proposer.ID {
		return *again, ErrReused
	}
	return p, nil
}

// Approve posts the adjustment of a proposal, with the proposer as its actor and
// the person as its approver.
//
// Three steps: the proposal gets its decider, which one approver alone can do; the
// event is applied; the proposal is closed. The decider comes first because a
// rejection may come at the same time, and because from then on all of the event
// is fixed. Whatever stops an approval after that leaves a proposal that is open
// and has a decider. It cannot be rejected any more, and whoever approves or
// rejects it next, or Finish, sends the same event again, which is a duplicate if
// it was posted, and closes it.
//
// If the rules refuse the adjustment, the proposal loses its decider and is open
// as before. The error is then a *RefusedError; otherwise ErrUnknown,
// ErrSamePerson, ErrDecided if somebody else was first, an *InvalidError about the
// person, or one of the database. The proposal is as it stands then.
func (b *Book) Approve(ctx context.Context, number int64, person Person) (Proposal, reward.Result, error) {
	if err := person.check("approver"); err != nil {
		return Proposal{}, reward.Result{}, err
	}
	p, err := b.change(ctx, number, func(p *Proposal) error {
		switch {
		case p.Proposer.same(person):
			return ErrSamePerson
		case p.State == Open && !p.passing():
			p.Decider, p.Decided = person, reward.At(b.now())
		}
		return nil
	})
	if err != nil {
		return p, reward.Result{}, err
	}
	r := reward.Result{Outcome: reward.Duplicate}
	if p.passing() {
		if p, r, err = b.finish(ctx, p); err != nil {
			return p, r, err
		}
	}
	if p.State != Approved || p.Decider.ID != person.ID {
		return p, reward.Result{}, ErrDecided
	}
	return p, r, nil
}

// patience is how long an approval that has begun may take although its request
// is gone.
const patience = 30 * time.Second

// finish posts a proposal that is approved, and closes it.
func (b *Book) finish(ctx context.Context, p Proposal) (Proposal, reward.Result, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	r, err := b.post(ctx, p)
	if err != nil {
		if errors.As(err, new(*RefusedError)) {
			return b.reopen(ctx, p, r, err)
		}
		return p, r, err
	}
	done, err := b.change(ctx, p.Number, func(p *Proposal) error {
		if p.State == Open {
			p.State = Approved
		}
		return nil
	})
	if err != nil {
		return p, r, err
	}
	return done, r, nil
}

// reopen takes the decider off a proposal whose adjustment was refused, unless
// another one has it by now.
func (b *Book) reopen(ctx context.Context, was Proposal, r reward.Result, refused error) (Proposal, reward.Result, error) {
	p, err := b.change(ctx, was.Number, func(p *Proposal) error {
		if *p == was {
			p.Decider, p.Decided = Person{}, 0
		}
		return nil
	})
	if err != nil {
		return p, r, errors.Join(refused, err)
	}
	return p, r, refused
}

// post has the adjustment's event applied, and says of one that was there before
// what became of it then: the log may have refused it.
func (b *Book) post(ctx context.Context, p Proposal) (reward.Result, error) {
	e := p.event()
	r, err := b.apply(ctx, e)
	if err != nil {
		return r, fmt.Errorf("posting adjustment %s: %w", p.Adjustment, err)
	}
	if r.Outcome == reward.Duplicate || r.Code == reward.IDReused {
		before, ok, err := b.accounts.Logged(ctx, p.Account, engine.ConsoleSource, p.Adjustment)
		if err != nil {
			return r, fmt.Errorf("posting adjustment %s: %w", p.Adjustment, err)
		}
		was := before.Event
		if p.Decided == 0 {
			was.Time = e.Time // when it was proposed, which differs from one time to the next
		}
		switch {
		case !ok:
			return r, fmt.Errorf("posting adjustment %s: it was answered with %v and is not in the log", p.Adjustment, r.Outcome)
		case before.Result.Outcome != reward.Applied:
			r = before.Result
		case was != e:
			r = reward.Result{Outcome: reward.Rejected, Code: reward.IDReused}
		default:
			return reward.Result{Outcome: reward.Duplicate}, nil
		}
	}
	if r.Outcome != reward.Applied {
		return r, &RefusedError{r}
	}
	return r, nil
}

// Reject closes a proposal without posting anything. Who proposed it may do so
// too, which withdraws it. The note says why, and may be empty. An approval that
// was begun before goes first, and a rejection follows if the rules refuse it. The
// error is ErrUnknown, ErrDecided, an *InvalidError or one of the database.
func (b *Book) Reject(ctx context.Context, number int64, person Person, note string) (Proposal, error) {
	if err := person.check("person"); err != nil {
		return Proposal{}, err
	}
	if err := checkNote("note", note); err != nil {
		return Proposal{}, err
	}
	for {
		p, err := b.change(ctx, number, func(p *Proposal) error {
			switch {
			case p.passing(): // and goes first
				return nil
			case p.State != Open:
				return ErrDecided
			}
			p.State, p.Decider, p.Decided, p.Note = Rejected, person, reward.At(b.now()), note
			return nil
		})
		if err != nil || !p.passing() {
			return p, err
		}
		if p, _, err = b.finish(ctx, p); err != nil && !errors.As(err, new(*RefusedError)) {
			return p, err
		}
	}
}

// Finish posts what was approved and not seen to be posted, as after a crash, and
// returns how many. A proposal that the rules refuse is open again. It does no
// harm to approvals that are under way.
func (b *Book) Finish(ctx context.Context) (done int, err error) {
	var failed error
	for after, more := int64(0), true; more; {
		list, err := b.Open(ctx, after, MaxPage)
		if err != nil {
			return done, errors.Join(failed, err)
		}
		for i := range list {
			if p := &list[i]; p.passing() {
				switch _, _, err := b.finish(ctx, *p); {
				case err == nil:
					done++
				case !errors.As(err, new(*RefusedError)):
					failed = errors.Join(failed, err)
				}
			}
			after = list[i].Number
		}
		more = len(list) == MaxPage
	}
	return done, failed
}
