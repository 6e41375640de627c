package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"recoup/internal/engine"
	"recoup/reward"
)

func TestAFullQueueRefusesAtOnce(t *testing.T) {
	for _, workers := range []int{1, 3} {
		grouped(t, engine.GroupOptions{Workers: workers, Queue: 10}, func(t *testing.T, s *slowStore, g *engine.Group) {
			c := callersOf(g)
			expect := func(what string, waiting int, want error, events ...reward.Event) {
				t.Helper()
				a := c.soFar(c.call(t.Context(), events...))
				if want != nil && !errors.Is(a.err, want) || want == nil && a.err != nil || g.Waiting() != waiting {
					t.Errorf("%d workers, %s: %v and %d waiting; want %v and %d", workers, what, a.err, g.Waiting(), want, waiting)
				}
			}
			refused := settled("acct-1", 100)
			expect("the first, which is applied at once", 0, nil, settled("acct-1", 1))
			expect("more than the queue, where nothing waits", 20, nil, several("acct-1", 2, 20)...)
			expect("one more", 20, engine.ErrBusy, refused)
			expect("one more, elsewhere", 20, engine.ErrBusy, settled("acct-2", 101))
			time.Sleep(time.Second)
			synctest.Wait() // until the many are being applied
			expect("some", 4, nil, several("acct-1", 40, 4)...)
			expect("more than there is room for", 4, engine.ErrBusy, several("acct-1", 50, 7)...)
			expect("just as many", 10, nil, several("acct-1", 60, 6)...)
			expect("one too many", 10, engine.ErrBusy, refused)
			c.wait()
			if results, err := g.Apply(t.Context(), []reward.Event{refused}, nil); err != nil || results[0] != applied {
				t.Errorf("the one that was refused, again: %v, %v", results, err)
			}
		})
	}
}

func TestACallerThatLeavesDoesNotTakeItsEventsAlong(t *testing.T) {
	grouped(t, engine.GroupOptions{}, func(t *testing.T, s *slowStore, g *engine.Group) {
		c := callersOf(g)
		ctx, leave := context.WithCancel(t.Context())
		events := several("acct-1", 2, 1)
		first, leaver, other := c.call(t.Context(), settled("acct-1", 1)), c.call(ctx, events...), c.call(t.Context(), settled("acct-1", 3))
		leave()
		synctest.Wait()
		if a := c.soFar(leaver); !errors.Is(a.err, context.Canceled) || a.results != nil {
			t.Errorf("the caller that left got %v, %v", a.results, a.err)
		}
		events[0] = reward.Event{} // it may do with them what it likes
		if c.wait(); first.err != nil || other.err != nil {
			t.Errorf("the others got %v and %v", first.err, other.err)
		}
		results, err := g.Apply(t.Context(), several("acct-1", 2, 1), nil)
		if err != nil || results[0] != duplicate {
			t.Errorf("its event again: %v, %v; want a duplicate", results, err)
		}
		if _, err := g.Apply(ctx, several("acct-1", 4, 1), nil); !errors.Is(err, context.Canceled) {
			t.Errorf("a caller that had left before: %v", err)
		}
		if results, err = g.Apply(t.Context(), several("acct-1", 4, 1), nil); err != nil || results[0] != applied {
			t.Errorf("its event again: %v, %v; want applied", results, err)
		}
	})
}

func TestAnErrorReachesAllOfABatch(t *testing.T) {
	for _, workers := range []int{1, 3} {
		o := engine.GroupOptions{Workers: workers, Unavailable: func(err error) bool { return errors.Is(err, errDisk) }}
		grouped(t, o, func(t *testing.T, s *slowStore, g *engine.Group) {
			s.fail = func([]reward.Event) error { return fmt.Errorf("writing: %w", errDisk) }
			c := callersOf(g)
			for i := range 20 {
				c.call(t.Context(), settled(fmt.Sprint("acct-", i), i), settled(fmt.Sprint("acct-", i+1), 100+i))
			}
			for i, a := range c.wait() {
				if !errors.Is(a.err, errDisk) || a.results != nil {
					t.Errorf("caller %d: %v, %v", i, a.results, a.err)
				}
			}
			if len(s.commits) > 2*workers {
				t.Errorf("%d commits, though the store was known to be unavailable", len(s.commits))
			}
			s.fail = nil
			results, err := g.Apply(t.Context(), []reward.Event{settled("acct-1", 1), settled("acct-2", 101)}, nil)
			if err != nil || !slices.Equal(results, []reward.Result{applied, applied}) {
				t.Errorf("later: %v, %v", results, err)
			}
		})
	}
}

