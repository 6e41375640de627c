package demo

import (
	"context"
	"fmt"
	"slices"
	"time"

	"recoup/internal/engine"
	"recoup/internal/service/approval"
	"recoup/internal/service/webhook"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// Target is where the sample data goes.
type Target struct {
	// Database is an empty database with its schema. No service may use it yet.
	Database *durable.Database
	// Now is the moment that the data ends at.
	Now time.Time
}

// Summary says what was loaded.
type Summary struct {
	Accounts int
	Events   int // that were delivered
	Closed   int // cycles of accounts that the clock closed
	Outcomes map[reward.Result]int
	// Undelivered is how many webhooks were given up.
	Undelivered int
	Took        time.Duration
}

// Load puts the programs and nine months of events into an empty database, and
// checks it as `recoup verify` and `recoup checkpoint` do, so that there is a
// result of each. ErrNotEmpty is returned of a database that has programs.
func Load(ctx context.Context, to Target) (*Summary, error) {
	deliveries, err := everything(calendar{to.Now.UTC()})
	if err != nil {
		return nil, fmt.Errorf("sample data: %w", err)
	}
	return load(ctx, to, deliveries, true)
}

// load delivers, and has people work on it if it is staffed, for which the accounts
// of the crowd must be there.
func load(ctx context.Context, to Target, deliveries []delivery, staffed bool) (*Summary, error) {
	began := time.Now()
	c := calendar{to.Now.UTC()}
	programs, err := publish(ctx, to.Database, c)
	if err != nil {
		return nil, fmt.Errorf("sample programs: %w", err)
	}
	l := loader{calendar: c, summary: &Summary{Outcomes: map[reward.Result]int{}}}
	l.store = durable.Over(to.Database, durable.Options{
		Programs: programs, Now: func() reward.Instant { return reward.At(l.clock) },
		Fresh: -1, // days pass in a second here
	})
	l.engine = engine.New(l.store)
	now := func() time.Time { return l.clock }
	hooks := webhooks{outbox: webhook.New(to.Database, to.Database.Records, now)}
	l.chores = append(l.chores, chore{c.days(10), hooks.add})
	if staffed {
		l.chores = append(l.chores, deskWork(c, approval.New(approval.Options{Records: to.Database, Now: now, Accounts: l.store, Apply: l.applyOne}))...)
	}
	slices.SortStableFunc(l.chores, func(x, y chore) int { return x.at.Compare(y.at) })
	if err := l.run(ctx, deliveries); err != nil {
		return nil, fmt.Errorf("sample data: %w", err)
	}
	l.setClock(c.now)
	if l.summary.Undelivered, err = hooks.giveUp(ctx); err != nil {
		return nil, fmt.Errorf("sample webhooks: %w", err)
	}
	if err := check(ctx, to.Database, programs); err != nil {
		return nil, fmt.Errorf("checking the sample data: %w", err)
	}
	l.summary.Took = time.Since(began)
	return l.summary, nil
}

// everything returns all that is delivered, in order.
func everything(c calendar) ([]delivery, error) {
	list := slices.Concat(stories(c), openEnds(c), lately(c))
	for i := range crowds {
		more, err := crowds[i].deliveries(c)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	return inOrder(list), nil
}

// inOrder sorts deliveries by time. What an account is delivered at one moment
// stays in its order.
func inOrder(list []delivery) []delivery {
	slices.SortStableFunc(list, func(x, y delivery) int { return x.at.Compare(y.at) })
	return list
}

// loader delivers events as if it were the time that they were delivered at.
type loader struct {
	calendar calendar
	store    *durable.Store
	engine   *engine.Engine
	clock    time.Time // that receipts are dated by
	chores   []chore   // still to be done, in order
	batch    []reward.Event
	results  []reward.Result
	summary  *Summary
}

// chore is something else that was done at its time.
type chore struct {
	at time.Time
	do func(context.Context) error
}

// together is how long events of the crowd are gathered for one commit; they
// share a receipt.
const together = 24 * time.Hour

func (l *loader) run(ctx context.Context, list []delivery) error {
	accounts := map[string]bool{}
	next := reward.CycleAt(reward.At(list[0].at)) + 1
	var first time.Time // of the batch
	for i := range list {
		d := &list[i]
		for reward.At(d.at) >= next.Start() {
			if err := l.close(ctx, next); err != nil {
				return err
			}
			next++
		}
		if len(l.batch) > 0 && d.at.Sub(first) > together {
			if err := l.commit(ctx); err != nil {
				return err
			}
		}
		if err := l.catchUp(ctx, d.at); err != nil {
			return err
		}
		if len(l.batch) == 0 {
			first = d.at
		}
		l.setClock(d.at.Add(2 * time.Second))
		l.batch = append(l.batch, d.event)
		accounts[d.event.Account] = true
		if d.exact {
			if err := l.commit(ctx); err != nil {
				return err
			}
		}
	}
	l.summary.Accounts = len(accounts)
	if err := l.commit(ctx); err != nil {
		return err
	}
	return l.catchUp(ctx, l.calendar.now)
}

// setClock moves the clock, at most to the present moment.
func (l *loader) setClock(at time.Time) {
	if l.clock = at; at.After(l.calendar.now) {
		l.clock = l.calendar.now
	}
}

// catchUp does the chores of the time until the given moment.
func (l *loader) catchUp(ctx context.Context, to time.Time) error {
	for len(l.chores) > 0 && !l.chores[0].at.After(to) {
		if err := l.commit(ctx); err != nil {
			return err
		}
		l.setClock(l.chores[0].at)
		if err := l.chores[0].do(ctx); err != nil {
			return err
		}
		l.chores = l.chores[1:]
	}
	return nil
}

// commit applies what has been gathered.
func (l *loader) commit(ctx context.Context) (err error) {
	if len(l.batch) == 0 {
		return nil
	}
	if l.results, err = l.engine.Apply(ctx, l.batch, l.results[:0]); err != nil {
		return err
	}
	for _, r := range l.results {
		l.summary.Outcomes[r]++
	}
	l.summary.Events += len(l.batch)
	l.batch = l.batch[:0]
	return nil
}

// close closes the cycles before the given one, a minute after they are over.
func (l *loader) close(ctx context.Context, next reward.Cycle) error {
	if err := l.commit(ctx); err != nil {
		return err
	}
	if err := l.catchUp(ctx, next.Start().Time()); err != nil {
		return err
	}
	l.setClock(next.Start().Time().Add(time.Minute))
	closed, err := l.engine.CloseDue(ctx, next.Start(), l.store.Due)
	l.summary.Closed += closed
	return err
}
