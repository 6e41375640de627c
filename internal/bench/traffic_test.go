package bench

import (
	"testing"
	"time"

	"recoup/event"
	"recoup/internal/engine"
	"recoup/internal/store/memory"
	"recoup/program"
	"recoup/reward"
)

// TestTrafficIsAMixture plays some traffic: every event is well formed, has an
// outcome that the traffic expects, and sorts after the one before.
func TestTrafficIsAMixture(t *testing.T) {
	const total = 20_000
	tr := newTraffic(7, 500, 1)
	en := engine.New(memory.New(program.Everyday()))
	d := event.NewDecoder()
	now := time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC)
	types, accounts := make(map[reward.Type]int), make(map[string]bool)
	last := ""
	for range total {
		e := tr.next(now)
		var again reward.Event
		if err := d.Decode(event.Append(nil, &e), &again); err != nil {
			t.Fatalf("%+v: %v", e, err)
		}
		if member, ok := event.CardNumber(&e, nil); ok {
			t.Fatalf("%+v has a card number as %s", e, member)
		}
		if e.ID <= last {
			t.Fatalf("%s comes after %s", e.ID, last)
		}
		results, err := en.Apply(t.Context(), []reward.Event{again}, nil)
		if err != nil || !tr.answered(&e, results[0]) {
			t.Fatalf("%+v: %v, %v", e, results, err)
		}
		last = e.ID
		types[e.Type]++
		accounts[e.Account] = true
	}
	for kind, percent := range map[reward.Type]int{
		reward.TransactionSettled: 80, reward.RefundPosted: 10, reward.RedemptionRequested: 5, reward.TransactionAuthorized: 2,
		reward.RefundPending: 1, reward.ChargebackPosted: 1, reward.AdjustmentPosted: 1,
	} {
		if n := types[kind] * 1000 / total; n < percent*7 || n > percent*13 {
			t.Errorf("%d of %d events are %s, want about %d %%", types[kind], total, kind, percent)
		}
		delete(types, kind)
	}
	if len(types) > 0 || len(accounts) != 500 {
		t.Errorf("there are also %v, and %d accounts", types, len(accounts))
	}
}
