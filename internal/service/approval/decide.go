package approval

import (
	"context"
	"errors"
	"fmt"
	"time"

	"recoup/internal/engine"
	"recoup/internal/service/access"
	"recoup/internal/service/command"
	"recoup/internal/service/security"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// decision is what became of a proposal, as the log has it.
type decision struct {
	state  State
	by     Person
	at     reward.Instant
	note   string
	result reward.Result
}

// maxTries bounds how often somebody who decides looks whether somebody else was faster.
const maxTries = 3

// patience is how long a decision that has begun may take although its request
// is gone.
const patience = 30 * time.Second

// Approve does what was proposed, with the proposer as its actor and the person as its
// approver: one event, which is the decision. Who is cut short may do it again, and so may
// anybody else: somebody is first.
//
// If the rules refuse what was proposed, and the log has that, the proposal is closed; the
// error is then a *RefusedError. Otherwise it is ErrUnknown, ErrUnlogged, ErrSamePerson,
// ErrReused if the log has something else under its id, ErrDecided if somebody else was first, an *InvalidError about the person, a
// *durable.ProgramError of terms that cannot be published any more, or one of the
// database. The proposal is as it stands then.
func (b *Book) Approve(ctx context.Context, number int64, person Person) (Proposal, reward.Result, error) {
	if err := person.check("approver"); err != nil {
		return Proposal{}, reward.Result{}, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	p, err := b.logged(ctx, number)
	if err != nil {
		return p, reward.Result{}, err
	}
	switch one, err := b.one(ctx, p.Proposer, person); {
	case err != nil:
		return p, reward.Result{}, err
	case one:
		return p, reward.Result{}, ErrSamePerson
	}
	for range maxTries {
		is, decided, err := b.decisionOf(ctx, &p)
		if err != nil {
			return p, reward.Result{}, err
		}
		if decided {
			p, err := b.settle(ctx, p, is)
			switch {
			case err != nil:
				return p, is.result, err
			case is.by.ID != person.ID || is.state == Rejected && is.result.Outcome == reward.Applied:
				return p, reward.Result{}, ErrDecided
			case is.state != Approved:
				return p, is.result, &RefusedError{is.result}
			}
			return p, reward.Result{Outcome: reward.Duplicate}, nil
		}
		if err := b.publishable(ctx, &p); err != nil {
			return p, reward.Result{}, err
		}
		if err := b.begin(ctx, number); err != nil {
			return p, reward.Result{}, err
		}
		at := reward.At(b.now())
		d, err := b.desk.Decide(engine.By(ctx, person.ID), p.event(person, at), true)
		switch {
		case errors.Is(err, command.ErrReused): // somebody else was faster
			continue
		case err != nil:
			return p, reward.Result{}, fmt.Errorf("posting %s: %w", p.Adjustment, err)
		case d.Result.LeavesNoTrace():
			return p, d.Result, &RefusedError{d.Result}
		case d.Replayed:
			continue // the same person was, in another request
		}
		is = decisionIn(&d.LoggedView, person)
		p, err := b.settle(ctx, p, is)
		if err != nil {
			return p, d.Result, err
		}
		b.note(ctx, security.Approved, &p, person)
		if is.state != Approved {
			return p, d.Result, &RefusedError{d.Result}
		}
		return p, d.Result, nil
	}
	return p, reward.Result{}, fmt.Errorf("deciding proposal %d: others decide at the same time", number)
}

// Reject closes a proposal without doing anything. Who proposed it may do so too, which
// withdraws it. The note says why, and may be empty. A row that nobody proposed, or under
// whose id the log has something else, is taken off the lists. The error is ErrUnknown,
// ErrUnlogged, ErrReused, ErrDecided, an *InvalidError or one of the database.
func (b *Book) Reject(ctx context.Context, number int64, person Person, note string) (Proposal, error) {
	if err := person.check("person"); err != nil {
		return Proposal{}, err
	}
	if err := checkNote("note", note); err != nil {
		return Proposal{}, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	p, err := b.logged(ctx, number)
	if errors.Is(err, ErrUnlogged) {
		return p, errors.Join(err, b.forget(ctx, number))
	}
	if err != nil {
		return p, err
	}
	is, decided, err := b.decisionOf(ctx, &p)
	if errors.Is(err, ErrReused) {
		return p, errors.Join(err, b.forget(ctx, number))
	}
	if err != nil {
		return p, err
	}
	if !decided {
		if err := b.begin(ctx, number); err != nil {
			return p, err
		}
		e := reward.Event{
			Source: engine.ConsoleSource, ID: p.Adjustment, Account: p.home(), Time: reward.At(b.now()),
			Type: reward.ProposalRejected, Fact: p.Adjustment, Actor: person.Name, Reason: note,
		}
		d, err := b.desk.Decide(engine.By(ctx, person.ID), e, true)
		switch {
		case err == nil && !d.Replayed:
			if p, err = b.settle(ctx, p, decisionIn(&d.LoggedView, person)); err == nil {
				b.note(ctx, security.Rejected, &p, person)
			}
			return p, err
		case err != nil && !errors.Is(err, command.ErrReused):
			return p, fmt.Errorf("rejecting %s: %w", p.Adjustment, err)
		}
		if is, decided, err = b.decisionOf(ctx, &p); err != nil || !decided {
			return p, errors.Join(err, errors.New("a decision was made and is not in the log"))
		}
	}
	if p, err = b.settle(ctx, p, is); err != nil {
		return p, err
	}
	return p, ErrDecided
}

// logged is a proposal as the log has it, with the number and the state of its row.
func (b *Book) logged(ctx context.Context, number int64) (Proposal, error) {
	row, err := b.Get(ctx, number)
	if err != nil {
		return row, err
	}
	v, ok, err := b.accounts.Logged(ctx, row.home(), Source, row.Adjustment)
	if err != nil {
		return row, err
	}
	p, is := proposalIn(&v)
	if !ok || !is || !p.same(&row) || p.Proposer != row.Proposer {
		return row, ErrUnlogged
	}
	p.Number, p.State, p.Decider, p.Decided, p.Note = row.Number, row.State, row.Decider, row.Decided, row.Note
	p.Proposed = row.Proposed
	return p, nil
}

// decisionOf is what the log says became of a proposal; ok is false if nothing did yet. The
// error is ErrReused if something else is there under its id.
func (b *Book) decisionOf(ctx context.Context, p *Proposal) (d decision, ok bool, err error) {
	v, ok, err := b.accounts.Logged(ctx, p.Account, engine.ConsoleSource, p.Adjustment)
	if err == nil && !ok && p.home() != p.Account { // who rejects an account does not make it
		v, ok, err = b.accounts.Logged(ctx, p.home(), engine.ConsoleSource, p.Adjustment)
	}
	if err != nil || !ok {
		return d, false, err
	}
	if !p.decidedBy(&v.Event) {
		return d, false, ErrReused
	}
	return decisionIn(&v, Person{ID: v.Principal, Name: decider(&v.Event)}), true, nil
}

// decidedBy reports whether an event that has the identity of a proposal's decision is one.
func (p *Proposal) decidedBy(e *reward.Event) bool {
	if e.Type == reward.ProposalRejected {
		return e.Fact == p.Adjustment
	}
	return p.doneBy(e)
}

// doneBy reports whether an event is what was proposed, with an approver.
func (p *Proposal) doneBy(e *reward.Event) bool {
	return e.Type == p.Action && e.Fact == p.About && e.Approver != "" && (p.Action != reward.AdjustmentPosted || e.Amount == p.Amount)
}

// decider is the name of who decided, in the event that a decision is.
func decider(e *reward.Event) string {
	if e.Type == reward.ProposalRejected {
		return e.Actor
	}
	return e.Approver
}

// decisionIn is the decision that an event of the log is.
func decisionIn(v *durable.LoggedView, by Person) decision {
	d := decision{state: Approved, by: by, at: v.Event.Time, result: v.Result}
	switch {
	case v.Event.Type == reward.ProposalRejected:
		d.state, d.note = Rejected, v.Event.Reason
	case v.Result.Outcome != reward.Applied && v.Result.Outcome != reward.Parked:
		d.state, d.note = Rejected, fmt.Sprintf("the rules did not do it: %v %v", v.Result.Outcome, v.Result.Code)
	}
	return d
}

// settle notes what became of a proposal, in the lists and where it is to take effect
// besides the account.
func (b *Book) settle(ctx context.Context, p Proposal, d decision) (Proposal, error) {
	if p.State != Open {
		return p, nil
	}
	if d.state == Approved && p.Action == reward.ProgramPublished {
		note, err := b.publish(ctx, &p, &d)
		if err != nil {
			return p, err
		}
		d.note = note
	}
	return b.change(ctx, p.Number, func(p *Proposal) error {
		if p.State == Open {
			p.State, p.Decider, p.Decided, p.Note = d.state, d.by, d.at, d.note
		}
		return nil
	})
}

// one reports whether two principals are one person.
func (b *Book) one(ctx context.Context, x, y Person) (bool, error) {
	if b.people == nil || x.same(y) {
		return x.same(y), nil
	}
	return b.people.One(ctx, access.Actor(x), access.Actor(y))
}

// Finish closes what the log says was decided and the lists do not, as after a crash, and
// returns how many. It posts nothing. It does no harm to decisions that are under way.
//
// The first time it looks at all that wait, for that somebody began to decide one may not
// be noted; then at those of which it is.
func (b *Book) Finish(ctx context.Context) (done int, err error) {
	candidates := b.begun
	first := !b.looked.Load()
	if first {
		candidates = b.waiting
	}
	var failed error
	for after, more := int64(0), true; more; {
		numbers, err := candidates(ctx, after)
		if err != nil {
			return done, errors.Join(failed, err)
		}
		for _, after = range numbers {
			closed, err := b.finish(ctx, after)
			if closed {
				done++
			}
			if err != nil && first {
				err = errors.Join(err, b.begin(ctx, after))
			}
			failed = errors.Join(failed, err)
		}
		more = len(numbers) == MaxPage
	}
	b.looked.Store(true)
	return done, failed
}

// finish closes one proposal, if the log says that it was decided.
func (b *Book) finish(ctx context.Context, number int64) (done bool, err error) {
	p, err := b.logged(ctx, number)
	switch {
	case errors.Is(err, ErrUnlogged), errors.Is(err, ErrUnknown):
		return false, nil
	case err != nil:
		return false, err
	}
	is, decided, err := b.decisionOf(ctx, &p)
	if err == nil && decided {
		_, err = b.settle(ctx, p, is)
	}
	return err == nil && decided, err
}

// CloseOlder closes what waits of before the log said who proposed what, of which nothing
// can come: it is to be proposed again. It is for who makes a new database of an older one.
func (b *Book) CloseOlder(ctx context.Context) error {
	var older []int64
	for after, more := int64(0), true; more; {
		list, err := b.Open(ctx, after, MaxPage)
		if err != nil {
			return err
		}
		for i := range list {
			after = list[i].Number
			_, err := b.logged(ctx, after)
			switch {
			case errors.Is(err, ErrUnlogged):
				older = append(older, after)
			case err != nil:
				return err
			}
		}
		more = len(list) == MaxPage
	}
	for _, number := range older {
		_, err := b.change(ctx, number, func(p *Proposal) error {
			p.State, p.Decider, p.Decided = Rejected, Person{ID: engine.System, Name: "recoup rebuild"}, reward.At(b.now())
			p.Note = "the older log does not say who proposed it: propose it again"
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
