package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"recoup/internal/engine"
	"recoup/internal/store"
	"recoup/internal/store/memory"
	"recoup/program"
	"recoup/reward"
)

// slowStore is a store in memory whose commits take their time, may fail, and
// are written down.
type slowStore struct {
	*memory.Store
	pace time.Duration
	fail func([]reward.Event) error // nil: none fails

	mu       sync.Mutex
	commits  []int // how many events each had
	underWay map[string]bool
	most     int // commits under way at once
	now      int
	shared   []string // accounts of which two commits were under way
}

func newSlowStore(pace time.Duration) *slowStore {
	return &slowStore{Store: memory.New(program.Everyday()), pace: pace, underWay: make(map[string]bool)}
}

func (s *slowStore) Update(ctx context.Context, events []reward.Event, apply func(store.Unit)) error {
	accounts := make(map[string]bool)
	for i := range events {
		accounts[events[i].Account] = true
	}
	s.mu.Lock()
	s.commits = append(s.commits, len(events))
	s.now++
	s.most = max(s.most, s.now)
	for id := range accounts {
		if s.underWay[id] {
			s.shared = append(s.shared, id)
		}
		s.underWay[id] = true
	}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.now--
		for id := range accounts {
			delete(s.underWay, id)
		}
	}()
	select {
	case <-time.After(s.pace):
	case <-ctx.Done():
		return ctx.Err()
	}
	if s.fail != nil {
		if err := s.fail(events); err != nil {
			return err
		}
	}
	return s.Store.Update(ctx, events, apply)
}

// grouped runs a test in a bubble of its own time, over a store whose commits
// take a second, with a group that must have ended when the test has.
func grouped(t *testing.T, o engine.GroupOptions, test func(*testing.T, *slowStore, *engine.Group)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := newSlowStore(time.Second)
		g := engine.NewGroup(engine.New(s), o)
		test(t, s, g)
		if err := g.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if waiting := g.Waiting(); waiting != 0 {
			t.Errorf("%d events wait in a closed group", waiting)
		}
	})
}

// answer is what a caller got.
type answer struct {
	results []reward.Result
	err     error
	at      time.Duration // since the start
}

// callers sends the events of each caller at the same time and returns their
// answers when all have one.
type callers struct {
	group   *engine.Group
	start   time.Time
	wg      sync.WaitGroup
	answers []*answer
	mu      sync.Mutex // of what is in the answers
}

func callersOf(g *engine.Group) *callers { return &callers{group: g, start: time.Now()} }

// call sends events and returns once they wait or were refused.
func (c *callers) call(ctx context.Context, events ...reward.Event) *answer {
	a := new(answer)
	c.answers = append(c.answers, a)
	c.wg.Go(func() {
		results, err := c.group.Apply(ctx, events, nil)
		c.mu.Lock()
		defer c.mu.Unlock()
		a.results, a.err, a.at = results, err, time.Since(c.start)
	})
	synctest.Wait()
	return a
}

// soFar returns what a caller has got.
func (c *callers) soFar(a *answer) answer {
	c.mu.Lock()
	defer c.mu.Unlock()
	return *a
}

func (c *callers) wait() []*answer {
	c.wg.Wait()
	return c.answers
}

// several are n purchases of an account, numbered from a first.
func several(account string, first, n int) []reward.Event {
	var list []reward.Event
	for i := range n {
		list = append(list, settled(account, first+i))
	}
	return list
}

func TestOneCommitAnswersMany(t *testing.T) {
	grouped(t, engine.GroupOptions{}, func(t *testing.T, s *slowStore, g *engine.Group) {
		c := callersOf(g)
		for i := range 100 {
			c.call(t.Context(), settled(fmt.Sprint("acct-", i%30), i))
		}
		for i, a := range c.wait() {
			want := 2 * time.Second // with the others, once the first has committed
			if i == 0 {
				want = time.Second
			}
			if a.err != nil || !slices.Equal(a.results, []reward.Result{applied}) || a.at != want {
				t.Errorf("caller %d: %v, %v after %v; want applied after %v", i, a.results, a.err, a.at, want)
			}
		}
		if want := []int{1, 99}; !slices.Equal(s.commits, want) {
			t.Errorf("commits of %v events, want %v", s.commits, want)
		}
	})
}

