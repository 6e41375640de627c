package verify_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"recoup/internal/kit/pgtest"
	"recoup/internal/service/verify"
	"recoup/internal/store/durable"
	"recoup/internal/store/pebble"
	"recoup/internal/store/postgres"
	"recoup/internal/store/record"
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
		{"pebble", func(b testing.TB) (durable.Driver, error) {
			return pebble.Open(context.Background(), filepath.Join(b.TempDir(), "recoup"), pebble.Options{Create: true})
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
		clear(db.records)
		sealAll(b, db)
	}
	b.ReportMetric(float64(len(db.byNumber))*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

var (
	largeFolder = flag.String("folder", "", "folder of the database of BenchmarkRunLarge, which is made if it is not there")
	largeEvents = flag.Int("events", 1_000_000, "events of that database; forty an account")
)

// large opens a database in files, of any size.
func large(b *testing.B) durable.Driver {
	if *largeFolder == "" {
		b.Skip("it takes -args -folder")
	}
	_, missing := os.Stat(*largeFolder)
	db, err := pebble.Open(context.Background(), *largeFolder, pebble.Options{Create: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	if missing != nil {
		serve(b, db).spend(*largeEvents/40, *largeEvents)
		sealAll(b, db)
	}
	return db
}

// BenchmarkRunLarge checks a large database:
//
//	go test -run - -bench RunLarge -benchtime 1x ./internal/service/verify -args -folder /var/tmp/million -events 1000000
func BenchmarkRunLarge(b *testing.B) {
	db := large(b)
	benchmarkRun(b, db, storedPrograms(b, db))
}

// BenchmarkSealLarge seals a large database from its beginning.
func BenchmarkSealLarge(b *testing.B) {
	db := large(b)
	var sealed int
	for b.Loop() {
		err := db.Change(b.Context(), func(tx record.Tx) error {
			tx.Delete("sealed", "total")
			return tx.Scan(b.Context(), "seals", record.Span{}, func(key string, _ []byte) (bool, error) {
				tx.Delete("seals", key)
				return true, nil
			})
		})
		if err != nil {
			b.Fatal(err)
		}
		sealed += sealAll(b, db)
	}
	b.ReportMetric(float64(sealed)/b.Elapsed().Seconds(), "events/s")
}
