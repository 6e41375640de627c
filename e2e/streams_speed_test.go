package e2e_test

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"recoup/internal/kit/brokertest"
)

// BenchmarkStreams is how many events a second reach the ledger by way of a broker that has
// them already, and of one sender over HTTP whose requests are as large as what a consumer
// takes at once. RECOUP_EVENTS says how many events; run it with -benchtime 1x.
func BenchmarkStreams(b *testing.B) {
	events, _ := strconv.Atoi(os.Getenv("RECOUP_EVENTS"))
	if events == 0 {
		events = 20_000
	}
	const accounts, batchSize = 1000, 2000
	// A consumer ends when it has found nothing for so long, which does not count. That it
	// starts and joins its group does.
	const idle = 5 * time.Second
	texts, keys, values := make([]string, events), make([]string, events), make([][]byte, events)
	for i := range texts {
		keys[i] = fmt.Sprint("acct-", i%accounts)
		texts[i] = fmt.Sprintf(`{"specversion":"1.0","id":"e%d","source":"core","type":"transaction.settled","time":"2026-01-05T10:00:00Z","subject":%q,"data":{"transaction":"t%d","amount":%d,"currency":"USD","merchant":"m1","mcc":"5411"}}`, i, keys[i], i, 1000+i%5000)
		values[i] = []byte(texts[i])
	}
	measured := func(b *testing.B, apply func(s *service) error, less time.Duration) {
		for b.Loop() {
			b.StopTimer()
			s := serve(b, stores[0].database(b), untimely)
			b.StartTimer()
			began := time.Now()
			if err := apply(s); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(events)/(time.Since(began)-less).Seconds(), "events/s")
			b.StopTimer()
			var overview struct{ Balance int64 }
			for _, account := range []string{keys[0], keys[events-1]} {
				if err := s.client(b).get("/v1/accounts/"+account, &overview); err != nil || overview.Balance == 0 {
					b.Fatalf("%s has %+v, %v", account, overview, err)
				}
			}
			s.stop(b)
			b.StartTimer()
		}
	}
	b.Run("http", func(b *testing.B) {
		measured(b, func(s *service) error {
			c := s.client(b)
			for from := 0; from < events; from += batchSize {
				if _, err := c.send(lines, texts[from:min(from+batchSize, events)]); err != nil {
					return err
				}
			}
			return nil
		}, 0)
	})
	for _, of := range streamKinds {
		b.Run(string(of.kind), func(b *testing.B) {
			at := brokertest.Start(b, of.kind, "events", "dead")
			at.Fill("events", keys, values)
			group := 0
			measured(b, func(s *service) error {
				group++
				got := command(b, "consume", "--"+string(of.kind), at.At("events"), "--dead-letters", "dead", "--to", s.url, "--group", fmt.Sprint("g", group), "--batch", strconv.Itoa(batchSize), "--until-idle")
				if want := fmt.Sprintf("%d messages, %d applied, 0 to the dead letters\n", events, events); got.stdout != want {
					return fmt.Errorf("it exits %d and prints %q, %s", got.code, got.stdout, got.stderr)
				}
				return nil
			}, idle)
		})
	}
}