func TestACommitHasItsLimit(t *testing.T) {
	grouped(t, engine.GroupOptions{MaxBatch: 10}, func(t *testing.T, s *slowStore, g *engine.Group) {
		c := callersOf(g)
		n := 0
		for _, events := range []int{1, 4, 6, 1, 25, 2, 8, 7, 3} {
			c.call(t.Context(), several(fmt.Sprint("acct-", n), n, events)...)
			n += events
		}
		for i, a := range c.wait() {
			if a.err != nil {
				t.Errorf("caller %d: %v", i, a.err)
			}
		}
		if want := []int{1, 10, 10, 10, 9, 10, 7}; !slices.Equal(s.commits, want) {
			t.Errorf("commits of %v events, want %v", s.commits, want)
		}
	})
}

// TestEachCallerGetsItsOwnResults: everybody's events have another outcome.
func TestEachCallerGetsItsOwnResults(t *testing.T) {
	for _, workers := range []int{1, 3} {
		grouped(t, engine.GroupOptions{Workers: workers}, func(t *testing.T, _ *slowStore, g *engine.Group) {
			c := callersOf(g)
			redemption := reward.Event{Source: "core", ID: "r", Account: "acct-9", Time: january, Type: reward.RedemptionRequested,
				Fact: "r1", Amount: 100, HasAmount: true, Currency: "USD"}
			bad := settled("acct-2", 4)
			bad.Amount = 0
			changed := settled("acct-1", 1)
			changed.Amount++
			invalid, poor := result(reward.Rejected, reward.InvalidAmount), result(reward.Rejected, reward.InsufficientBalance)
			calls := []struct {
				events []reward.Event
				want   []reward.Result
			}{
				{[]reward.Event{settled("acct-1", 1)}, []reward.Result{applied}},
				{[]reward.Event{settled("acct-1", 1), settled("acct-2", 2), changed}, []reward.Result{duplicate, applied, idReused}},
				{[]reward.Event{bad, settled("acct-3", 5), redemption, settled("acct-1", 6), settled("acct-3", 5)}, []reward.Result{invalid, applied, poor, applied, duplicate}},
				{[]reward.Event{settled("acct-1", 6)}, []reward.Result{duplicate}},
			}
			for _, call := range calls {
				c.call(t.Context(), call.events...)
			}
			for i, a := range c.wait() {
				if a.err != nil || !slices.Equal(a.results, calls[i].want) {
					t.Errorf("%d workers, caller %d: %v, %v; want %v", workers, i, a.results, a.err, calls[i].want)
				}
			}
		})
	}
}

func TestAGroupAppendsResults(t *testing.T) {
	grouped(t, engine.GroupOptions{Workers: 2, Queue: 1}, func(t *testing.T, s *slowStore, g *engine.Group) {
		some := []reward.Result{idReused}
		for _, c := range []struct {
			events []reward.Event
			want   []reward.Result
		}{
			{nil, some},
			{several("acct-1", 1, 1), []reward.Result{idReused, applied}},
			{[]reward.Event{settled("acct-1", 1), settled("acct-2", 2), settled("acct-3", 3), settled("acct-4", 4)},
				[]reward.Result{idReused, duplicate, applied, applied, applied}},
		} {
			got, err := g.Apply(t.Context(), c.events, some)
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%d events: %v, %v; want %v", len(c.events), got, err, c.want)
			}
		}
		s.fail = func([]reward.Event) error { return errors.New("no space") }
		for _, events := range [][]reward.Event{several("acct-1", 10, 1), {settled("acct-1", 11), settled("acct-2", 12), settled("acct-3", 13)}} {
			if got, err := g.Apply(t.Context(), events, some); err == nil || !slices.Equal(got, some) {
				t.Errorf("with an error: %v, %v; want %v", got, err, some)
			}
		}
	})
}

func TestWorkersCommitSideBySide(t *testing.T) {
	const workers = 4
	grouped(t, engine.GroupOptions{Workers: workers}, func(t *testing.T, s *slowStore, g *engine.Group) {
		c := callersOf(g)
		for i := range 64 {
			c.call(t.Context(), settled(fmt.Sprint("acct-", i), i))
		}
		for i, a := range c.wait() {
			if a.err != nil || a.at > 2*time.Second {
				t.Errorf("caller %d: %v after %v", i, a.err, a.at)
			}
		}
		if s.most != workers {
			t.Errorf("at most %d commits at once, want %d", s.most, workers)
		}
	})
}

