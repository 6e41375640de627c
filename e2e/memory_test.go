package e2e_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"recoup/event"
	"recoup/internal/traffic"
)

// TestMemoryIsFlat sends many events of many accounts and sees that the process
// takes no more memory in the end than after a while.
func TestMemoryIsFlat(t *testing.T) {
	if !long() {
		t.Skip("takes minutes: set RECOUP_LONG=1")
	}
	for _, store := range stores { // one after the other: each wants the machine
		t.Run(store.name, func(t *testing.T) {
			db := store.database(t)
			s := serve(t, db, untimely, "--program", programFile(t))
			c := s.client(t)
			const events, warm, clients, size = 1_600_000, 900_000, 4, 500
			requests := make(chan []string, clients)
			var failed atomic.Pointer[error]
			var group sync.WaitGroup
			for range clients {
				group.Go(func() {
					for lines := range requests {
						if _, err := c.send(batch, lines); err != nil {
							failed.Store(&err)
						}
					}
				})
			}
			var after, most int64
			sent, next := 0, 100_000
			var lines []string
			for e := range traffic.Generate(traffic.Options{Accounts: 20_000, Events: events, Seed: rand.Uint64(), Days: 250}) {
				if lines = append(lines, string(event.Append(nil, &e))); len(lines) < size {
					continue
				}
				if err := failed.Load(); err != nil {
					t.Error(*err)
					break
				}
				requests <- lines
				sent, lines = sent+len(lines), nil
				if sent >= next {
					now := s.memory(t)
					t.Logf("%7d events: %d MB resident", sent, now>>20)
					if sent <= warm {
						after = max(after, now)
					}
					most = max(most, now)
					next += 100_000
				}
			}
			close(requests)
			group.Wait()
			if bound := after + after/10 + 64<<20; most > bound {
				t.Errorf("%d MB after %d events, but %d MB after %d", most>>20, events, after>>20, warm)
			}
			s.stop(t)
			verified(t, db)
		})
	}
}

// memory is how much of the machine's memory the process has, in bytes.
func (s *service) memory(t testing.TB) int64 {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.command.Process.Pid))
	noError(t, err)
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	fields := strings.Fields(rest)
	if len(fields) < 2 || fields[1] != "kB" {
		t.Fatalf("expected VmRSS in kB in\n%s", text)
	}
	kilobytes, err := strconv.ParseInt(fields[0], 10, 64)
	noError(t, err)
	return kilobytes << 10
}
