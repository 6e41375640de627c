package engine_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"recoup/engine"
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
