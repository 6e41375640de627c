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

	"recoup/internal/engine"
	"recoup/internal/store"
	"recoup/internal/store/memory"
	"recoup/program"
	"recoup/reward"
)

// brokenStore is a store in memory of which some accounts cannot be used. A commit takes a
// millisecond, and one with an account that is locked half a second to find out.
type brokenStore struct {
	*memory.Store
	mu      sync.Mutex
	wrong   map[string]store.Reach
	commits int
	probes  int
}

func (s *brokenStore) set(account string, reach store.Reach) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wrong[account] = reach
}

func (s *brokenStore) failure(accounts ...string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var locked []string
	for _, account := range accounts {
		switch s.wrong[account] {
		case store.OneAccount:
			return &store.Failure{Reach: store.OneAccount, Account: account, Err: errors.New("garbled")}
		case store.Locked:
			locked = append(locked, account)
		}
	}
	if locked != nil {
		return &store.Failure{Reach: store.Locked, Accounts: locked, Err: errors.New("held")}
	}
	return nil
}

func (s *brokenStore) Update(ctx context.Context, events []reward.Event, apply func(store.Unit)) error {
	s.mu.Lock()
	s.commits++
	s.mu.Unlock()
	var accounts []string
	for i := range events {
		accounts = append(accounts, events[i].Account)
	}
	if err := s.failure(accounts...); err != nil {
		if store.ReachOf(err) == store.Locked {
			time.Sleep(500 * time.Millisecond)
		}
		return err
	}
	time.Sleep(time.Millisecond)
	return s.Store.Update(ctx, events, apply)
}

func (s *brokenStore) Probe(_ context.Context, account string, whole bool) error {
	err := s.failure(account)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.probes++
	if !whole && store.ReachOf(err) == store.OneAccount {
		return nil
	}
	return err
}

// broken runs a test in a bubble of its own time, over such a store.
func broken(t *testing.T, test func(*testing.T, *brokenStore, *engine.Engine, *engine.Group)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &brokenStore{Store: memory.New(program.Everyday()), wrong: make(map[string]store.Reach)}
		en := engine.New(s)
		g := engine.NewGroup(en, engine.GroupOptions{Unavailable: func(err error) bool { return store.ReachOf(err) == store.Busy }})
		test(t, s, en, g)
		if err := g.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if waiting := g.Waiting(); waiting != 0 {
			t.Errorf("%d events wait in a closed group", waiting)
		}
	})
}

// outcasts are the accounts that are set aside, with the reasons.
func outcasts(en *engine.Engine) (list []string) {
	for _, s := range en.Aside() {
		list = append(list, fmt.Sprint(s.Account, " ", s.Reason))
	}
	return list
}

func TestTheOthersGoOnBesideABrokenAccount(t *testing.T) {
	for reach, reason := range map[store.Reach]engine.Reason{store.OneAccount: engine.Damaged, store.Locked: engine.Locked} {
		t.Run(reason.String(), func(t *testing.T) {
			broken(t, func(t *testing.T, s *brokenStore, en *engine.Engine, g *engine.Group) {
				s.set("bad", reach)
				var told []string
				en.WatchAside(func(a engine.SetAside, is bool) { told = append(told, fmt.Sprint(a.Account, " ", is)) })
				c := callersOf(g)
				for i := range 100 {
					account := fmt.Sprint("acct-", i)
					if i%10 == 5 {
						account = "bad"
					}
					c.call(t.Context(), settled(account, i))
				}
				late := 0
				for i, a := range c.wait() {
					var apart *engine.AsideError
					switch bad := i%10 == 5; {
					case bad && (!errors.As(a.err, &apart) || apart.First().Account != "bad" || apart.First().Reason != reason):
						t.Errorf("sender %d of the bad account: %v, %v", i, a.results, a.err)
					case !bad && (a.err != nil || !slices.Equal(a.results, []reward.Result{applied})):
						t.Errorf("sender %d of another: %v, %v", i, a.results, a.err)
					}
					if a.at > 600*time.Millisecond {
						late++
					}
				}
				if late > 0 || s.commits > 5 {
					t.Errorf("%d answers are late, after %d commits", late, s.commits)
				}
				if got := outcasts(en); !slices.Equal(got, []string{"bad " + reason.String()}) {
					t.Errorf("set aside: %v", got)
				}
				// Whoever comes now is told at once, and no commit finds out again.
				before, began := s.commits, time.Now()
				if _, err := g.Apply(t.Context(), []reward.Event{settled("bad", 1000)}, nil); store.ReachOf(err) != reach || s.commits != before || time.Since(began) > 0 {
					t.Errorf("later: %v after %v and %d commits", err, time.Since(began), s.commits-before)
				}
				if _, _, err := g.Decide(t.Context(), redemption("bad", 1)); store.ReachOf(err) != reach {
					t.Errorf("a redemption: %v", err)
				}
				time.Sleep(time.Minute)
				if s.probes < 10 || s.probes > 30 {
					t.Errorf("it was tried again %d times in a minute", s.probes)
				}
				// It comes back by itself.
				s.set("bad", store.Unknown)
				time.Sleep(6 * time.Second)
				if results, err := g.Apply(t.Context(), []reward.Event{settled("bad", 1001)}, nil); err != nil || results[0] != applied || len(en.Aside()) > 0 {
					t.Errorf("once it is sound: %v, %v, still set aside: %v", results, err, outcasts(en))
				}
				if want := []string{"bad true", "bad false"}; !slices.Equal(told, want) {
					t.Errorf("told %v, want %v", told, want)
				}
			})
		})
	}
}

