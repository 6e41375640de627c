package verify_test

import (
	"context"
	"fmt"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"recoup/internal/pgtest"
	"recoup/store/durable"
	"recoup/store/postgres"
	"recoup/store/sqlite"
	"recoup/verify"
)

// benchmarkRun checks a database again and again. It reports events per second,
// and the processor time of this process per event, which says the same however
// busy the machine is otherwise.
func benchmarkRun(b *testing.B, db verify.Database, p verify.Programs) {
	var events int64
	started := processorTime(b)
	for b.Loop() {
		report := check(b, db, verify.Options{Programs: p})
		if report.Count > 0 {
			b.Fatal(report.Differences[0])
		}
		events += report.Events
	}
	b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(float64((processorTime(b)-started).Nanoseconds())/float64(events), "cpu-ns/event")
}

func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

const benchmarkEvents = 200_000

// BenchmarkRun is the check's own cost: the database is in memory.
func BenchmarkRun(b *testing.B) {
	p, events := spending(2_000, benchmarkEvents)
	benchmarkRun(b, newMemory(b, p, events), programs{p})
}

func BenchmarkRunStored(b *testing.B) {
	for _, c := range []struct {
		name string
		open func(testing.TB) (durable.Driver, error)
	}{
		{"sqlite", func(b testing.TB) (durable.Driver, error) {
			return sqlite.Open(context.Background(), filepath.Join(b.TempDir(), "recoup.db"), sqlite.Options{Migrate: true})
		}},
		{"postgres", func(b testing.TB) (durable.Driver, error) {
			return postgres.Open(context.Background(), pgtest.Shared(b).NewDatabase(b), postgres.Options{Migrate: true})
		}},
	} {
		for _, accounts := range []int{2_000, 20_000} {
			b.Run(fmt.Sprintf("%s/%d accounts", c.name, accounts), func(b *testing.B) {
				db, err := c.open(b)
				if err != nil {
					b.Fatal(err)
				}
				defer db.Close()
				serve(b, db).spend(accounts, benchmarkEvents)
				sealAll(b, db)
				benchmarkRun(b, db, storedPrograms(b, db))
			})
		}
	}
}

// BenchmarkSeal seals the log of a database from its beginning.
func BenchmarkSeal(b *testing.B) {
	p, events := spending(2_000, benchmarkEvents)
	db := newMemory(b, p, events)
	for b.Loop() {
		db.exec(b, `DELETE FROM seals`)
		sealAll(b, db)
	}
	b.ReportMetric(float64(len(db.byNumber))*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}
