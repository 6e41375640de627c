package spill_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"recoup/internal/audit/spill"
	"recoup/internal/intake/history"
	"recoup/reward"
)

// tb is a test, or one draw of a rapid one.
type tb interface {
	rapid.TB
	Cleanup(func())
}

// open returns a store that is closed with the test.
func open(t tb, o spill.Options) *spill.Store {
	t.Helper()
	s, err := spill.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// histories collects what a store hands out, by account.
func histories(t tb, s *spill.Store, workers int) map[string][]history.Row {
	t.Helper()
	got := map[string][]history.Row{}
	var mu sync.Mutex
	err := s.Each(context.Background(), workers, func(worker int, h *history.History) error {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case worker < 0 || worker >= max(workers, 1):
			return fmt.Errorf("worker %d of %d", worker, workers)
		case got[h.Account] != nil:
			return fmt.Errorf("account %q comes twice", h.Account)
		case len(h.Rows) == 0:
			return fmt.Errorf("account %q has no rows", h.Account)
		}
		got[h.Account] = slices.Clone(h.Rows)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// byAccount is what a store is to do, for the rows of one sender.
func byAccount(rows []history.Row) map[string][]history.Row {
	want := map[string][]history.Row{}
	for _, r := range rows {
		want[r.Account] = append(want[r.Account], r)
	}
	for _, rows := range want {
		history.Sort(rows)
	}
	return want
}

func expect(t tb, got, want map[string][]history.Row) {
	t.Helper()
	for account, rows := range want {
		if !slices.Equal(got[account], rows) {
			t.Fatalf("account %q has %d rows\n%v, want %d\n%v", account, len(got[account]), got[account], len(rows), rows)
		}
	}
	for account := range got {
		if want[account] == nil {
			t.Fatalf("account %q was never added", account)
		}
	}
}

// send adds rows in batches whose memory is used again after each, as a reader of
// files does.
func send(s *spill.Store, rows []history.Row, batch int) error {
	var buffer []byte
	lent := func(text string) string {
		start := len(buffer)
		buffer = append(buffer, text...)
		return unsafe.String(unsafe.SliceData(buffer[start:]), len(text))
	}
	for part := range slices.Chunk(rows, batch) {
		part = slices.Clone(part)
		buffer = slices.Grow(buffer[:0], 1<<16)
		for i := range part {
			r := &part[i]
			r.Account, r.ID, r.Transaction = lent(r.Account), lent(r.ID), lent(r.Transaction)
			r.Merchant, r.Category = lent(r.Merchant), lent(r.Category)
		}
		if err := s.Add(part); err != nil {
			return err
		}
		for i := range buffer {
			buffer[i] = '#'
		}
		clear(part)
	}
	return nil
}

// table is all of some exports as one sender's rows.
func table(seed uint64, accounts, purchases int) []history.Row {
	tables := newExports(seed, accounts).next(purchases)
	return slices.Concat(tables[:]...)
}

func TestSmallExportsNeverTouchTheDisk(t *testing.T) {
	rows := table(1, 2_000, 20_000)
	s := open(t, spill.Options{Dir: filepath.Join(t.TempDir(), "missing")})
	if err := send(s, rows, 1000); err != nil {
		t.Fatal(err)
	}
	expect(t, histories(t, s, 2), byAccount(rows))
	if size := s.Size(); size.Disk != 0 || size.Memory == 0 || size.Rows != int64(len(rows)) {
		t.Errorf("the store has %+v of %d rows", size, len(rows))
	}
}

func TestLargeExportsGoToDisk(t *testing.T) {
	const memory = 1 << 20
	rows := table(2, 5_000, 40_000)
	s := open(t, spill.Options{Dir: t.TempDir(), Memory: memory})
	if err := send(s, rows, 1000); err != nil {
		t.Fatal(err)
	}
	if size := s.Size(); size.Memory > memory/2 || size.Disk < memory/2 || size.Rows != int64(len(rows)) {
		t.Errorf("the store has %+v of %d rows and may keep %d bytes in memory", size, len(rows), memory/2)
	}
	expect(t, histories(t, s, 2), byAccount(rows))
}

func TestMoreWordsThanAreNumbered(t *testing.T) {
	var added [2][]history.Row
	for i := range 70_000 { // the first words twice, and others once the table is full
		for sender := range added {
			added[sender] = append(added[sender], history.Row{
				Kind: history.Purchase, Account: fmt.Sprint(sender, "/", i%100), Amount: 1, Merchant: fmt.Sprint("shop-", i%66_000),
			})
		}
	}
	s := open(t, spill.Options{})
	var group sync.WaitGroup
	for _, rows := range added { // both come with the same new words at once
		group.Go(func() {
			if err := send(s, rows, 1000); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	expect(t, histories(t, s, 2), byAccount(slices.Concat(added[:]...)))
}

func TestSpan(t *testing.T) {
	s := open(t, spill.Options{})
	expectSpan := func(first, last reward.Instant) {
		t.Helper()
		if a, b := s.Span(); a != first || b != last {
			t.Fatalf("the span is %d to %d, want %d to %d", a, b, first, last)
		}
	}
	add := func(at ...reward.Instant) {
		var rows []history.Row
		for _, at := range at {
			rows = append(rows, history.Row{Kind: history.Purchase, Account: "a", Amount: 1, At: at})
		}
		if err := s.Add(rows); err != nil {
			t.Fatal(err)
		}
	}
	expectSpan(0, 0)
	add()
	expectSpan(0, 0)
	add(20)
	expectSpan(20, 20)
	add(40, 30, -10, 35)
	expectSpan(-10, 40)
}

func TestAnErrorStopsTheOtherWorkers(t *testing.T) {
	rows := table(3, 20_000, 20_000)
	for _, memory := range []int64{0, 1 << 16} {
		s := open(t, spill.Options{Dir: t.TempDir(), Memory: memory})
		if err := send(s, rows, 1000); err != nil {
			t.Fatal(err)
		}
		refused := errors.New("refused")
		var calls atomic.Int64
		err := s.Each(context.Background(), 2, func(int, *history.History) error {
			if calls.Add(1) == 10 {
				return refused
			}
			return nil
		})
		if all := int64(len(byAccount(rows))); !errors.Is(err, refused) || calls.Load() == all {
			t.Errorf("%v after %d of %d accounts", err, calls.Load(), all)
		}

		ctx, cancel := context.WithCancel(context.Background())
		calls.Store(0)
		err = s.Each(ctx, 2, func(int, *history.History) error {
			calls.Add(1)
			cancel()
			return nil
		})
		if !errors.Is(err, context.Canceled) || calls.Load() > 2 {
			t.Errorf("%v, and %d accounts after it was cancelled", err, calls.Load())
		}
		expect(t, histories(t, s, 2), byAccount(rows)) // nothing is broken by it
	}
}

func TestOrderOfCalls(t *testing.T) {
	s, err := spill.New(spill.Options{})
	if err != nil {
		t.Fatal(err)
	}
	row := []history.Row{{Kind: history.Purchase, Account: "a", Amount: 1}}
	if err := s.Add(row); err != nil {
		t.Fatal(err)
	}
	err = s.Each(context.Background(), 1, func(int, *history.History) error {
		if err := s.Add(row); err == nil {
			t.Error("a row was added while rows were handed out")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Add(row); err == nil {
		t.Error("a row was added to a closed store")
	}
	if err := s.Each(context.Background(), 1, func(int, *history.History) error { return nil }); err == nil {
		t.Error("a closed store handed rows out")
	}
	if size := s.Size(); size != (spill.Size{}) {
		t.Errorf("a closed store has %+v", size)
	}
}

func TestOptionsThatMakeNoSense(t *testing.T) {
	for name, o := range map[string]spill.Options{
		"memory below zero":        {Memory: -1},
		"shard below zero":         {Shard: -1, Of: 2},
		"shard beyond the last":    {Shard: 2, Of: 2},
		"shard of nothing":         {Shard: 1},
		"number of shards":         {Of: -1},
		"the only shard is 0":      {Shard: 1, Of: 1},
		"shards count from nought": {Shard: 4, Of: 4},
	} {
		if _, err := spill.New(o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestNothingStaysBehind(t *testing.T) {
	dir := t.TempDir()
	rows := table(4, 1_000, 5_000)
	s, err := spill.New(spill.Options{Dir: dir, Memory: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := send(s, rows, 1000); err != nil {
		t.Fatal(err)
	}
	info, err := s.File().Stat()
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 || info.Size() == 0 {
		t.Errorf("the temporary file has mode %v and %d bytes", info.Mode(), info.Size())
	}
	empty := func(when string) {
		t.Helper()
		if names, err := os.ReadDir(dir); err != nil || len(names) > 0 {
			t.Errorf("%s the folder has %v, %v", when, names, err)
		}
	}
	empty("while rows are kept")
	expect(t, histories(t, s, 2), byAccount(rows))
	file := s.File()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	empty("after Close")
	if _, err := file.Stat(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("after Close the file is still open: %v", err)
	}
}