// Of a batch, the events of a broken account fail alone, and of each account the last ones.
func TestABatchLosesOnlyTheEventsOfABrokenAccount(t *testing.T) {
	broken(t, func(t *testing.T, s *brokenStore, en *engine.Engine, g *engine.Group) {
		s.set("bad", store.Locked)
		var events []reward.Event
		for i := range 3000 { // several commits
			events = append(events, settled([]string{"a", "bad", "b"}[i%3], i))
		}
		results, err := g.Apply(t.Context(), events, []reward.Result{applied})
		var apart *engine.AsideError
		if !errors.As(err, &apart) || len(apart.Failed) != 1000 || len(results) != 3001 {
			t.Fatalf("%d results and %v", len(results), err)
		}
		for i := range events {
			if bad := events[i].Account == "bad"; bad != (apart.Failed[i] != nil) || !bad && results[i+1] != applied {
				t.Fatalf("event %d of %s: %v, %v", i, events[i].Account, results[i+1], apart.Failed[i])
			}
		}
	})
}

// What the database does not take of one event harms the event, not its account.
func TestAnAccountIsNotSetAsideForABadEvent(t *testing.T) {
	grouped(t, engine.GroupOptions{}, func(t *testing.T, s *slowStore, g *engine.Group) {
		s.fail = func(events []reward.Event) error {
			if slices.ContainsFunc(events, func(e reward.Event) bool { return e.ID == "e7" }) {
				return &store.Failure{Reach: store.OneEvent, Account: "acct-1", Err: errors.New("not a text")}
			}
			return nil
		}
		if _, err := g.Apply(t.Context(), []reward.Event{settled("acct-1", 7)}, nil); store.ReachOf(err) != store.OneEvent {
			t.Errorf("the bad event: %v", err)
		}
		if results, err := g.Apply(t.Context(), []reward.Event{settled("acct-1", 8)}, nil); err != nil || results[0] != applied {
			t.Errorf("another of the account: %v, %v", results, err)
		}
	})
}

// Cycles are closed of all accounts but those that are broken.
func TestCyclesAreClosedBesideABrokenAccount(t *testing.T) {
	broken(t, func(t *testing.T, s *brokenStore, en *engine.Engine, g *engine.Group) {
		accounts := []string{"a", "bad", "c"}
		for i, id := range accounts {
			if _, err := g.Apply(t.Context(), []reward.Event{settled(id, i)}, nil); err != nil {
				t.Fatal(err)
			}
		}
		s.set("bad", store.OneAccount)
		done := make(map[string]bool)
		due := func(_ context.Context, at reward.Instant, limit int) (list []string, err error) {
			for _, id := range accounts {
				if a := s.Account(id); a.Now() < at && len(list) < limit {
					list = append(list, id)
				} else if a.Now() >= at {
					done[id] = true
				}
			}
			return list, nil
		}
		closed, err := en.CloseDue(t.Context(), reward.CycleAt(january+40*reward.Day).Start(), due)
		if err != nil || closed != 2 || !done["a"] || !done["c"] || done["bad"] {
			t.Errorf("closed %d (%v): %v", closed, done, err)
		}
		if got := outcasts(en); !slices.Equal(got, []string{"bad damaged"}) {
			t.Errorf("set aside: %v", got)
		}
	})
}
