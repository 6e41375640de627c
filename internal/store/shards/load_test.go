package shards_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"recoup/internal/engine"
	"recoup/internal/service/verify"
	"recoup/internal/store"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// load is clients who deliver purchases one by one, as fast as they are answered.
type load struct {
	name  string
	group *engine.Group
	stop  context.CancelFunc
	ended sync.WaitGroup

	mu           sync.Mutex
	acknowledged map[durable.Identity]bool
	answered     map[int]time.Time // of each client, when it was answered last
	longest      time.Duration     // that anybody waited for an answer
	failed       []error
}

// newLoad has clients deliver, each to accounts of its own.
func newLoad(t testing.TB, s *durable.Store, name string, clients int) *load {
	ctx, stop := context.WithCancel(context.Background())
	unavailable := func(err error) bool { return !errors.As(err, new(*reward.CorruptError)) }
	l := &load{name: name, group: engine.NewGroup(engine.New(s), engine.GroupOptions{Unavailable: unavailable}), stop: stop, acknowledged: make(map[durable.Identity]bool), answered: make(map[int]time.Time)}
	for client := range clients {
		l.ended.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				l.one(client, n)
			}
		})
	}
	t.Cleanup(l.end)
	return l
}

func (l *load) one(client, n int) {
	e := purchase(fmt.Sprintf("%s-%d-%d", l.name, client, rand.IntN(20)), n)
	began := time.Now()
	results, err := l.group.Apply(context.Background(), []reward.Event{e}, nil)
	took := time.Since(began)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.longest = max(l.longest, took)
	l.answered[client] = time.Now()
	switch {
	case err != nil:
		l.failed = append(l.failed, err)
	case results[0].Outcome == reward.Applied:
		l.acknowledged[durable.Identity{Account: e.Account, Source: e.Source, ID: e.ID}] = true
	default:
		l.failed = append(l.failed, fmt.Errorf("%s of %s: %v %v", e.ID, e.Account, results[0].Outcome, results[0].Code))
	}
}

func (l *load) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.acknowledged)
}

// more waits until so many more have been acknowledged.
func (l *load) more(t testing.TB, n int) {
	t.Helper()
	for until, deadline := l.count()+n, time.Now().Add(time.Minute); l.count() < until; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("only %d of %d more were acknowledged; %v", l.count()-until+n, n, l.failed)
		}
	}
}

// each waits until everybody has been answered, as of a later question, on each shard.
func (l *load) each(t testing.TB) {
	t.Helper()
	l.more(t, 1)
	l.mu.Lock()
	began, clients := time.Now(), len(l.answered)
	l.mu.Unlock()
	behind := func() int {
		l.mu.Lock()
		defer l.mu.Unlock()
		n := clients
		for _, at := range l.answered {
			if at.After(began) {
				n--
			}
		}
		return n
	}
	for behind() > 0 {
		if time.Since(began) > time.Minute {
			t.Fatalf("%d of %d clients are not answered", behind(), clients)
		}
		time.Sleep(5 * time.Millisecond)
	}
	l.more(t, 20*clients)
}

// forget begins to measure anew; waited is how long anybody has waited since.
func (l *load) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.longest = 0
}

func (l *load) waited() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.longest
}

func (l *load) end() {
	l.stop()
	l.ended.Wait()
	_ = l.group.Close(context.Background())
}

// check compares what was acknowledged with what a database has.
func (l *load) check(t testing.TB, db *durable.Database) {
	t.Helper()
	for _, err := range l.failed {
		t.Errorf("a client was not answered with applied: %v", err)
	}
	logged := make(map[durable.Identity]bool)
	last := make(map[string]int64)
	ok(t, db.View(context.Background(), func(r durable.Reader) error {
		return r.EventsOf(context.Background(), "", "", func(row *durable.EventRow) error {
			id := durable.Identity{Account: row.Account, Source: row.Source, ID: row.ID}
			if logged[id] {
				t.Errorf("%v is in the log twice", id)
			}
			if row.Sequence != last[row.Account]+1 {
				t.Errorf("event %d of %s comes after %d", row.Sequence, row.Account, last[row.Account])
			}
			last[row.Account] = row.Sequence
			logged[id] = true
			return nil
		})
	}))
	for id := range l.acknowledged {
		if !logged[id] {
			t.Errorf("%v was acknowledged and is not in the log", id)
		}
	}
	if len(logged) != len(l.acknowledged) {
		t.Errorf("%d events are in the log, %d were acknowledged", len(logged), len(l.acknowledged))
	}
	for _, lane := range db.Lanes() {
		proveAll(t, db, lane)
	}
}

func proveAll(t testing.TB, db *durable.Database, lane durable.Driver) {
	t.Helper()
	report, err := verify.Run(context.Background(), lane, verify.Options{Programs: newStore(t, db, everyday()).Programs()})
	ok(t, err)
	if report.Count > 0 {
		t.Errorf("%d differences: %v", report.Count, report.Differences)
	}
}

var _ store.Laned = (*durable.Store)(nil)
