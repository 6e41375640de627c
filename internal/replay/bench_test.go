package replay_test

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"recoup/event"
	"recoup/internal/replay"
	"recoup/internal/traffic"
	"recoup/program"
)

const million = 1_000_000

// trafficFile writes a million generated events of 10,000 accounts to a file.
func trafficFile(b *testing.B) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "events.jsonl")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	out := bufio.NewWriterSize(f, 1<<20)
	var line []byte
	for e := range traffic.Generate(traffic.Options{Accounts: 10_000, Events: million, Seed: 1, Program: program.Everyday()}) {
		line = append(event.Append(line[:0], &e), '\n')
		out.Write(line)
	}
	if err := out.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	return path
}

func open(b *testing.B, path string) *os.File {
	b.Helper()
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	return f
}

// BenchmarkMillion decodes a file of a million events on one core, and replays
// the same file end to end: decoding, applying, checking every invariant of
// every account, and printing the final state. It takes the two in turn, and
// reports seconds of each and their ratio, and the heap that a transaction
// costs in the end.
func BenchmarkMillion(b *testing.B) {
	path := trafficFile(b)
	ctx := context.Background()
	var decoding, replaying time.Duration
	var transactions, heap uint64
	for b.Loop() {
		decoding += timed(b, func() {
			f := open(b, path)
			defer f.Close()
			n := 0
			for batch, err := range event.NewReader(f, path).Sequential(ctx) {
				if err != nil {
					b.Fatal(err)
				}
				n += len(batch)
			}
			if n != million {
				b.Fatalf("decoded %d events", n)
			}
		})
		var result *replay.Result
		empty := heapInUse()
		replaying += timed(b, func() {
			f := open(b, path)
			defer f.Close()
			var err error
			result, err = replay.Run(ctx, event.NewReader(f, path), replay.Options{Program: program.Everyday()})
			if err != nil {
				b.Fatal(err)
			}
			if found := result.Store.Check(); len(found) > 0 {
				b.Fatal(found[0])
			}
			if err := result.WriteState(io.Discard); err != nil {
				b.Fatal(err)
			}
		})
		heap = heapInUse() - empty
		transactions = 0
		for id := range result.Store.Accounts() {
			transactions += uint64(len(result.Store.Account(id).State().Transactions))
		}
	}
	b.ReportMetric(decoding.Seconds()/float64(b.N), "s-decode")
	b.ReportMetric(replaying.Seconds()/float64(b.N), "s-replay")
	b.ReportMetric(replaying.Seconds()/decoding.Seconds(), "replay/decode")
	b.ReportMetric(float64(heap)/float64(transactions), "heap-B/transaction")
	b.ReportMetric(float64(transactions), "transactions")
}

func timed(b *testing.B, f func()) time.Duration {
	b.Helper()
	start := time.Now()
	f()
	return time.Since(start)
}

func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
