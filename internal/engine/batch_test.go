package engine_test

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"recoup/internal/traffic"
	"recoup/program"
	"recoup/reward"
)

// drawProgram draws the everyday program in one of its timings and methods.
func drawProgram(t *rapid.T) *reward.Program {
	p := *program.Everyday()
	p.Timing.Grant = rapid.SampledFrom([]reward.GrantTiming{reward.GrantAtSettlement, reward.GrantAtStatement}).Draw(t, "grant")
	p.Timing.Clawback = rapid.SampledFrom([]reward.ClawbackTiming{reward.ClawbackAtRefund, reward.ClawbackAtStatement}).Draw(t, "clawback")
	p.Method = rapid.SampledFrom([]reward.ClawbackMethod{reward.Proportional, reward.Rerate}).Draw(t, "method")
	return &p
}

// drawStream draws the traffic of a few accounts, with redeliveries, disorder,
// reused identities and bad input.
func drawStream(t *rapid.T, p *reward.Program) []reward.Event {
	events := slices.Collect(traffic.Generate(traffic.Options{
		Accounts: rapid.IntRange(1, 8).Draw(t, "accounts"), Events: 300, Seed: rapid.Uint64().Draw(t, "seed"),
		Program: p, Days: 120, ReturnShare: 300, OverRefunds: 200, Duplicates: 100, Disorder: 200,
	}))
	for range rapid.IntRange(0, 10).Draw(t, "faults") {
		at := rapid.IntRange(1, len(events)-1).Draw(t, "at")
		e := &events[at]
		switch rapid.IntRange(0, 2).Draw(t, "fault") {
		case 0:
			e.ID = events[rapid.IntRange(0, at-1).Draw(t, "of")].ID
		case 1:
			e.Amount = 0
		case 2:
			e.Currency = "EUR"
		}
	}
	return events
}

// TestAnySplitIntoBatchesEndsAlike: how events are gathered into batches is the
// caller's business, and shows in no answer and no account.
func TestAnySplitIntoBatchesEndsAlike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProgram(t)
		events := drawStream(t, p)
		single, split := newFixture(p), newFixture(p)
		var want, got []reward.Result
		for _, e := range events {
			want = append(want, single.deliver(t, e)...)
		}
		for rest := events; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "batch")
			got = append(got, split.deliver(t, rest[:n]...)...)
			rest = rest[n:]
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("event %d %+v: %v %v, one by one %v %v", i, events[i], got[i].Outcome, got[i].Code, want[i].Outcome, want[i].Code)
			}
		}
		if want, got := single.states(), split.states(); !reflect.DeepEqual(got, want) {
			t.Fatalf("the accounts are\n%+v, one by one\n%+v", got, want)
		}
		if !slices.Equal(single.log, split.log) {
			t.Fatal("other events were recorded than one by one")
		}
		for _, v := range split.store.Check() {
			t.Error(v)
		}
	})
}
