package reward_test

import (
	"fmt"
	"testing"
	"time"

	"recoup/reward"
)

// pensioner is an account on a shelf with a purchase a month, redeemed now and then, for
// so many months, whose rewards expire after 24.
func pensioner(t testing.TB, months int) (*cupboard, *reward.Program, reward.Instant) {
	t.Helper()
	program := expiring(24)
	shelf := &cupboard{parts: make(map[place]reward.Part)}
	a := shelf.open(t, "acct", program)
	now := reward.At(time.Date(2000, 1, 10, 0, 0, 0, 0, time.UTC))
	for i := range months {
		now = reward.At(time.Date(2000, time.Month(i+1), 10, 0, 0, 0, 0, time.UTC))
		a.Apply(&reward.Event{Account: "acct", ID: fmt.Sprint("s", i), Time: now, Type: reward.TransactionSettled, Transaction: fmt.Sprint("t", i), Amount: 10_000, HasAmount: true, Currency: "USD"}, nil)
		if i%5 == 4 {
			a.Apply(&reward.Event{Account: "acct", ID: fmt.Sprint("d", i), Time: now + 1, Type: reward.RedemptionRequested, Fact: fmt.Sprint("d", i), Amount: 3_000, HasAmount: true, Currency: "USD"}, nil)
		}
	}
	shelf.put(a)
	return shelf, program, now
}

// TestHistoryIsNotReadForWhatExpires: an ordinary event reads nothing of what has expired,
// the head has the lots that live alone, and a return from long ago reads one part more.
func TestHistoryIsNotReadForWhatExpires(t *testing.T) {
	heads := make(map[int]int)
	for _, months := range []int{30, 240} {
		shelf, program, now := pensioner(t, months)
		heads[months] = len(shelf.head)
		event := func(kind reward.Type, fact, transaction string) (reads, changes int) {
			a := shelf.open(t, "acct", program)
			before := shelf.reads
			r, _ := a.Apply(&reward.Event{Account: "acct", ID: "now", Time: now + 2, Type: kind, Fact: fact, Transaction: transaction, Amount: 10_000, HasAmount: true, Currency: "USD"}, nil)
			if r.Outcome != reward.Applied {
				t.Fatal(r)
			}
			reads = shelf.reads - before
			a.Changes(func(reward.Part) { changes++ })
			return reads, changes
		}
		if reads, changes := event(reward.TransactionSettled, "", "new"); reads > 1 || changes > 1 {
			t.Errorf("after %d months a settlement reads %d parts and changes %d", months, reads, changes)
		}
		// The refund, its purchase, the bucket of its cycle, and what has expired.
		if reads, changes := event(reward.RefundPosted, "r1", "t0"); reads > 4 || changes > 4 {
			t.Errorf("after %d months the return of the first purchase reads %d parts and changes %d", months, reads, changes)
		}
	}
	if heads[240] > heads[30]+20 {
		t.Errorf("the head has %d bytes after 30 months and %d after 240", heads[30], heads[240])
	}
}

// BenchmarkExpiry is one event on such an account at hand: a settlement of today, or the
// return of the first purchase and its undoing, which has all that expired worked out.
func BenchmarkExpiry(b *testing.B) {
	for _, months := range []int{12, 120, 240} {
		for _, what := range []string{"today", "long ago"} {
			b.Run(fmt.Sprintf("%s/months=%d", what, months), func(b *testing.B) {
				shelf, program, now := pensioner(b, months)
				a := shelf.open(b, "acct", program)
				var journal []reward.Posting
				began, i := processorTime(), 0
				for ; b.Loop(); i++ {
					e := reward.Event{Account: "acct", ID: "now", Time: now + 2, Type: reward.TransactionSettled, Transaction: fmt.Sprint("n", i), Amount: 1_000, HasAmount: true, Currency: "USD"}
					if what == "long ago" {
						e.Type, e.Transaction, e.Fact = reward.RefundPosted, "t0", fmt.Sprint("r", i/2)
						if i%2 == 1 {
							e.Type = reward.RefundReversed
						}
					}
					_, journal = a.Apply(&e, journal[:0])
				}
				b.ReportMetric(float64((processorTime()-began).Nanoseconds())/float64(i), "cpu-ns/event")
			})
		}
	}
}
