package judge_test

import (
	"testing"

	"recoup/internal/audit/judge"
	"recoup/internal/intake/history"
	"recoup/internal/traffic"
)

func BenchmarkAccount(b *testing.B) {
	p := everyday()
	for _, c := range []struct {
		name             string
		accounts, events int
		named            bool
	}{{"small accounts", 2000, 100_000, true}, {"small accounts, rewards not named", 2000, 100_000, false}, {"one account", 1, 20_000, true}, {"one account, rewards not named", 1, 20_000, false}} {
		b.Run(c.name, func(b *testing.B) {
			list, end := journal(p, traffic.Options{Accounts: c.accounts, Events: c.events, Seed: 1, Program: p, Days: 400}, c.named, false)
			j := judge.New(p, judge.Options{ReturnDays: 30, End: end})
			rows := 0
			b.ReportAllocs()
			for b.Loop() {
				for _, h := range list {
					if _, err := j.Account(h); err != nil {
						b.Fatal(err)
					}
				}
				rows += rowsOf(list)
			}
			b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "rows/s")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(rows), "ns/row")
		})
	}
}

func rowsOf(list []*history.History) (n int) {
	for _, h := range list {
		n += len(h.Rows)
	}
	return n
}
