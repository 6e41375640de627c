package verify_test

import (
	"testing"

	"recoup/verify"
)

// BenchmarkRun is the check's own cost: the database is in memory.
func BenchmarkRun(b *testing.B) {
	p, events := spending(2_000, 200_000)
	db := newMemory(b, p, events)
	for b.Loop() {
		report := check(b, db, verify.Options{Programs: programs{p}})
		if report.Count > 0 {
			b.Fatal(report.Differences[0])
		}
		b.ReportMetric(float64(report.Events)/report.Took.Seconds(), "events/s")
	}
}
