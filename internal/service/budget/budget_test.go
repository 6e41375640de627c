package budget_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"recoup/internal/service/budget"
)

func TestNoClassTakesRoomFromAnother(t *testing.T) {
	b := budget.New(budget.Limits{Processors: 1, Memory: 64 << 20})
	for _, flooded := range []budget.Class{budget.Reading, budget.Ingestion, budget.Previews, budget.Administration, budget.SigningIn} {
		for _, holder := range []string{"a", "b", "c"} {
			for {
				work, err := b.Enter(flooded, holder)
				if err != nil {
					if budgetOf(err) != flooded.String()+".requests" {
						t.Fatalf("refused with %v", err)
					}
					break
				}
				defer work.Leave()
				for work.Hold(1<<20) == nil {
				}
			}
		}
	}
	work, err := b.Enter(budget.Commands, "a")
	if err != nil {
		t.Fatal(err)
	}
	defer work.Leave()
	if err := work.Hold(64 << 10); err != nil {
		t.Error(err)
	}
}

func budgetOf(err error) string {
	var refusal *budget.Refusal
	if errors.As(err, &refusal) {
		return refusal.Budget()
	}
	return ""
}

func TestWhoLeavesGivesAllBack(t *testing.T) {
	b := budget.New(budget.Limits{Processors: 1, Memory: 64 << 20})
	work, err := b.Enter(budget.Ingestion, "a")
	if err != nil {
		t.Fatal(err)
	}
	for _, err = range []error{work.Hold(1000), work.Hold(1 << 20)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	work.Drop(1000)
	if err := work.Hold(1 << 40); budgetOf(err) != "ingestion.bytes" {
		t.Errorf("more than there is: %v", err)
	}
	usage := func() (used, refused int64) {
		for _, u := range b.Usage() {
			used += u.Used
			refused += u.Refusals
		}
		return used, refused
	}
	if used, refused := usage(); used != 1<<20+1 || refused != 1 {
		t.Errorf("%d in use, %d refused; want a request and a mebibyte, and one", used, refused)
	}
	work.Leave()
	if used, _ := usage(); used != 0 {
		t.Errorf("%d in use when nothing is at work", used)
	}
}

// Previews are bounded by what they take together, and wait for each other for so
// long.
func TestPreviewsWaitForMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := budget.New(budget.Limits{Processors: 8, Memory: 1 << 30, Preview: 10 * time.Second})
		// A mebibyte over four fit into an eighth of the memory: each has 4 MiB and 80 MiB.
		_, done, err := b.Preview(t.Context(), 10_000)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := b.Preview(t.Context(), 10_000); budgetOf(err) != "previews.memory" {
			t.Errorf("a second large one: %v", err)
		}
		within, small, err := b.Preview(t.Context(), 10)
		if err != nil {
			t.Fatalf("a small one beside it: %v", err)
		}
		time.Sleep(11 * time.Second)
		if within.Err() == nil {
			t.Error("a preview may take forever")
		}
		small()
		go func() { time.Sleep(5 * time.Second); done() }()
		_, later, err := b.Preview(t.Context(), 10_000)
		if err != nil {
			t.Fatalf("when the first has ended: %v", err)
		}
		later()
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, _, err := b.Preview(gone, 10); !errors.Is(err, context.Canceled) {
			t.Errorf("for somebody who has gone: %v", err)
		}
	})
}

// Large bodies have half of the processors, and small ones wait for nobody.
func TestLargeBodiesTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := budget.New(budget.Limits{Processors: 4})
		var mu sync.Mutex
		var working, most int
		for range 20 {
			go func() {
				done, err := b.Processor(t.Context(), 1<<20)
				if err != nil {
					t.Error(err)
					return
				}
				defer done()
				mu.Lock()
				working++
				most = max(most, working)
				mu.Unlock()
				time.Sleep(time.Second)
				mu.Lock()
				working--
				mu.Unlock()
			}()
		}
		synctest.Wait()
		done, err := b.Processor(t.Context(), 300)
		if err != nil {
			t.Fatal(err)
		}
		done()
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := b.Processor(gone, 1<<20); !errors.Is(err, context.Canceled) {
			t.Errorf("for somebody who has gone: %v", err)
		}
		time.Sleep(11 * time.Second)
		if most != 2 || working != 0 {
			t.Errorf("%d large bodies were at work at a time, want 2; %d still are", most, working)
		}
	})
}

func TestAHolderIsAnAddressOrItsNetwork(t *testing.T) {
	for remote, want := range map[string]string{
		"10.1.2.3:80": "10.1.2.3", "10.1.2.3": "10.1.2.3", "[::ffff:10.1.2.3]:80": "10.1.2.3", "[2001:db8:1:2:3:4:5:6]:80": "2001:db8:1:2::/64",
		"[fe80::1%eth0]:80": "fe80::/64", "@": "address", "": "address",
	} {
		if got := budget.Address(remote); got != want {
			t.Errorf("%q is held by %q, want %q", remote, got, want)
		}
	}
}
