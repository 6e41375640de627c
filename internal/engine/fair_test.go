package engine_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"recoup/internal/engine"
	"recoup/internal/store"
	"recoup/internal/store/memory"
	"recoup/program"
	"recoup/reward"
)

// thinkingStore is a store in memory that takes its time over the events of some
// accounts, and some for each commit.
type thinkingStore struct {
	*memory.Store
	cost   map[string]time.Duration // of applying one event, by account
	commit time.Duration
}

func (s *thinkingStore) Update(ctx context.Context, events []reward.Event, apply func(store.Unit)) error {
	time.Sleep(s.commit)
	return s.Store.Update(ctx, events, func(u store.Unit) { apply(thinkingUnit{u, s, events}) })
}

type thinkingUnit struct {
	store.Unit
	store  *thinkingStore
	events []reward.Event
}

func (u thinkingUnit) Account(i int) *reward.Account {
	time.Sleep(u.store.cost[u.events[i].Account])
	return u.Unit.Account(i)
}

// thinking runs a test in a bubble of its own time, over such a store.
func thinking(t *testing.T, cost map[string]time.Duration, o engine.GroupOptions, test func(*testing.T, *memory.Store, *engine.Group)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &thinkingStore{memory.New(program.Everyday()), cost, time.Millisecond}
		g := engine.NewGroup(engine.New(s), o)
		test(t, s.Store, g)
		if err := g.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if waiting := g.Waiting(); waiting != 0 {
			t.Errorf("%d events wait in a closed group", waiting)
		}
	})
}

// redemption asks for one cent, which a purchase before must have earned.
func redemption(account string, n int) reward.Event {
	id := fmt.Sprint("r", n)
	return reward.Event{Source: "core", ID: id, Account: account, Time: january, Type: reward.RedemptionRequested, Fact: id, Amount: 1, HasAmount: true, Currency: "USD"}
}

func TestARedemptionDoesNotWaitForABatch(t *testing.T) {
	grouped(t, engine.GroupOptions{MaxBatch: 100}, func(t *testing.T, s *slowStore, g *engine.Group) {
		c := callersOf(g)
		var batches []*answer
		for i := range 3 {
			batches = append(batches, c.call(t.Context(), several(fmt.Sprint("acct-", i), i*10_000, 1000)...))
		}
		c.call(t.Context(), settled("saver", 99_999))
		paid := c.call(t.Context(), redemption("saver", 1))
		c.wait()
		// A commit takes a second, and one was under way.
		if paid.err != nil || paid.results[0] != applied || paid.at > 2*time.Second {
			t.Errorf("the redemption: %v, %v after %v; want it applied in the second commit", paid.results, paid.err, paid.at)
		}
		for i, a := range batches {
			if a.err != nil || slices.ContainsFunc(a.results, func(r reward.Result) bool { return r != applied }) || len(a.results) != 1000 {
				t.Errorf("batch %d: %d results, %v", i, len(a.results), a.err)
			}
		}
		if most := slices.Max(s.commits); most > 100 {
			t.Errorf("a commit of %d events, want at most 100", most)
		}
	})
}

func TestLargeRequestsTakeTurns(t *testing.T) {
	grouped(t, engine.GroupOptions{MaxBatch: 100}, func(t *testing.T, s *slowStore, g *engine.Group) {
		c := callersOf(g)
		long := c.call(t.Context(), several("acct-1", 0, 5000)...)
		short := c.call(t.Context(), several("acct-2", 10_000, 50)...)
		c.wait()
		if short.err != nil || short.at > 3*time.Second || long.at < 10*time.Second {
			t.Errorf("50 events beside 5,000: %v after %v, and those after %v", short.err, short.at, long.at)
		}
	})
}

// TestSmallRequestsDoNotStarveLargeOnes has small requests waiting at any time.
func TestSmallRequestsDoNotStarveLargeOnes(t *testing.T) {
	grouped(t, engine.GroupOptions{MaxBatch: 8}, func(t *testing.T, s *slowStore, g *engine.Group) {
		c := callersOf(g)
		ctx, stop := context.WithCancel(t.Context())
		for i := range 40 {
			go func() {
				for n := 0; ctx.Err() == nil; n++ {
					g.Apply(ctx, several(fmt.Sprint("small-", i), i*100_000+n, 1), nil)
				}
			}()
		}
		synctest.Wait()
		large := c.call(t.Context(), several("large", 9_000_000, 20)...)
		time.Sleep(15 * time.Second)
		if a := c.soFar(large); a.err != nil || len(a.results) != 20 {
			t.Errorf("after 15 commits of 8: %d results of 20, %v", len(a.results), a.err)
		}
		stop()
		c.wait()
	})
}