// TestAccountsKeepToThemselves sends, from many callers, batches that share
// accounts, and single events of one account that is in every batch.
func TestAccountsKeepToThemselves(t *testing.T) {
	const clients, rounds = 20, 10
	for _, workers := range []int{1, 2, 5} {
		grouped(t, engine.GroupOptions{Workers: workers, MaxBatch: 50}, func(t *testing.T, s *slowStore, g *engine.Group) {
			var wg sync.WaitGroup
			for client := range clients {
				wg.Go(func() {
					for round := range rounds {
						first := (client*rounds + round) * 10
						events := []reward.Event{settled("hot", first)}
						for i := 1; i < 10 && client%2 == 0; i++ {
							// A purchase, and what only comes after it.
							e := settled(fmt.Sprint("acct-", (first/10+i/2)%17), first+i/2*2)
							if i%2 == 1 {
								e = reward.Event{Source: "core", ID: "refund " + e.ID, Account: e.Account, Time: e.Time, Type: reward.RefundPosted,
									Fact: "r" + e.ID, Transaction: e.Transaction, Amount: 2000, HasAmount: true, Currency: "USD"}
							}
							events = append(events, e)
						}
						results, err := g.Apply(t.Context(), events, nil)
						if err != nil || len(results) != len(events) {
							t.Errorf("%d results, %v", len(results), err)
							return
						}
						for i, r := range results {
							// The refund of i = 1 is of a purchase that nobody made.
							if want := i != 1; (r == applied) != want {
								t.Errorf("event %d of %d: %v %v", i, len(events), r.Outcome, r.Code)
							}
						}
					}
				})
			}
			wg.Wait()
			if len(s.shared) > 0 {
				t.Errorf("%d workers: two commits under way shared %v", workers, s.shared)
			}
			if workers > 1 && s.most < 2 {
				t.Errorf("%d workers never worked side by side", workers)
			}
			if found := s.Check(); len(found) > 0 {
				t.Error(found)
			}
			if hot := s.Account("hot").State(); len(hot.Transactions) != clients*rounds {
				t.Errorf("%d purchases of the account that all share, want %d", len(hot.Transactions), clients*rounds)
			}
		})
	}
}

func TestCommitsAreObserved(t *testing.T) {
	var mu sync.Mutex
	var seen []engine.Commit
	o := engine.GroupOptions{Observe: func(c engine.Commit) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, c)
	}}
	grouped(t, o, func(t *testing.T, s *slowStore, g *engine.Group) {
		c := callersOf(g)
		c.call(t.Context(), several("acct-1", 1, 3)...)
		c.call(t.Context(), several("acct-1", 4, 2)...)
		c.call(t.Context(), several("acct-2", 6, 2)...)
		c.wait()
		s.fail = func([]reward.Event) error { return errDisk }
		c.call(t.Context(), several("acct-1", 8, 1)...)
		c.wait()
		want := []engine.Commit{{Events: 3, Callers: 1, Took: time.Second}, {Events: 4, Callers: 2, Took: time.Second}, {Events: 1, Callers: 1, Took: time.Second, Err: errDisk}}
		if !slices.Equal(seen, want) {
			t.Errorf("observed %+v\nwant %+v", seen, want)
		}
	})
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// nothing is a store that keeps nothing, at once.
type nothing struct{ store.Store }

func (nothing) Update(_ context.Context, events []reward.Event, apply func(store.Unit)) error {
	apply(seen{})
	return nil
}

// seen has seen every event.
type seen struct{ store.Unit }

func (seen) Sighting(int) store.Sighting { return store.SameContent }

// BenchmarkGroup is what a group costs an event beside the store.
func BenchmarkGroup(b *testing.B) {
	for _, workers := range []int{1, 4} {
		for _, events := range []int{1, 100} {
			b.Run(fmt.Sprintf("workers=%d/events=%d", workers, events), func(b *testing.B) {
				g := engine.NewGroup(engine.New(nothing{}), engine.GroupOptions{Workers: workers})
				defer g.Close(context.Background())
				b.ReportAllocs()
				b.SetParallelism(64)
				b.RunParallel(func(pb *testing.PB) {
					list := make([]reward.Event, events)
					for i := range list {
						list[i] = settled(fmt.Sprint("acct-", i), i)
					}
					var results []reward.Result
					for pb.Next() {
						var err error
						if results, err = g.Apply(context.Background(), list, results[:0]); err != nil {
							b.Error(err)
						}
					}
				})
			})
		}
	}
}
