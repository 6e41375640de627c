package overview_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"recoup/internal/console/overview"
	"recoup/internal/traffic"
	"recoup/program"
	"recoup/reward"
)

// BenchmarkRefresh reads all figures of 100,000 events of 5,000 accounts: at the start,
// when every log is read, and again, when a hundredth of the accounts has had an event.
func BenchmarkRefresh(b *testing.B) {
	h := onPebble(b)
	p, err := program.Parse("program", []byte(everyday))
	if err != nil {
		b.Fatal(err)
	}
	events := slices.Collect(traffic.Generate(traffic.Options{
		Accounts: 5_000, Events: 100_000, Seed: 1, Program: p, Start: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Days: 365, ReturnShare: 150,
	}))
	for part := range slices.Chunk(events, 1_000) {
		h.deliver(part...)
	}
	h.now = time.Date(2027, 1, 2, 0, 0, 0, 0, time.UTC)
	refresh := func(b *testing.B, o *overview.Overview) {
		h.now = h.now.Add(10 * time.Minute)
		if err := o.Refresh(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("at the start", func(b *testing.B) {
		for b.Loop() {
			refresh(b, overview.New(h.options()))
		}
	})
	b.Run("again", func(b *testing.B) {
		o := overview.New(h.options())
		refresh(b, o)
		for b.Loop() {
			b.StopTimer()
			var some []reward.Event
			for i := range 50 {
				e := events[i*100]
				some = append(some, reward.Event{Source: "bench", ID: e.ID + h.now.String(), Account: e.Account, Time: reward.At(h.now), Type: reward.AdjustmentPosted, Fact: h.now.String(), Amount: 1, HasAmount: true, Currency: "USD", Reason: "r", Actor: "a"})
			}
			h.deliver(some...)
			b.StartTimer()
			refresh(b, o)
		}
	})
	b.Run("a sorted page", func(b *testing.B) {
		o := overview.New(h.options())
		refresh(b, o)
		for b.Loop() {
			o.Latest().Listing.List(overview.Choice{Owing: true}, overview.SortByDebt, 0, 50)
		}
	})
}
