package traffic_test

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"testing"
	"time"

	"recoup/event"
	"recoup/internal/traffic"
	"recoup/reward"
)

// lines is the stream as it is written to a file.
func lines(o traffic.Options) []byte {
	var out []byte
	for e := range traffic.Generate(o) {
		out = append(event.Append(out, &e), '\n')
	}
	return out
}

func TestASeedGivesTheSameEvents(t *testing.T) {
	o := traffic.Options{Accounts: 50, Events: 20_000, Seed: 7, Duplicates: 10, Disorder: 20}
	first := lines(o)
	if second := lines(o); string(first) != string(second) {
		t.Error("the same seed gave other events")
	}
	o.Seed++
	if other := lines(o); string(first) == string(other) {
		t.Error("another seed gave the same events")
	}
	stream := traffic.Generate(o)
	var sums [2]int64
	for i := range sums {
		for e := range stream {
			sums[i] = sums[i]*31 + e.Amount + int64(e.Time)
		}
	}
	if sums[0] != sums[1] {
		t.Error("ranging over the same stream twice gave other events")
	}
}

// A load test that is reported with its seed can be repeated elsewhere: these
// bytes are the same on every machine. Whoever changes what is generated
// changes the sum here.
func TestASeedGivesTheSameEventsEverywhere(t *testing.T) {
	const want = "14f3aff361ed5d51cdac2ab06fd12c0afd2c6d2b98ba5516d7a94c1918b6f838"
	sum := sha256.Sum256(lines(traffic.Options{Accounts: 100, Events: 50_000, Seed: 1, OverRefunds: 10, Duplicates: 10, Disorder: 10}))
	if got := hex.EncodeToString(sum[:]); got != want {
		t.Errorf("the events have the sum %s, want %s", got, want)
	}
}

func TestExactlySoManyEvents(t *testing.T) {
	for _, o := range []traffic.Options{
		{Accounts: 1, Events: 0},
		{Accounts: 1, Events: 1},
		{Accounts: 1000, Events: 7},
		{Accounts: 3, Events: 10_000},
		{Accounts: 30, Events: 10_000, Duplicates: 1000, Disorder: 1000, ReturnShare: 1000},
		{Accounts: 30, Events: 10_000, ReturnShare: traffic.NoReturns},
	} {
		n := 0
		for range traffic.Generate(o) {
			n++
		}
		if n != o.Events {
			t.Errorf("%+v: got %d events", o, n)
		}
	}
}

func TestAStreamMayBeLeftEarly(t *testing.T) {
	n := 0
	for range traffic.Generate(traffic.Options{Accounts: 5, Events: 1000}) {
		if n++; n == 10 {
			break
		}
	}
	if n != 10 {
		t.Errorf("got %d events, want 10", n)
	}
}

func TestEveryEventIsWellFormedOnTheWire(t *testing.T) {
	decoder := event.NewDecoder()
	seen := make(map[reward.Type]int)
	var line []byte
	for e := range traffic.Generate(traffic.Options{Accounts: 200, Events: 200_000, Seed: 5, OverRefunds: 50}) {
		line = event.Append(line[:0], &e)
		var back reward.Event
		if err := decoder.Decode(line, &back); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if back != e {
			t.Fatalf("got\n%+v\nback from\n%+v", back, e)
		}
		seen[e.Type]++
	}
	for _, what := range []reward.Type{
		reward.TransactionAuthorized, reward.TransactionSettled, reward.TransactionCanceled, reward.TransactionReversed,
		reward.RefundPending, reward.RefundPosted, reward.RefundCanceled, reward.RefundReversed,
		reward.ChargebackPosted, reward.ChargebackReversed, reward.RedemptionRequested, reward.RedemptionReversed, reward.AdjustmentPosted,
	} {
		if seen[what] == 0 {
			t.Errorf("there is no %v", what)
		}
	}
}

func TestOrder(t *testing.T) {
	start := time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)
	var events []reward.Event
	ids := make(map[string]bool)
	for e := range traffic.Generate(traffic.Options{Accounts: 40, Events: 30_000, Seed: 2, Start: start, Days: 100}) {
		events = append(events, e)
		ids[e.ID] = true
	}
	if !slices.IsSortedFunc(events, func(a, b reward.Event) int { return cmp.Compare(a.Time, b.Time) }) {
		t.Error("the events are not in the order of their times")
	}
	if len(ids) != len(events) {
		t.Errorf("%d events have %d ids", len(events), len(ids))
	}
	first, last := events[0].Time, events[len(events)-1].Time
	if first != reward.At(start) {
		t.Errorf("the first event is at %v, want %v", first, start)
	}
	if days := (last - first) / reward.Day; days < 80 || days > 140 {
		t.Errorf("the events take %d days, want about 100", days)
	}
}

func TestDuplicates(t *testing.T) {
	const events = 100_000
	seen := make(map[string]reward.Event)
	again := 0
	var last reward.Instant
	for e := range traffic.Generate(traffic.Options{Accounts: 40, Events: events, Seed: 2, Duplicates: 50}) {
		if first, known := seen[e.ID]; known {
			again++
			if first != e {
				t.Fatalf("delivered as\n%+v\nand again as\n%+v", first, e)
			}
			continue
		}
		seen[e.ID] = e
		if e.Time < last {
			t.Fatalf("%s is late, though only duplicates are", e.ID)
		}
		last = e.Time
	}
	within(t, "duplicates per mille of distinct events", float64(again*1000)/float64(len(seen)), 45, 55)
}

func TestDisorder(t *testing.T) {
	const events = 100_000
	late := 0
	ids := make(map[string]bool)
	var last reward.Instant
	for e := range traffic.Generate(traffic.Options{Accounts: 40, Events: events, Seed: 2, Days: 10, Disorder: 50}) {
		ids[e.ID] = true
		if e.Time < last {
			late++
			if last-e.Time > 5*reward.Day {
				t.Errorf("%s is %v late", e.ID, time.Duration(last-e.Time))
			}
		}
		last = max(last, e.Time)
	}
	if len(ids) != events {
		t.Errorf("%d events have %d ids", events, len(ids))
	}
	within(t, "late events per mille", float64(late*1000)/events, 45, 55)
}

func TestOptionsOutOfRange(t *testing.T) {
	good := traffic.Options{Accounts: 1, Events: 1}
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	for want, spoil := range map[string]func(*traffic.Options){
		"accounts 0":        func(o *traffic.Options) { o.Accounts = 0 },
		"events -1":         func(o *traffic.Options) { o.Events = -1 },
		"days 9999":         func(o *traffic.Options) { o.Days = 9999 },
		"start 2300":        func(o *traffic.Options) { o.Start = time.Date(2300, 1, 1, 0, 0, 0, 0, time.UTC) },
		"return share 1001": func(o *traffic.Options) { o.ReturnShare = 1001 },
		"return share -2":   func(o *traffic.Options) { o.ReturnShare = -2 },
		"over-refunds -1":   func(o *traffic.Options) { o.OverRefunds = -1 },
		"duplicates 1001":   func(o *traffic.Options) { o.Duplicates = 1001 },
		"disorder -1":       func(o *traffic.Options) { o.Disorder = -1 },
		`program "p"`:       func(o *traffic.Options) { o.Program = &reward.Program{ID: "p"} },
	} {
		o := good
		spoil(&o)
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "expected") {
			t.Errorf("%s: got error %v", want, err)
		}
	}
}

func within(t *testing.T, what string, got, least, most float64) {
	t.Helper()
	if got < least || got > most {
		t.Errorf("%s: got %.4g, want %.4g to %.4g", what, got, least, most)
	}
}
