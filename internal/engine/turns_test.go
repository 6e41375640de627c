package engine_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"recoup/internal/engine"
	"recoup/internal/store"
	"recoup/internal/store/memory"
	"recoup/program"
	"recoup/reward"
)

// Commits take a second and have a hundred events at most.

func TestSendersTakeTurns(t *testing.T) {
	for name, flood := range map[string]func(i int) (first, n int){
		"batches":     func(i int) (int, int) { return i * 1000, 100 },
		"many events": func(i int) (int, int) { return i * 1000, 10 },
	} {
		t.Run(name, func(t *testing.T) {
			grouped(t, engine.GroupOptions{MaxBatch: 100}, func(t *testing.T, _ *slowStore, g *engine.Group) {
				c := callersOf(g)
				noisy := engine.From(t.Context(), "noisy")
				for i := range 60 {
					first, n := flood(i)
					c.call(noisy, several(fmt.Sprint("acct-", i), first, n)...)
				}
				synctest.Wait() // all of them wait
				quiet := engine.From(t.Context(), "quiet")
				batch := c.call(quiet, several("saver", 900_000, 60)...)
				event := c.call(engine.From(t.Context(), "other"), settled("shopper", 950_000))
				c.wait()
				// One commit was under way.
				if event.err != nil || event.at > 2*time.Second {
					t.Errorf("an event of another sender: %v after %v, want it in the second commit", event.err, event.at)
				}
				if batch.err != nil || batch.at > 10*time.Second {
					t.Errorf("60 events of another sender: %v after %v, want an equal part of each commit for them", batch.err, batch.at)
				}
			})
		})
	}
}

func TestASenderLeavesRoomInTheQueue(t *testing.T) {
	grouped(t, engine.GroupOptions{MaxBatch: 100, Queue: 1000}, func(t *testing.T, _ *slowStore, g *engine.Group) {
		c := callersOf(g)
		noisy, quiet := engine.From(t.Context(), "noisy"), engine.From(t.Context(), "quiet")
		for i := range 20 {
			c.call(noisy, several(fmt.Sprint("acct-", i), i*1000, 100)...)
		}
		synctest.Wait()
		if _, err := g.Apply(noisy, several("acct-0", 90_000, 100), nil); !errors.Is(err, engine.ErrBusy) {
			t.Errorf("a sender that has half of the queue: %v, want %v", err, engine.ErrBusy)
		}
		batch := c.call(quiet, several("saver", 100_000, 300)...)
		event := settled("saver", 200_000)
		if _, _, err := g.Decide(engine.From(t.Context(), "commands of noisy"), event); err != nil {
			t.Errorf("a command: %v", err)
		}
		busy := 0
		for _, a := range c.wait() {
			if errors.Is(a.err, engine.ErrBusy) {
				busy++
			}
		}
		if batch.err != nil || busy != 15 {
			t.Errorf("the batch of another sender: %v; %d of 20 of the first were refused, want 15", batch.err, busy)
		}
		if _, err := g.Apply(noisy, several("acct-0", 300_000, 500), nil); err != nil {
			t.Errorf("when all is answered: %v", err)
		}
	})
}

func TestABatchThatIsLargerThanTheQueueComesInAlone(t *testing.T) {
	grouped(t, engine.GroupOptions{MaxBatch: 100, Queue: 50}, func(t *testing.T, _ *slowStore, g *engine.Group) {
		sender := engine.From(t.Context(), "sender")
		if _, err := g.Apply(sender, several("acct", 0, 80), nil); err != nil {
			t.Error(err)
		}
	})
}

// weighingStore is a store in memory whose commits take so long as such, and for each
// of their events.
type weighingStore struct {
	*memory.Store
	fixed, each time.Duration
}

func (s *weighingStore) Update(ctx context.Context, events []reward.Event, apply func(store.Unit)) error {
	time.Sleep(s.fixed + time.Duration(len(events))*s.each)
	return s.Store.Update(ctx, events, apply)
}

// Where a commit as such takes long, those of large requests are not made so large that
// others wait for a second.
func TestBatchesHoldUpNobodyOnASlowDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &weighingStore{memory.New(program.Everyday()), 80 * time.Millisecond, time.Millisecond}
		g := engine.NewGroup(engine.New(s), engine.GroupOptions{})
		c := callersOf(g)
		noisy, quiet := engine.From(t.Context(), "noisy"), engine.From(t.Context(), "quiet")
		for i := range 5 {
			c.call(noisy, several(fmt.Sprint("acct-", i), i*10_000, 2000)...)
		}
		var worst time.Duration
		for i := range 30 {
			time.Sleep(70 * time.Millisecond)
			start := time.Now()
			if _, err := g.Apply(quiet, []reward.Event{settled("saver", 900_000+i)}, nil); err != nil {
				t.Fatal(err)
			}
			if i >= 5 { // what commits cost has to be learnt
				worst = max(worst, time.Since(start))
			}
		}
		if worst > 500*time.Millisecond {
			t.Errorf("an event of another sender took up to %v", worst)
		}
		c.wait()
		if err := g.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
