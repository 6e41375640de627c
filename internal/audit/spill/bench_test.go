package spill_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"recoup/internal/audit/spill"
	"recoup/internal/intake/history"
)

// BenchmarkAddEach adds the tables of two years of exports from two senders, and
// hands the accounts out to two workers.
func BenchmarkAddEach(b *testing.B) {
	for _, ids := range []struct {
		name  string
		uuids bool
	}{{"bank ids", false}, {"uuids", true}} {
		x := newExports(1, 100_000)
		x.uuids = ids.uuids
		one, two := x.next(200_000), x.next(200_000)
		for _, kept := range []struct {
			name   string
			memory int64
		}{{"memory", 1 << 30}, {"disk", 32 << 20}} {
			b.Run(ids.name+"/"+kept.name, func(b *testing.B) {
				addEach(b, kept.memory, one, two)
			})
		}
	}
}

func addEach(b *testing.B, memory int64, senders ...[4][]history.Row) {
	var adding, handing time.Duration
	var rows, bytes int64
	for b.Loop() {
		s, err := spill.New(spill.Options{Dir: b.TempDir(), Memory: memory})
		if err != nil {
			b.Fatal(err)
		}
		began := time.Now()
		var group sync.WaitGroup
		for _, tables := range senders {
			group.Go(func() {
				for _, table := range tables {
					for len(table) > 0 {
						n := min(len(table), 1000)
						if err := s.Add(table[:n]); err != nil {
							b.Error(err)
						}
						table = table[n:]
					}
				}
			})
		}
		group.Wait()
		added := time.Now()
		var got [2]int64
		err = s.Each(context.Background(), 2, func(worker int, h *history.History) error {
			got[worker] += int64(len(h.Rows))
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
		adding += added.Sub(began)
		handing += time.Since(added)
		size := s.Size()
		if got[0]+got[1] != size.Rows {
			b.Fatalf("%d of %d rows came out", got[0]+got[1], size.Rows)
		}
		rows += size.Rows
		bytes += size.Memory + size.Disk
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(rows)/adding.Seconds(), "added-rows/s")
	b.ReportMetric(float64(rows)/handing.Seconds(), "handed-rows/s")
	b.ReportMetric(float64(bytes)/float64(rows), "bytes/row")
}
