package pebble

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	lsm "github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"recoup/internal/store/durable"
	"recoup/reward"
)

// benchAccounts is how many accounts the benchmarks have.
const benchAccounts = 100_000

// work makes units of work as a busy service has them: each event is of some account, is
// new, and makes a new transaction.
type work struct {
	random   *rand.Rand
	versions map[string]int64
	last     map[string]int64
	n        int

	request durable.Request
	changes durable.Changes
	text    []byte
}

func newWork() *work {
	return &work{random: rand.New(rand.NewPCG(1, 2)), versions: make(map[string]int64), last: make(map[string]int64)}
}

// next makes the next unit of work with so many events.
func (w *work) next(batch int) {
	w.request = durable.Request{Numbers: batch}
	accounts := make(map[string]bool)
	for range batch {
		w.n++
		account := fmt.Sprintf("acct-%06d", w.random.IntN(benchAccounts))
		w.request.Identities = append(w.request.Identities, durable.Identity{Account: account, Source: "core", ID: "evt-" + strconv.Itoa(1_000_000_000+w.n)})
		w.request.Parts = append(w.request.Parts, durable.PartKey{Account: account, Kind: reward.TransactionPart, ID: "tx-" + strconv.Itoa(1_000_000_000+w.n)})
		accounts[account] = true
	}
	for account := range accounts {
		w.request.Accounts = append(w.request.Accounts, account)
	}
	slices.Sort(w.request.Accounts)
	for _, account := range w.request.Accounts {
		held := w.versions[account]
		if held == 0 {
			held = -1
		}
		w.request.Held = append(w.request.Held, held)
	}
}

// answer makes the changes of the unit of work.
func (w *work) answer(numbers []int64) {
	w.changes = durable.Changes{}
	w.text = make([]byte, 0, 700*len(numbers))
	text := func(format string, args ...any) []byte {
		start := len(w.text)
		w.text = fmt.Appendf(w.text, format, args...)
		return w.text[start:len(w.text):len(w.text)]
	}
	base := make(map[string]int64)
	for i, id := range w.request.Identities {
		if _, there := base[id.Account]; !there {
			base[id.Account] = w.versions[id.Account]
		}
		w.versions[id.Account]++
		amount := w.random.IntN(20_000)
		at := reward.Instant(1_700_000_000_000_000_000 + int64(w.n)*1_000_000_000)
		w.changes.Events = append(w.changes.Events, durable.EventRow{
			Number: numbers[i], Account: id.Account, Sequence: w.versions[id.Account], Before: w.last[id.Account], Received: at,
			Source: id.Source, ID: id.ID, Type: "transaction.settled", Outcome: reward.Applied,
			Event: text(`{"specversion":"1.0","id":%q,"source":"core","type":"transaction.settled","subject":%q,"time":%q,"data":{"transaction":%q,"amount":%d,"currency":"EUR","mcc":"%04d","merchant":"merchant-%05d"}}`,
				id.ID, id.Account, at, w.request.Parts[i].ID, amount, w.random.IntN(9999), w.random.IntN(20_000)),
			Postings: text(`[{"kind":"grant","amount":%d,"balance":%d,"cycle":"2026-01","transaction":%q,"why":"%d x 1%%"}]`, amount/100, w.random.IntN(100_000), w.request.Parts[i].ID, amount),
		})
		w.last[id.Account] = numbers[i]
		w.changes.Parts = append(w.changes.Parts, durable.Part{Account: id.Account, Part: reward.Part{
			Kind: reward.TransactionPart, ID: w.request.Parts[i].ID, Data: text("%060d", w.random.Int64()), Settled: at,
		}})
	}
	head := bytes.Repeat([]byte("h"), 240)
	for _, account := range w.request.Accounts {
		w.changes.Accounts = append(w.changes.Accounts, durable.AccountRow{
			Account: account, Program: "everyday", Version: w.versions[account], Base: base[account], Last: w.last[account], Due: 1 << 60, Head: head,
		})
	}
}

// warm is how many events there are before the clock starts.
func warm() int {
	if n, err := strconv.Atoi(os.Getenv("RECOUP_WARM")); err == nil {
		return n
	}
	return 100_000
}

