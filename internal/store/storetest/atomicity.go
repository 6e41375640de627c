package storetest

import (
	"context"
	"errors"
	"testing"

	"recoup/internal/store"
	"recoup/reward"
)

func cancelledBefore(t *testing.T, s *subject) {
	kept := settled("a", "t1", 10_000)
	s.deliver(t, kept)
	before, _ := s.state(t, "a")

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	batch := []reward.Event{settled("a", "t2", 10_000), settled("new", "t1", 10_000)}
	if _, err := s.try(ctx, batch); !errors.Is(err, context.Canceled) {
		t.Fatalf("Update with a cancelled context returned %v, want context.Canceled", err)
	}
	expectAccounts(t, s, "a")
	expectState(t, s, before)
	s.expectSighting(t, store.Unseen, batch...)
	s.expectSighting(t, store.SameContent, kept)

	// Nothing stands in the way of delivering them now.
	for _, a := range s.deliver(t, batch...) {
		if a.Result.Outcome != reward.Applied {
			t.Errorf("delivered again: %v %v", a.Result.Outcome, a.Result.Code)
		}
	}
}

// cancelledAtWork allows a store to finish what it has begun, or to drop it, but
// not in part and not in silence.
func cancelledAtWork(t *testing.T, s *subject) {
	s.deliver(t, settled("a", "t1", 10_000))
	before, _ := s.state(t, "a")

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	batch := []reward.Event{settled("a", "t2", 10_000), settled("new", "t1", 10_000)}
	err := s.Update(ctx, batch, func(u store.Unit) {
		apply(u, 0, &batch[0])
		cancel()
		apply(u, 1, &batch[1])
	})
	if err != nil {
		expectAccounts(t, s, "a")
		expectState(t, s, before)
		s.expectSighting(t, store.Unseen, batch...)
		return
	}
	expectAccounts(t, s, "a", "new")
	s.expectSighting(t, store.SameContent, batch...)
	if a, _ := s.state(t, "a"); a.Balance != 200 {
		t.Errorf("the account has balance %d, want 200", a.Balance)
	}
}
