package spill_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"recoup/internal/audit/spill"
	"recoup/internal/intake/history"
	"recoup/reward"
)

// heap returns the bytes of memory in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// expectWithin hands everything out to one worker and fails if that takes more
// memory than so many bytes, looking at each nth account but those with more rows
// than giant.
func expectWithin(t *testing.T, s *spill.Store, memory int64, nth, giant int) {
	t.Helper()
	before := heap()
	var most int64
	calls := 0
	err := s.Each(context.Background(), 1, func(_ int, h *history.History) error {
		if calls++; len(h.Rows) <= giant && calls%nth == 0 {
			most = max(most, heap())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if most == 0 || most > before+memory {
		t.Errorf("%d bytes of memory in use beside %d before, want at most %d", most-before, before, memory)
	}
}

// alike returns accounts of one stretch of hashes: bad luck in the extreme.
func alike(n int) []string {
	var accounts []string
	for i := 0; len(accounts) < n; i++ {
		if account := fmt.Sprintf("acct-%07d", i); spill.Stretch(account) == 0 {
			accounts = append(accounts, account)
		}
	}
	return accounts
}

// uneven returns rows of accounts of one stretch of hashes, a quarter of them of one
// account, with IDs of 200 bytes: some 360 bytes a row when they are loaded.
func uneven(n int) []history.Row {
	accounts := alike(500)
	rows := make([]history.Row, n)
	for i := range rows {
		account := accounts[i%len(accounts)]
		if i%4 == 0 {
			account = accounts[0]
		}
		rows[i] = history.Row{
			Kind: history.Purchase, Account: account, ID: fmt.Sprintf("%0200d", i), Amount: 100, At: reward.Instant(i) * reward.Instant(time.Hour),
		}
	}
	return rows
}

func openFiles(t *testing.T) int {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}

func TestOneStretchMayHaveMoreThanFits(t *testing.T) {
	const memory = 4 << 20
	rows := uneven(100_001) // 36 MB
	s := open(t, spill.Options{Dir: t.TempDir(), Memory: memory})
	if err := send(s, rows, 1000); err != nil {
		t.Fatal(err)
	}
	before := openFiles(t)
	got := histories(t, s, 2)
	if after := openFiles(t); after != before {
		t.Errorf("%d files are open, and were %d before", after, before)
	}
	expect(t, got, byAccount(rows))
	clear(got)
	expectWithin(t, s, memory, 20, len(rows)/5)
}

func TestAGiantAccountComesWholeAndLeavesNothing(t *testing.T) {
	const memory = 1 << 20
	var rows []history.Row
	for i := range 50_000 {
		rows = append(rows, history.Row{Kind: history.Reward, Account: "giant", Amount: int64(i + 1), At: reward.Instant(i * 7919 % 50_000)})
		if i%10 == 0 {
			rows = append(rows, history.Row{Kind: history.Redemption, Account: fmt.Sprint(i), Amount: 1, At: 5})
		}
	}
	s := open(t, spill.Options{Dir: t.TempDir(), Memory: memory})
	if err := send(s, rows, 1000); err != nil {
		t.Fatal(err)
	}
	expect(t, histories(t, s, 2), byAccount(rows))
	expectWithin(t, s, 2*memory, 100, 1)
}

func TestTextsThatAreKeptHoldOnToLittle(t *testing.T) {
	rows := uneven(50_000)
	s, err := spill.New(spill.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := send(s, rows, 1000); err != nil {
		t.Fatal(err)
	}
	before := heap() // with all rows
	var kept []string
	err = s.Each(context.Background(), 1, func(_ int, h *history.History) error {
		if len(kept) < 20 {
			kept = append(kept, h.Rows[len(h.Rows)/2].ID)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if after := heap(); after > before+20*(64<<10) {
		t.Errorf("%d texts hold on to %d bytes", len(kept), after-before)
	}
	for _, id := range kept {
		if len(id) != 200 || strings.Trim(id, "0123456789") != "" {
			t.Errorf("%q is no ID that was added", id)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
