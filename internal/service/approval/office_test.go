package approval_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"recoup/internal/engine"
	"recoup/internal/kit/pgtest"
	"recoup/internal/service/approval"
	"recoup/internal/store/durable"
	"recoup/internal/store/pebble/pebbletest"
	"recoup/internal/store/postgres"
	"recoup/program"
	"recoup/reward"
)

var (
	oscar = approval.Person{ID: "key-1", Name: "Oscar"}
	anna  = approval.Person{ID: "oidc:anna", Name: "Anna"}
	jo    = approval.Person{ID: "oidc:jo", Name: "Jo"}
)

// office is a book over a real database and engine. What becomes of the events
// that it posts can be meddled with.
type office struct {
	testing.TB
	*approval.Book
	open   func() durable.Driver
	db     durable.Driver
	store  *durable.Store
	engine *engine.Engine

	mu     sync.Mutex
	clock  time.Time
	meddle power
}

// power is what becomes of an event that is to be applied.
type power func(apply func() (reward.Result, error)) (reward.Result, error)

// eachDatabase runs a test on each database.
func eachDatabase(t *testing.T, test func(*testing.T, *office)) {
	t.Run("Pebble", func(t *testing.T) { test(t, embedded(t)) })
	t.Run("PostgreSQL", func(t *testing.T) {
		schema := pgtest.NewSchema(t)
		test(t, newOffice(t, func() durable.Driver {
			db, err := postgres.Open(context.Background(), schema, postgres.Options{Migrate: true})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { db.Close() })
			return db
		}))
	})
}

// embedded is an office on the embedded database, which one process alone has open.
func embedded(t *testing.T) *office {
	t.Helper()
	db := pebbletest.Open(t)
	return newOffice(t, func() durable.Driver { return db })
}

// newOffice opens the account acct.
func newOffice(t testing.TB, open func() durable.Driver) *office {
	t.Helper()
	o := &office{TB: t, open: open, clock: time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC)}
	o.db = open()
	programs, err := durable.OpenPrograms(context.Background(), o.db, parse, o.now)
	if err == nil {
		_, _, err = programs.Put(context.Background(), "everyday", []byte("as the test has it"), 0, "test")
	}
	if err != nil {
		t.Fatal(err)
	}
	o.store, o.engine = o.start(o.db)
	o.Book = approval.New(approval.Options{Records: o.db, Now: o.now, Accounts: o.store, Apply: o.apply})
	o.deliver(reward.Event{Account: "acct", Type: reward.AccountOpened, Fact: "everyday"})
	return o
}

func parse([]byte) (*reward.Program, error) { return program.Everyday(), nil }

// start is what a process has over its database.
func (o *office) start(db durable.Driver) (*durable.Store, *engine.Engine) {
	o.Helper()
	programs, err := durable.OpenPrograms(context.Background(), db, parse, o.now)
	if err != nil {
		o.Fatal(err)
	}
	store := durable.New(db, durable.Options{Programs: programs, Now: func() reward.Instant { return reward.At(o.now()) }})
	return store, engine.New(store)
}

// process returns the books of another process at the same database. Each has its own
// power.
func (o *office) process() func(power) *approval.Book {
	o.Helper()
	db := o.open()
	store, engine := o.start(db)
	return func(p power) *approval.Book {
		return approval.New(approval.Options{Records: db, Now: o.now, Accounts: store, Apply: func(ctx context.Context, e reward.Event) (reward.Result, error) {
			return post(ctx, engine, p, e)
		}})
	}
}

// now is a second later every time.
func (o *office) now() time.Time {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.clock = o.clock.Add(time.Second)
	return o.clock
}

func (o *office) apply(ctx context.Context, e reward.Event) (reward.Result, error) {
	o.mu.Lock()
	meddle := o.meddle
	o.mu.Unlock()
	return post(ctx, o.engine, meddle, e)
}

func post(ctx context.Context, by *engine.Engine, p power, e reward.Event) (reward.Result, error) {
	apply := func() (reward.Result, error) {
		r, err := by.Apply(ctx, []reward.Event{e}, nil)
		if err != nil {
			return reward.Result{}, err
		}
		return r[0], nil
	}
	if p == nil {
		return apply()
	}
	return p(apply)
}

func (o *office) meddling(p power) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.meddle = p
}

var errPower = errors.New("the power failed")

// Where the power may fail: before the event is applied, and when it is durable
// but nobody has been told.
func before(func() (reward.Result, error)) (reward.Result, error) {
	return reward.Result{}, errPower
}

func after(apply func() (reward.Result, error)) (reward.Result, error) {
	if _, err := apply(); err != nil {
		return reward.Result{}, err
	}
	return reward.Result{}, errPower
}

// deliver applies events of a sender.
func (o *office) deliver(events ...reward.Event) {
	o.Helper()
	for i := range events {
		e := &events[i]
		e.Source, e.ID, e.Time = "core", fmt.Sprint(o.now().UnixNano()), reward.At(o.now())
		if e.Amount != 0 {
			e.HasAmount, e.Currency = true, "USD"
		}
	}
	results, err := o.engine.Apply(context.Background(), events, nil)
	if err != nil {
		o.Fatal(err)
	}
	for i, r := range results {
		if r.Outcome != reward.Applied {
			o.Fatalf("%v is %v %v", events[i].Type, r.Outcome, r.Code)
		}
	}
}

// propose proposes an adjustment of the account by Oscar; above $20 it waits.
func (o *office) propose(amount int64) approval.Proposal {
	o.Helper()
	p, _, _, err := o.Propose(context.Background(), approval.Proposal{Account: "acct", Amount: amount, Currency: "USD", Reason: "goodwill", Proposer: oscar}, limit(2000))
	if err != nil {
		o.Fatal(err)
	}
	return p
}

// limit is one amount in all currencies.
func limit(above int64) approval.Limits { return approval.Limits{Of: map[string]int64{"USD": above}} }

// journal renders the adjustments in the account's journal, the oldest first.
func (o *office) journal() (list []string) {
	o.Helper()
	entries, err := o.store.Entries(context.Background(), "acct", 0, 10_000)
	if err != nil {
		o.Fatal(err)
	}
	for i := len(entries) - 1; i >= 0; i-- {
		p := &entries[i]
		list = append(list, fmt.Sprintf("%s %d %s/%s %s", p.Source, p.Amount, p.Actor, p.Approver, p.Reason))
	}
	return list
}

// get reads a proposal as it is stored.
func (o *office) get(number int64) approval.Proposal {
	o.Helper()
	p, err := o.Get(context.Background(), number)
	if err != nil {
		o.Fatal(err)
	}
	return p
}
