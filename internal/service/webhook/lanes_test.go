package webhook_test

import (
	"context"
	"testing"
	"time"

	"recoup/internal/service/webhook"
	"recoup/internal/store/outbox"
	"recoup/internal/store/pebble/pebbletest"
	"recoup/internal/store/record"
)

// What waits in several lanes is one outbox, of endpoints that are in one place.
func TestAnOutboxOfSeveralLanes(t *testing.T) {
	inPebble(t, func(t *testing.T, home *database) {
		other := &database{clock: home.clock, Driver: pebbletest.Open(t), written: 100}
		both := webhook.New(home, func() []record.Store { return []record.Store{home, other} }, home.now)
		broken := answering(t, 500)
		e, _ := add(t, both, broken.URL)
		add(t, both, "https://example.com/", outbox.ReviewOpened)
		home.notifyOf(t, home, outbox.RewardPosted, "a1", "a2")
		other.notifyOf(t, home, outbox.RewardPosted, "b1", "b2", "b3")
		if c, err := both.Counts(t.Context()); err != nil || c != (webhook.Counts{Endpoints: 2, Due: 5}) {
			t.Fatalf("counted are %+v, %v", c, err)
		}

		sending, stop := context.WithCancel(t.Context())
		attempts, ended := make(chan webhook.Attempt, 5), make(chan bool)
		o := onThisMachine
		o.Schedule, o.Poll, o.Observe = []time.Duration{}, time.Hour, func(a webhook.Attempt) { attempts <- a }
		go func() {
			defer close(ended)
			webhook.Dispatch(sending, both, o)
		}()
		for range 5 {
			if a := await(t, attempts, "an attempt"); a.Fate != webhook.Dead {
				t.Errorf("the attempt is %+v", a)
			}
		}
		stop()
		await(t, ended, "the end of the dispatchers")

		// Numbers are those of the whole database.
		first, err := both.Dead(t.Context(), "", 0, 3)
		if err != nil || len(first) != 3 {
			t.Fatalf("the first three dead letters are %+v, %v", first, err)
		}
		rest, err := both.Dead(t.Context(), e.ID, first[2].Number, 10)
		if err != nil || len(rest) != 2 {
			t.Fatalf("the other two dead letters are %+v, %v", rest, err)
		}
		accounts := map[string]bool{}
		for i, l := range append(first, rest...) {
			accounts[l.Account] = true
			if l.Number != int64(i+1) {
				t.Errorf("dead letter %d has the number %d", i+1, l.Number)
			}
		}
		if len(accounts) != 5 {
			t.Errorf("the dead letters are of %v", accounts)
		}

		for number := range int64(2) {
			if err := both.Replay(t.Context(), number*4+1); err != nil {
				t.Error(err)
			}
		}
		if n, err := both.ReplayAll(t.Context(), e.ID); n != 3 || err != nil {
			t.Errorf("%d were replayed, %v", n, err)
		}
		if len(home.left(t)) != 2 || len(other.left(t)) != 3 {
			t.Errorf("%d and %d wait, want two in the one and three in the other", len(home.left(t)), len(other.left(t)))
		}
		if err := both.Remove(t.Context(), e.ID); err != nil {
			t.Fatal(err)
		}
		if n := len(home.left(t)) + len(other.left(t)); n != 0 {
			t.Errorf("%d are left of an endpoint that was removed", n)
		}
	})
}
