package e2e_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestRaceDetector puts the race detector's build under the load of the other
// tests, with everything that can be read being read meanwhile.
func TestRaceDetector(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("the race detector's build needs a C compiler, and there is no gcc here")
	}
	onEachStore(t, func(t *testing.T, db string) {
		binary, err := raced()
		noError(t, err)
		s := serveWith(t, binary, db, "--program", programFile(t))
		c := s.client(t)
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		c.open(t, "shared")
		l := newLoad(t, 4, 1, seed)
		noError(t, l.purses[0].step(c))

		stop := make(chan struct{})
		var group sync.WaitGroup
		group.Go(func() {
			if err := l.run(c, stop, func(err error, _ time.Duration) error { return err }); err != nil {
				t.Error(err)
			}
		})
		group.Go(func() { readEverything(t, c, stop) })
		linearizable(t, contend(t, []*client{c}, "shared", 6, 15, seed))
		time.Sleep(time.Duration(often(1, 60)) * time.Second)
		close(stop)
		group.Wait()
		s.stop(t)
		if strings.Contains(s.said.String(), "DATA RACE") {
			t.Error("the race detector has found something")
		}
		verified(t, db)
		t.Logf("%d events acknowledged", l.acknowledged())
	})
}

// readEverything reads all that can be read, and puts programs, until it is told
// to stop.
func readEverything(t *testing.T, c *client, stop <-chan struct{}) {
	const draft = "/v1/programs/ten/preview?transactions=50"
	for n := 0; ; n++ {
		for _, path := range []string{
			"/v1/accounts/purse-0", "/v1/accounts/purse-0?at=2026-05-01T00:00:00Z", "/v1/accounts/shared/entries?limit=5",
			"/v1/accounts/shared/transactions?limit=2", "/v1/accounts/shared/transactions/t-0", "/v1/accounts/shared/statements",
			"/v1/reviews", "/v1/programs", "/v1/programs/ten/versions", "/metrics", "/readyz", "/healthz", "/openapi.json", "/docs",
		} {
			select {
			case <-stop:
				return
			default:
			}
			if status, answer, err := c.ask(http.MethodGet, path, "", nil, nil); status != 200 && !(status == 404 && strings.Contains(path, "t-0")) {
				t.Errorf("GET %s: %d %.300s %v", path, status, answer, err)
				return
			}
		}
		name := fmt.Sprintf("program-%d", n)
		if err := c.put(name, modes()[n%8].document(name)); err != nil {
			t.Error(err)
		}
		if _, _, err := c.ask(http.MethodPost, draft, "application/yaml", nil, tenPercent); err != nil {
			t.Errorf("POST %s: %v", draft, err)
		}
	}
}