func (w *work) update(b testing.TB, db *DB, batch int) {
	w.next(batch)
	err := db.Update(context.Background(), func(tx durable.Tx) error {
		found, err := tx.Load(context.Background(), &w.request)
		if err != nil {
			return err
		}
		w.answer(found.Numbers)
		return tx.Write(context.Background(), &w.changes)
	})
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkUnits is units of work of 1,000 events with everything that they look up.
func BenchmarkUnits(b *testing.B) {
	db := openBench(b, filepath.Join(b.TempDir(), "ledger"))
	w := newWork()
	for w.n < warm() {
		w.update(b, db, 1000)
	}
	b.ReportAllocs()
	before, used := w.n, processor()
	for b.Loop() {
		w.update(b, db, 1000)
	}
	b.ReportMetric(float64(w.n-before)/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric((processor()-used)/float64(w.n-before), "µs-processor/event")
}

func openBench(b testing.TB, dir string) *DB {
	b.Helper()
	db, err := Open(context.Background(), dir, Options{Create: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := db.Close(); err != nil {
			b.Error(err)
		}
	})
	return db
}

// BenchmarkBare writes the same keys to the library, and looks up nothing.
func BenchmarkBare(b *testing.B) {
	o := Options{}
	o.setDefaults()
	t := treeOptions(&o, newDisk(vfs.Default, "", o.Log))
	tree, err := lsm.Open(b.TempDir(), t)
	if err != nil {
		b.Fatal(err)
	}
	t.Cache.Unref()
	defer tree.Close()
	w := newWork()
	number := int64(0)
	write := func() {
		w.next(1000)
		numbers := make([]int64, 1000)
		for i := range numbers {
			number++
			numbers[i] = number
		}
		w.answer(numbers)
		batch := tree.NewBatch()
		var value []byte
		for i := range w.changes.Events {
			e, p := &w.changes.Events[i], &w.changes.Parts[i]
			part := durable.PartKey{Account: p.Account, Kind: p.Kind, ID: p.ID}
			value = appendEvent(value[:0], e)
			batch.Set(key{}.event(e.Number), value, nil)
			value = appendReference(value[:0], reference{e.Number, e.Sequence})
			batch.Set(key{}.identity(w.request.Identities[i]), value, nil)
			value = appendPart(value[:0], &p.Part)
			batch.Set(key{}.part(part, restingTag), value, nil)
			batch.Set(key{}.settled(part, p.Settled), nil, nil)
			batch.Set(key{}.name(0, part), nil, nil)
		}
		for i := range w.changes.Accounts {
			value = appendAccount(value[:0], &w.changes.Accounts[i])
			batch.Set(key{}.account(w.changes.Accounts[i].Account, headTag), value, nil)
		}
		if err := batch.Commit(lsm.Sync); err != nil {
			b.Fatal(err)
		}
		batch.Close()
	}
	for w.n < warm() {
		write()
	}
	before, used := w.n, processor()
	for b.Loop() {
		write()
	}
	b.ReportMetric(float64(w.n-before)/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric((processor()-used)/float64(w.n-before), "µs-processor/event")
}

// BenchmarkOpen opens and closes a database in memory, as nearly every test does.
func BenchmarkOpen(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		db, err := Open(context.Background(), "ledger", Options{Create: true, FS: vfs.NewMem(), Cache: 1 << 20, MemTable: 1 << 20})
		if err != nil {
			b.Fatal(err)
		}
		if err := db.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// processor is how much processor time the process has used, in microseconds: unlike the
// rate, it is the same on a machine that is busy otherwise.
func processor() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64((u.Utime.Nano() + u.Stime.Nano()) / 1000)
}

// resident is how much memory the process has.
func resident(b *testing.B) float64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		b.Skip(err)
	}
	var size, pages float64
	fmt.Sscan(string(text), &size, &pages)
	return pages * float64(os.Getpagesize()) / (1 << 20)
}

// BenchmarkEventsOf reads the whole log by account.
func BenchmarkEventsOf(b *testing.B) {
	db := openBench(b, filepath.Join(b.TempDir(), "ledger"))
	w := newWork()
	start := time.Now()
	for w.n < warm() {
		w.update(b, db, 1000)
	}
	written := float64(w.n) / time.Since(start).Seconds()
	if err := db.tree.Flush(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		n := 0
		err := db.View(context.Background(), func(r durable.Reader) error {
			return r.EventsOf(context.Background(), "", "", func(*durable.EventRow) error { n++; return nil })
		})
		if err != nil || n != w.n {
			b.Fatalf("%d events (%v), want %d", n, err, w.n)
		}
	}
	b.ReportMetric(float64(w.n)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
	m := db.tree.Metrics()
	b.ReportMetric(written, "written/s")
	b.ReportMetric(float64(m.Total().TablesSize)/float64(w.n), "bytes/event")
	total := m.Total()
	b.ReportMetric(total.WriteAmp(), "write-amp")
	b.ReportMetric(resident(b), "resident-MB")
}
