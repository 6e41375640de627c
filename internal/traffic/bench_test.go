package traffic_test

import (
	"testing"

	"recoup/internal/traffic"
)

func BenchmarkGenerate(b *testing.B) {
	for _, c := range []struct {
		name                 string
		duplicates, disorder int
	}{{"in order", 0, 0}, {"duplicates and disorder", 20, 50}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for range traffic.Generate(traffic.Options{Accounts: 100_000, Events: b.N, Seed: 1, Duplicates: c.duplicates, Disorder: c.disorder}) {
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
}
