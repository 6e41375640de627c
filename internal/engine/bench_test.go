package engine_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"recoup/internal/engine"
	"recoup/internal/store/memory"
	"recoup/program"
	"recoup/reward"
)

var january = reward.At(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))

// settled is a $20 grocery purchase, n milliseconds into 2026.
func settled(account string, n int) reward.Event {
	id := strconv.Itoa(n)
	return reward.Event{
		Source: "core", ID: "e" + id, Account: account, Time: january + reward.Instant(n)*reward.Instant(time.Second/1000),
		Type: reward.TransactionSettled, Transaction: "t" + id, Amount: 2000, HasAmount: true, Currency: "USD",
		Merchant: "m1", Category: "GROCERY",
	}
}

func apply(b *testing.B, en *engine.Engine, events []reward.Event, results []reward.Result) []reward.Result {
	results, err := en.Apply(context.Background(), events, results[:0])
	if err != nil {
		b.Fatal(err)
	}
	return results
}

// BenchmarkApply applies settlements, one in ten followed by its refund, to
// accounts chosen at random out of a million that each have a history.
func BenchmarkApply(b *testing.B) {
	for _, accounts := range []int{1000, 1_000_000} {
		b.Run(fmt.Sprintf("accounts=%d", accounts), func(b *testing.B) {
			en := engine.New(memory.New(program.Everyday()))
			ids := make([]string, accounts)
			batch := make([]reward.Event, 0, 1024)
			var results []reward.Result
			n := 0
			for i := range ids {
				ids[i] = "acct-" + strconv.Itoa(i)
				for range 4 {
					n++
					batch = append(batch, settled(ids[i], n))
				}
				if len(batch) == cap(batch) || i == len(ids)-1 {
					results = apply(b, en, batch, results)
					batch = batch[:0]
				}
			}
			random := rand.New(rand.NewPCG(1, 2))
			b.ReportAllocs()
			b.ResetTimer()
			for done := 0; done < b.N; done += len(batch) {
				// Events come fresh from a decoder, not from a list as long as memory.
				b.StopTimer()
				batch = batch[:0]
				for len(batch) < min(cap(batch), b.N-done) {
					n++
					e := settled(ids[random.IntN(accounts)], n)
					batch = append(batch, e)
					if n%10 == 0 && len(batch) < cap(batch) {
						e.Type, e.Fact, e.ID = reward.RefundPosted, "r"+strconv.Itoa(n), "f"+strconv.Itoa(n)
						batch = append(batch, e)
					}
				}
				b.StartTimer()
				results = apply(b, en, batch, results)
			}
		})
	}
}

// BenchmarkHistory applies one refund and its reversal to an account with few
// and with many earlier transactions in the same cycle: the cost must not grow.
func BenchmarkHistory(b *testing.B) {
	for _, kind := range []string{"linked", "unlinked"} {
		for _, method := range []reward.ClawbackMethod{reward.Proportional, reward.Rerate} {
			for _, earlier := range []int{10, 100_000} {
				name := fmt.Sprintf("%s/%s/earlier=%d", kind, [...]string{"proportional", "rerate"}[method], earlier)
				b.Run(name, func(b *testing.B) {
					p := *program.Everyday()
					p.Method = method
					en := engine.New(memory.New(&p))
					var results []reward.Result
					for n := range earlier {
						e := settled("acct", n)
						if n%10 != 0 {
							e.Merchant = "m" + strconv.Itoa(n)
						}
						results = apply(b, en, []reward.Event{e}, results)
					}
					refund := settled("acct", earlier)
					refund.Type = reward.RefundPosted
					refund.Transaction = "t" + strconv.Itoa(earlier/2)
					refund.Amount = 1000
					if kind == "unlinked" {
						refund.Transaction = ""
						refund.Merchant = "m" + strconv.Itoa(earlier/2+1)
					}
					b.ReportAllocs()
					b.ResetTimer()
					for i := range b.N {
						n := strconv.Itoa(i)
						refund.Type, refund.ID, refund.Fact = reward.RefundPosted, "r"+n, "r"+n
						results = apply(b, en, []reward.Event{refund}, results)
						undo := refund
						undo.Type, undo.ID = reward.RefundReversed, "u"+n
						results = apply(b, en, []reward.Event{undo}, results)
					}
				})
			}
		}
	}
}