// TestAnExpensiveAccountHoldsUpNobody: one account's events take a tenth of a
// second each, and many of them wait.
func TestAnExpensiveAccountHoldsUpNobody(t *testing.T) {
	const tenth = 100 * time.Millisecond
	for name, bring := range map[string]func(c *callers){
		"one by one": func(c *callers) {
			for i := range 100 {
				c.call(context.Background(), settled("dear", i))
			}
		},
		"in a batch": func(c *callers) { c.call(context.Background(), several("dear", 0, 100)...) },
	} {
		t.Run(name, func(t *testing.T) {
			thinking(t, map[string]time.Duration{"dear": tenth}, engine.GroupOptions{}, func(t *testing.T, s *memory.Store, g *engine.Group) {
				c := callersOf(g)
				bring(c)
				// One after the other, while those wait.
				for i := range 30 {
					start := time.Now()
					results, err := g.Apply(t.Context(), []reward.Event{settled("cheap", 1000+i)}, nil)
					took, most := time.Since(start), tenth+5*time.Millisecond
					if i == 0 {
						most += tenth // it has to be found out that the account is expensive
					}
					if err != nil || results[0] != applied || took > most {
						t.Errorf("event %d of another account: %v, %v after %v; want %v at most, which is what one expensive event takes and its own commit", i, results, err, took, most)
					}
				}
				for i, a := range c.wait() {
					if a.err != nil || slices.ContainsFunc(a.results, func(r reward.Result) bool { return r != applied }) {
						t.Errorf("caller %d of the expensive account: %v, %v", i, a.results, a.err)
					}
				}
				if n := len(s.Account("dear").State().Transactions); n != 100 {
					t.Errorf("%d purchases of the expensive account, want 100", n)
				}
			})
		})
	}
}

// TestOrderIsKeptAcrossCommits: a batch that is cut wherever its budget ends, with
// events that only go through in their order.
func TestOrderIsKeptAcrossCommits(t *testing.T) {
	cost := map[string]time.Duration{"acct-0": 700 * time.Microsecond, "acct-1": 300 * time.Microsecond, "acct-2": 6 * time.Millisecond}
	commits, putOff := 0, 0
	o := engine.GroupOptions{Observe: func(c engine.Commit) { commits, putOff = commits+1, putOff+c.PutOff }}
	thinking(t, cost, o, func(t *testing.T, s *memory.Store, g *engine.Group) {
		var events []reward.Event
		for i := range 200 {
			e := settled(fmt.Sprint("acct-", i%5), i)
			refund := e
			refund.ID, refund.Fact, refund.Type = "of "+e.ID, "r"+e.ID, reward.RefundPosted
			undo := refund
			undo.ID, undo.Type = "undo "+e.ID, reward.RefundReversed
			events = append(events, e, refund, undo, e)
		}
		c := callersOf(g)
		c.call(t.Context(), events...)
		c.call(t.Context(), several("acct-2", 5000, 30)...)
		for i, a := range c.wait() {
			if a.err != nil {
				t.Error(a.err)
			}
			for j, r := range a.results {
				want := applied
				if i == 0 && j%4 == 3 {
					want = duplicate
				}
				if r != want {
					t.Fatalf("caller %d, event %d: %v %v, want %v", i, j, r.Outcome, r.Code, want.Outcome)
				}
			}
		}
		if found := s.Check(); len(found) > 0 {
			t.Error(found)
		}
	})
	if commits < 50 || putOff == 0 {
		t.Errorf("%d commits, %d events put off: the budget cut nothing", commits, putOff)
	}
}

func TestWaitsAreObservedOncePerCaller(t *testing.T) {
	var waits []time.Duration
	grouped(t, engine.GroupOptions{MaxBatch: 10, Waited: func(d time.Duration) { waits = append(waits, d) }}, func(t *testing.T, _ *slowStore, g *engine.Group) {
		c := callersOf(g)
		c.call(t.Context(), several("acct-1", 0, 25)...)
		c.call(t.Context(), several("acct-2", 100, 1)...)
		c.wait()
		if want := []time.Duration{0, time.Second}; !slices.Equal(waits, want) {
			t.Errorf("callers waited %v, want %v", waits, want)
		}
	})
}
