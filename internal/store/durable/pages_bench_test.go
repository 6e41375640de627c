package durable_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"recoup/internal/engine"
	"recoup/internal/store/durable"
	"recoup/internal/store/pebble/pebbletest"
	"recoup/program"
	"recoup/reward"
)

// grown fills a database with one account of so many events in 600 days, the last of them
// 32 days ago: a close is due that nobody has made, and which makes refunds firm. Four of a
// thousand are refunds that name no purchase, half of one are of more than theirs, and the
// last event announces one of more than its purchase.
func grown(t testing.TB, s *durable.Store, n int) {
	t.Helper()
	const days = 600
	start := time.Now().UTC().AddDate(0, 0, -days-32)
	random := rand.New(rand.NewPCG(1, uint64(n)))
	events := make([]reward.Event, 0, n)
	var bought []reward.Event
	for i := range n {
		e := reward.Event{
			Source: "core", ID: fmt.Sprintf("e%06d", i), Account: "a", Time: reward.At(start.Add(time.Duration(i) * days * 24 * time.Hour / time.Duration(n))),
			Type: reward.TransactionSettled, Transaction: fmt.Sprintf("t%06d", i), HasAmount: true, Currency: "USD",
		}
		recent := &e
		if len(bought) > 0 {
			recent = &bought[len(bought)-1-random.IntN(min(len(bought), 20))]
		}
		switch {
		case i == n-1:
			e.Type, e.Fact, e.Transaction, e.Amount = reward.RefundPending, "announced", recent.Transaction, recent.Amount+50
		case i%250 == 249:
			e.Type, e.Fact, e.Transaction, e.Amount, e.Merchant, e.Category = reward.RefundPosted, "r"+e.ID, "", recent.Amount, recent.Merchant, recent.Category
		case i%2000 == 1999:
			e.Type, e.Fact, e.Transaction, e.Amount = reward.RefundPosted, "r"+e.ID, recent.Transaction, recent.Amount+50
		default:
			m := random.IntN(2000)
			e.Amount, e.Merchant, e.Category = 500+int64(random.IntN(10_000)), fmt.Sprint("m", m), fmt.Sprint("C", m%12)
			bought = append(bought, e)
		}
		events = append(events, e)
	}
	en := engine.New(s)
	for len(events) > 0 {
		size := min(len(events), 5000)
		if _, err := en.Apply(context.Background(), events[:size], nil); err != nil {
			t.Fatal(err)
		}
		events = events[size:]
	}
}

// BenchmarkPages reads what pages of the console ask of one account, against how many
// events it has: processor time, whatever else the machine does.
func BenchmarkPages(b *testing.B) {
	ctx := context.Background()
	for _, n := range []int{1_000, 10_000, 100_000} {
		s := open(b, pebbletest.Open(b), program.Everyday(), 0)
		grown(b, s, n)
		now := reward.At(time.Now())
		open, _, _, err := s.Reviews(ctx, durable.ReviewFilter{Account: "a", Kind: reward.MatchedWithoutLink, Certain: true}, durable.ReviewPlace{}, 1)
		if err == nil && len(open) == 0 {
			open, _, _, err = s.Reviews(ctx, durable.ReviewFilter{Account: "a", Kind: reward.CertainWithoutLink, Certain: true}, durable.ReviewPlace{}, 1)
		}
		if err != nil || len(open) == 0 {
			b.Fatalf("%v, %d reviews of a refund without a link", err, len(open))
		}
		refund := open[0].Part.ID
		for _, page := range []struct {
			name string
			read func() error
		}{
			{"account", func() error { _, _, err := s.Account(ctx, "a"); return err }},
			{"statements", func() error { _, err := s.Statements(ctx, "a", 0, 25); return err }},
			{"purchase", func() error { _, _, err := s.Transaction(ctx, "a", "t000100"); return err }},
			{"reviews", func() error {
				_, _, _, err := s.Reviews(ctx, durable.ReviewFilter{Account: "a"}, durable.ReviewPlace{}, 20)
				return err
			}},
			{"candidates", func() error { _, err := s.Candidates(ctx, "a", refund, 200); return err }},
			{"decision", func() error {
				_, _, err := s.Try(ctx, reward.Event{Type: reward.RefundReversed, Account: "a", Time: now, Fact: refund})
				return err
			}},
		} {
			b.Run(fmt.Sprintf("events=%d/%s", n, page.name), func(b *testing.B) {
				began, i := processorTime(b), 0
				for ; b.Loop(); i++ {
					if err := page.read(); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64((processorTime(b)-began).Microseconds())/float64(i)/1000, "cpu-ms/op")
			})
		}
	}
}

// processorTime is what the process has used.
func processorTime(t testing.TB) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
