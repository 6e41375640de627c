package reward_test

import (
	"fmt"
	"testing"
	"time"

	"recoup/reward"
)

// shredded is an account with one purchase that was refunded a unit at a time, so often, at
// hand or put away; event is one more refund of it, and its undoing in turn.
func shredded(t testing.TB, refunds int) (shelf *cupboard, event func(a *reward.Account, i int), program *reward.Program) {
	t.Helper()
	program = cappedProgram(2, 5000, reward.Rerate)
	shelf = &cupboard{parts: make(map[place]reward.Part)}
	a := shelf.open(t, "acct", program)
	now := reward.At(time.Date(2026, 1, 10, 0, 0, 0, 0, time.UTC))
	apply := func(a *reward.Account, e reward.Event) {
		e.Account, e.ID, e.Time, e.Currency, e.HasAmount = "acct", "e", now, "USD", e.Amount != 0
		if r, _ := a.Apply(&e, nil); r.Outcome != reward.Applied {
			t.Fatal(e, r)
		}
	}
	apply(a, reward.Event{Type: reward.TransactionSettled, Transaction: "t", Amount: 1_000_000, Category: "C0"})
	for i := range refunds {
		apply(a, reward.Event{Type: reward.RefundPosted, Fact: fmt.Sprint("r", i), Transaction: "t", Amount: 1})
	}
	shelf.put(a)
	return shelf, func(a *reward.Account, i int) {
		e := reward.Event{Type: reward.RefundPosted, Fact: fmt.Sprint("more", i/2), Transaction: "t", Amount: 1}
		if i%2 == 1 {
			e = reward.Event{Type: reward.RefundReversed, Fact: e.Fact}
		}
		apply(a, e)
	}, program
}

// TestRefundsOfOneAreNotReadAgain: one more refund of a purchase that has many, or its
// undoing, reads the purchase, its bucket and the refund, however many there are; and what is
// put away adds up.
func TestRefundsOfOneAreNotReadAgain(t *testing.T) {
	for _, refunds := range []int{2, 300} {
		shelf, event, program := shredded(t, refunds)
		for i := range 10 {
			a := shelf.open(t, "acct", program)
			shelf.reads = 0
			if event(a, i); shelf.reads > 3 {
				t.Errorf("of a purchase with %d refunds event %d reads %d parts", refunds, i, shelf.reads)
			}
			shelf.put(a)
		}
		a := shelf.open(t, "acct", program)
		for _, v := range a.Check() {
			t.Error(v)
		}
		if d, ok := a.Detail("t"); !ok || d.Reversed != int64(refunds) || len(d.Refunds()) != refunds+5 {
			t.Errorf("%d of it are reversed by %d refunds, want %d by %d", d.Reversed, len(d.Refunds()), refunds, refunds+5)
		}
	}
}

// BenchmarkRefundsOfOne is one more refund of a purchase with many, or its undoing, on an
// account at hand, and on one that comes from its shelf and goes back.
func BenchmarkRefundsOfOne(b *testing.B) {
	for _, refunds := range []int{100, 1_000, 10_000} {
		b.Run(fmt.Sprintf("at hand/refunds=%d", refunds), func(b *testing.B) {
			shelf, event, program := shredded(b, refunds)
			a := shelf.open(b, "acct", program)
			event(a, 0)
			began, i := processorTime(), 1
			for ; b.Loop(); i++ {
				event(a, i)
			}
			b.ReportMetric(float64((processorTime()-began).Nanoseconds())/float64(i-1), "cpu-ns/event")
		})
		b.Run(fmt.Sprintf("shelf/refunds=%d", refunds), func(b *testing.B) {
			shelf, event, program := shredded(b, refunds)
			shelf.reads, shelf.writes, shelf.written = 0, 0, 0
			began, i := processorTime(), 0
			for ; b.Loop(); i++ {
				a := shelf.open(b, "acct", program)
				event(a, i)
				shelf.put(a)
			}
			b.ReportMetric(float64((processorTime()-began).Nanoseconds())/float64(i), "cpu-ns/event")
			b.ReportMetric(float64(shelf.reads)/float64(i), "reads/event")
			b.ReportMetric(float64(shelf.written)/float64(i), "B-written/event")
		})
	}
}
