package demo_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"recoup/internal/engine"
	"recoup/internal/service/demo"
	"recoup/reward"
)

// trickle returns what Live applies in some time.
func trickle(t *testing.T, d time.Duration) (list []reward.Event) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), d)
		defer cancel()
		err := demo.Live(ctx, func(_ context.Context, events []reward.Event, results []reward.Result) ([]reward.Result, error) {
			for i := range events {
				if !events[i].Time.Time().Equal(time.Now()) {
					t.Errorf("dated %v at %v", events[i].Time, time.Now())
				}
				results = append(results, reward.Result{Outcome: reward.Applied})
			}
			list = append(list, events...)
			return results, nil
		}, time.Now)
		if err != nil {
			t.Error(err)
		}
	})
	return list
}

// liveGoesOn looks at an hour of Live on loaded data: the last test with it.
func liveGoesOn(t *testing.T, s *service) {
	before := s.summary.Accounts
	list := trickle(t, time.Hour)
	if n := len(list); n < 3600/5 || n > 3600 {
		t.Fatalf("%d events in an hour", n)
	}
	kinds := map[reward.Type]int{}
	for i := range list {
		kinds[list[i].Type]++
		list[i].Time = reward.At(noon) + reward.Instant(i)*reward.Instant(time.Second)
	}
	for _, kind := range []reward.Type{reward.TransactionSettled, reward.RefundPosted, reward.RedemptionRequested} {
		if kinds[kind] == 0 {
			t.Errorf("no %v among %v", kind, kinds)
		}
	}
	results, err := engine.New(s.Store).Apply(context.Background(), list, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range results {
		denied := r.Code == reward.InsufficientBalance || r.Code == reward.GraceHold
		if r.Outcome != reward.Applied && !denied {
			t.Errorf("%+v: %v %v", list[i], r.Outcome, r.Code)
		}
	}
	if after := len(accounts(t, s)); after != before {
		t.Errorf("%d accounts, %d before", after, before)
	}
}

func TestLiveEndsWhenNothingCanBeApplied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		err := demo.Live(t.Context(), func(context.Context, []reward.Event, []reward.Result) ([]reward.Result, error) {
			return nil, errors.New("disk full")
		}, time.Now)
		if err == nil || !strings.Contains(err.Error(), "disk full") {
			t.Errorf("error %v", err)
		}
	})
}
