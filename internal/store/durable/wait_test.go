package durable_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"recoup/internal/engine"
	"recoup/program"
	"recoup/reward"
)

// BenchmarkRedemptionBesideBatches is how long a redemption takes, one after the
// other, while senders keep the group busy with batches of 5,000 purchases.
func BenchmarkRedemptionBesideBatches(b *testing.B) {
	for _, name := range []string{"pebble", "postgres"} {
		for _, senders := range []int{0, 1, 4} {
			b.Run(fmt.Sprintf("%s/senders=%d", name, senders), func(b *testing.B) {
				var mu sync.Mutex
				var sizes, applying, took []time.Duration
				g := engine.NewGroup(engine.New(open(b, databases[name](b), program.Everyday(), 0)), engine.GroupOptions{Queue: 1 << 20, Observe: func(c engine.Commit) {
					mu.Lock()
					defer mu.Unlock()
					sizes, took, applying = append(sizes, time.Duration(c.Events)), append(took, c.Took), append(applying, c.Applying)
				}})
				var sent atomic.Int64
				var stop atomic.Bool
				var wg sync.WaitGroup
				for sender := range senders {
					wg.Go(func() {
						for round := 0; !stop.Load(); round++ {
							if _, err := g.Apply(context.Background(), purchases(sender, round, 5000), nil); err != nil {
								b.Error(err)
							}
							sent.Add(5000)
						}
					})
				}
				waits := make([]time.Duration, 0, b.N)
				for b.Loop() {
					e := reward.Event{
						Source: "api", ID: fmt.Sprint("r", len(waits)), Account: "saver", Time: reward.At(january) + reward.Instant(len(waits)), Type: reward.RedemptionRequested,
						Fact: fmt.Sprint("r", len(waits)), Amount: 1, HasAmount: true, Currency: "USD",
					}
					start := time.Now()
					if _, err := g.Apply(context.Background(), []reward.Event{e}, nil); err != nil {
						b.Fatal(err)
					}
					waits = append(waits, time.Since(start))
				}
				b.ReportMetric(float64(sent.Load())/b.Elapsed().Seconds(), "events/s")
				stop.Store(true)
				wg.Wait()
				g.Close(context.Background())
				slices.Sort(waits)
				ms := func(list []time.Duration, permille int) float64 {
					return list[len(list)*permille/1000].Seconds() * 1000
				}
				for _, list := range [][]time.Duration{sizes, applying, took} {
					slices.Sort(list)
				}
				b.ReportMetric(ms(waits, 500), "p50-ms")
				b.ReportMetric(ms(waits, 990), "p99-ms")
				b.ReportMetric(ms(took, 500), "commit-ms")
				b.ReportMetric(ms(applying, 500), "apply-ms")
				b.ReportMetric(float64(sizes[len(sizes)/2]), "events/commit")
			})
		}
	}
}

// purchases is a batch of one of several senders.
func purchases(sender, round, n int) []reward.Event {
	list := make([]reward.Event, n)
	for i := range list {
		at := round*n + i
		id := fmt.Sprintf("%d-%09d", sender, at)
		list[i] = reward.Event{
			Source: "core", ID: "e" + id, Account: fmt.Sprintf("acct-%d-%05d", sender, at*7919%10_000), Time: reward.At(january) + reward.Instant(at)*1e6,
			Type: reward.TransactionSettled, Transaction: "t" + id, Amount: 2000, HasAmount: true, Currency: "USD", Merchant: "m1", Category: "GROCERY",
		}
	}
	return list
}
