package e2e_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// What is promised to those whose accounts nothing is wrong with: so many of their requests
// fail at most, and none is later, apart from what the machine is late by itself.
const (
	mostFailed = 1 // of a hundred
	latestOf   = time.Second
)

// machine is how late things are that have nothing to do with the service: a timer, an
// answer of this process to itself over HTTP, and a block that is written over and synced
// on the disk that the ledger is on.
type machine struct {
	mu     sync.Mutex
	timers []beat
	echoes []beat
	syncs  []beat
}

// lateness is how late each was at most.
type lateness struct{ timer, echo, sync time.Duration }

func (l lateness) sum() time.Duration { return l.timer + l.echo + l.sync }

// busy is from when on a machine is late itself: one with nothing else to do is not.
const busy = 100 * time.Millisecond

func (l lateness) String() string {
	return fmt.Sprintf("timer %v, echo %v, sync %v", l.timer.Round(time.Millisecond), l.echo.Round(time.Millisecond), l.sync.Round(time.Millisecond))
}

// watchMachine looks at both until the test ends; the ledger is on the disk of the folder.
func watchMachine(t testing.TB, dir string) *machine {
	t.Helper()
	m := &machine{}
	file, err := os.Create(filepath.Join(dir, "synced"))
	noError(t, err)
	stop := make(chan struct{})
	var watching sync.WaitGroup
	t.Cleanup(func() {
		close(stop)
		watching.Wait()
		file.Close()
	})
	block := make([]byte, 4096)
	echo := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(echo.Close)
	again := func(list *[]beat, pause time.Duration, do func() time.Duration) {
		watching.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				took := do()
				m.mu.Lock()
				*list = append(*list, beat{time.Now(), took})
				m.mu.Unlock()
				time.Sleep(pause)
			}
		})
	}
	again(&m.timers, 0, func() time.Duration {
		const tick = 10 * time.Millisecond
		began := time.Now()
		time.Sleep(tick)
		return time.Since(began) - tick
	})
	again(&m.echoes, 20*time.Millisecond, func() time.Duration {
		began := time.Now()
		if response, err := echo.Client().Get(echo.URL); err == nil {
			response.Body.Close()
		}
		return time.Since(began)
	})
	again(&m.syncs, 50*time.Millisecond, func() time.Duration {
		began := time.Now()
		_, _ = file.WriteAt(block, 0)
		_ = file.Sync()
		return time.Since(began)
	})
	return m
}

// worst is how late things were at most, from one moment to another.
func (m *machine) worst(from, to time.Time) lateness {
	m.mu.Lock()
	defer m.mu.Unlock()
	most := func(list []beat) (took time.Duration) {
		for _, b := range list {
			if b.at.After(from) && b.at.Add(-b.took).Before(to) {
				took = max(took, b.took)
			}
		}
		return took
	}
	return lateness{most(m.timers), most(m.echoes), most(m.syncs)}
}

// allows is how late the latest may be between two moments, where so much is usual.
func (m *machine) allows(usual time.Duration, from, to time.Time) time.Duration {
	return latestOf + max(usual, m.worst(from, to).sum())
}
