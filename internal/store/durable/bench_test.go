package durable_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"recoup/internal/engine"
	"recoup/program"
	"recoup/reward"
)

// BenchmarkApply applies settlements, one in ten followed by its refund, to
// accounts chosen at random out of 10,000, in batches of a size: durably, a commit
// a batch.
func BenchmarkApply(b *testing.B) {
	const accounts = 10_000
	january := reward.At(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	for _, name := range []string{"pebble", "postgres"} {
		for _, size := range []int{64, 1000} {
			b.Run(fmt.Sprintf("%s/batch=%d", name, size), func(b *testing.B) {
				d := databases[name](b)
				en := engine.New(open(b, d, program.Everyday(), 0))
				random := rand.New(rand.NewPCG(1, 2))
				batch := make([]reward.Event, 0, size)
				var results []reward.Result
				n := 0
				fill := func() {
					batch = batch[:0]
					for len(batch) < size {
						n++
						id := fmt.Sprintf("%09d", n)
						e := reward.Event{
							Source: "core", ID: "e" + id, Account: fmt.Sprintf("acct-%05d", random.IntN(accounts)), Time: january + reward.Instant(n)*1e6,
							Type: reward.TransactionSettled, Transaction: "t" + id, Amount: 2000, HasAmount: true, Currency: "USD", Merchant: "m1", Category: "GROCERY",
						}
						batch = append(batch, e)
						if n%10 == 0 && len(batch) < size {
							e.Type, e.Fact, e.ID = reward.RefundPosted, "r"+id, "f"+id
							batch = append(batch, e)
						}
					}
				}
				b.ReportAllocs()
				b.ResetTimer()
				for done := 0; done < b.N; done += size {
					fill()
					var err error
					if results, err = en.Apply(context.Background(), batch, results[:0]); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
			})
		}
	}
}