func TestABadEventHarmsNobodyElse(t *testing.T) {
	const clients = 100
	errBad := errors.New("text with a zero byte")
	for _, bad := range []int{1, 2, 50, 99} {
		grouped(t, engine.GroupOptions{}, func(t *testing.T, s *slowStore, g *engine.Group) {
			s.fail = func(events []reward.Event) error {
				if slices.ContainsFunc(events, func(e reward.Event) bool { return e.Account == "bad" }) {
					return errBad
				}
				return nil
			}
			c := callersOf(g)
			for i := range clients {
				account := fmt.Sprint("acct-", i)
				if i == bad {
					account = "bad"
				}
				c.call(t.Context(), settled(fmt.Sprint("acct-", i), 1000+i), settled(account, i))
			}
			for i, a := range c.wait() {
				if i == bad && (!errors.Is(a.err, errBad) || a.results != nil) || i != bad && (a.err != nil || !slices.Equal(a.results, []reward.Result{applied, applied})) {
					t.Errorf("caller %d beside the bad one %d: %v, %v", i, bad, a.results, a.err)
				}
			}
			if s.Account(fmt.Sprint("acct-", bad)) != nil {
				t.Errorf("an event of the bad caller's was kept")
			}
			if len(s.commits) > 2+2*7 {
				t.Errorf("%d commits to find one of 99", len(s.commits))
			}
		})
	}
}

// TestAttemptsEnd: a store that fails in a way that nobody knows is not asked
// once for every caller.
func TestAttemptsEnd(t *testing.T) {
	grouped(t, engine.GroupOptions{}, func(t *testing.T, s *slowStore, g *engine.Group) {
		s.fail = func([]reward.Event) error { return errDisk }
		c := callersOf(g)
		for i := range 1000 {
			c.call(t.Context(), settled(fmt.Sprint("acct-", i), i))
		}
		for i, a := range c.wait() {
			if !errors.Is(a.err, errDisk) {
				t.Errorf("caller %d: %v", i, a.err)
			}
		}
		if len(s.commits) > 45 {
			t.Errorf("%d commits of 1000 callers", len(s.commits))
		}
	})
}

func TestCloseFinishesWhatWasAccepted(t *testing.T) {
	for _, workers := range []int{1, 3} {
		grouped(t, engine.GroupOptions{Workers: workers, MaxBatch: 2}, func(t *testing.T, s *slowStore, g *engine.Group) {
			c := callersOf(g)
			for i := range 12 {
				c.call(t.Context(), settled("acct-1", i), settled(fmt.Sprint("acct-", i), 100+i))
			}
			closed := make(chan error, 2)
			for range 2 {
				go func() { closed <- g.Close(t.Context()) }()
			}
			synctest.Wait()
			for _, events := range [][]reward.Event{several("acct-1", 50, 1), {settled("acct-1", 51), settled("acct-2", 52), settled("acct-3", 53)}} {
				if _, err := g.Apply(t.Context(), events, nil); err != engine.ErrClosed {
					t.Errorf("while it closes: %v", err)
				}
			}
			if len(closed) > 0 {
				t.Error("closed before everybody was answered")
			}
			for i, a := range c.wait() {
				if a.err != nil || len(a.results) != 2 {
					t.Errorf("%d workers, caller %d: %v, %v", workers, i, a.results, a.err)
				}
			}
			if err := errors.Join(<-closed, <-closed); err != nil {
				t.Error(err)
			}
			if _, err := g.Apply(t.Context(), several("acct-1", 54, 1), nil); err != engine.ErrClosed {
				t.Errorf("after it closed: %v", err)
			}
		})
	}
}

func TestCloseGivesUpWithItsContext(t *testing.T) {
	grouped(t, engine.GroupOptions{MaxBatch: 1}, func(t *testing.T, s *slowStore, g *engine.Group) {
		c := callersOf(g)
		for i := range 5 {
			c.call(t.Context(), settled("acct-1", i))
		}
		ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer cancel()
		if err := g.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("closing ends with %v", err)
		}
		for i, a := range c.wait() {
			if i == 0 && a.err != nil || i > 0 && !errors.Is(a.err, engine.ErrClosed) || a.at > 1500*time.Millisecond {
				t.Errorf("caller %d: %v after %v", i, a.err, a.at)
			}
		}
	})
}
