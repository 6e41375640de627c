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
	"database/sql"
	"errors"
	"fmt"
	"time"

	"recoup/engine"
	"recoup/reward"
	"recoup/store/durable"
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
	db       *sql.DB
	rebind   func(string) string
	now      func() time.Time
	accounts Accounts
	apply    Apply
}

// New returns the proposals in the table proposals of a database. Statements number
// their parameters $1, $2; rebind turns that into what the database takes.
func New(db *sql.DB, rebind func(string) string, now func() time.Time, accounts Accounts, apply Apply) *Book {
	return &Book{db: db, rebind: rebind, now: now, accounts: accounts, apply: apply}
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
	if there, err := b.one(ctx, `adjustment = $1`, p.Adjustment); !errors.Is(err, ErrUnknown) {
		// The amount that needs no approval was lower when it was proposed.
		there, err = there.agreed(&p, err)
		return there, r, err == nil && there.State == Open, err
	}
	r, err = b.post(ctx, p)
	if refused := (*RefusedError)(nil); errors.As(err, &refused) && refused.Result.Code == reward.IDReused {
		err = ErrReused
	}
	return p, r, false, err
}

// agreed is a proposal that was there already, if it is the one proposed again.
func (p Proposal) agreed(again *Proposal, err error) (Proposal, error) {
	if err != nil {
		return *again, err
	}
	if p.Account != again.Account || p.Amount != again.Amount || p.Reason != again.Reason || p.Proposer.ID != again.Proposer.ID {
		return *again, ErrReused
	}
	return p, nil
}

// keep stores a proposal, or finds it stored.
func (b *Book) keep(ctx context.Context, p Proposal) (Proposal, error) {
	err := b.db.QueryRowContext(ctx, b.rebind(`INSERT INTO proposals (account, adjustment, amount, currency, reason, proposer, proposed_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (adjustment) DO NOTHING RETURNING number`),
		p.Account, p.Adjustment, p.Amount, p.Currency, p.Reason, p.Proposer.column(), int64(p.Proposed)).Scan(&p.Number)
	if err == nil {
		return p, nil
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return p, fmt.Errorf("storing a proposal: %w", err)
	}
	there, err := b.one(ctx, `adjustment = $1`, p.Adjustment)
	return there.agreed(&p, err)
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
	p, err := b.Get(ctx, number)
	switch {
	case err != nil:
		return p, reward.Result{}, err
	case p.Proposer.same(person):
		return p, reward.Result{}, ErrSamePerson
	}
	if p.State == Open && !p.passing() {
		if _, err := b.update(ctx, `UPDATE proposals SET decider = $1, decided_at = $2 WHERE number = $3 AND state = 0 AND decider = ''`,
			person.column(), int64(reward.At(b.now())), number); err != nil {
			return p, reward.Result{}, err
		}
		if p, err = b.Get(ctx, number); err != nil { // as it was decided, by whomever
			return p, reward.Result{}, err
		}
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
	if _, err := b.update(ctx, `UPDATE proposals SET state = 1 WHERE number = $1 AND state = 0`, p.Number); err != nil {
		return p, r, err
	}
	p.State = Approved
	return p, r, nil
}

// reopen takes the decider off a proposal whose adjustment was refused, unless
// another one has it by now.
func (b *Book) reopen(ctx context.Context, p Proposal, r reward.Result, refused error) (Proposal, reward.Result, error) {
	if _, err := b.update(ctx, `UPDATE proposals SET decider = '', decided_at = NULL WHERE number = $1 AND state = 0 AND decider = $2 AND decided_at = $3`,
		p.Number, p.Decider.column(), int64(p.Decided)); err != nil {
		return p, r, errors.Join(refused, err)
	}
	p.Decider, p.Decided = Person{}, 0
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
		p, err := b.Get(ctx, number)
		switch {
		case err != nil:
			return p, err
		case p.passing():
			if p, _, err = b.finish(ctx, p); err != nil && !errors.As(err, new(*RefusedError)) {
				return p, err
			}
			continue
		case p.State != Open:
			return p, ErrDecided
		}
		p.State, p.Decider, p.Decided, p.Note = Rejected, person, reward.At(b.now()), note
		done, err := b.update(ctx, `UPDATE proposals SET state = 2, decider = $1, decided_at = $2, note = $3 WHERE number = $4 AND state = 0 AND decider = ''`,
			person.column(), int64(p.Decided), note, number)
		if done || err != nil {
			return p, err
		}
	}
}

// Finish posts what was approved and not seen to be posted, as after a crash, and
// returns how many. A proposal that the rules refuse is open again. It does no
// harm to approvals that are under way.
func (b *Book) Finish(ctx context.Context) (done int, err error) {
	list, err := b.list(ctx, `state = 0 AND decider <> '' ORDER BY number`)
	if err != nil {
		return 0, err
	}
	var failed error
	for _, p := range list {
		switch _, _, err := b.finish(ctx, p); {
		case err == nil:
			done++
		case !errors.As(err, new(*RefusedError)):
			failed = errors.Join(failed, err)
		}
	}
	return done, failed
}

// update runs a statement and reports whether it changed a row.
func (b *Book) update(ctx context.Context, statement string, args ...any) (bool, error) {
	r, err := b.db.ExecContext(ctx, b.rebind(statement), args...)
	if err != nil {
		return false, fmt.Errorf("deciding a proposal: %w", err)
	}
	n, err := r.RowsAffected()
	if err != nil {
		return false, fmt.Errorf("deciding a proposal: %w", err)
	}
	return n > 0, nil
}
