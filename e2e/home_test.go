package e2e_test

import (
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"recoup/internal/kit/pgtest"
	"recoup/internal/service/access"
	"recoup/internal/store/shards"
	"recoup/reward"
)

// TestHomeIsGone: a service that has begun goes on with the accounts that it can reach when
// the server is gone that has home and some of the shards: for senders with keys, beyond
// the time for which what is known of keys may be old otherwise. It says so to load
// balancers and in its metrics, and takes up the rest again by itself.
func TestHomeIsGone(t *testing.T) {
	t.Parallel()
	home := pgtest.Start(t)
	file := filepath.Join(t.TempDir(), "shards.yaml")
	shardsCommand(t, "init", "--shards", "2", "--url", home.NewDatabase(t), "--url", pgtest.Shared(t).NewDatabase(t), "--file", file)
	s := serveAs(t, "--db", file, untimely, "--program", programFile(t))
	c := s.client(t)
	made := newKey(t, file, "admin", "core", "--source", "core")
	with := http.Header{"Authorization": {"Bearer " + made.Key}}
	account := func(shard int) string {
		for n := 0; ; n++ {
			if id := fmt.Sprint("a", n); shards.Bucket(id)*2/shards.Buckets == shard {
				return id
			}
		}
	}
	lost, reached := account(0), account(1)
	sent := 0
	send := func(account string) error {
		sent++
		id := fmt.Sprint("t", sent)
		e := reward.Event{Source: "core", ID: id, Account: account, Type: reward.TransactionSettled, Time: end, Transaction: id, Currency: "USD", Amount: 1000, HasAmount: true}
		_, answer, err := c.ask(http.MethodPost, "/v1/events", single.String(), with, []byte(linesOf([]reward.Event{e})[0]))
		if err == nil && !strings.Contains(string(answer), `"applied"`) {
			err = errors.New(string(answer))
		}
		return err
	}
	says := func(path string) string {
		_, answer, err := c.ask(http.MethodGet, path, "", with, nil)
		noError(t, err)
		return string(answer)
	}
	noError(t, send(lost))
	noError(t, send(reached))

	home.Stop(t)
	for gone := time.Now(); time.Since(gone) < access.Staleness+2*time.Second; {
		noError(t, send(reached))
	}
	if err := send(lost); err == nil || !strings.Contains(err.Error(), "503") {
		t.Errorf("an event of an account that cannot be reached is answered with %v", err)
	}
	noError(t, send(reached))
	eventually(t, "load balancers are told", func() error {
		if text := says("/readyz"); !strings.Contains(text, `"database":"degraded"`) || !strings.Contains(text, `"home":"degraded"`) || !strings.Contains(text, `"ready"`) {
			return fmt.Errorf("/readyz says %s", text)
		}
		return nil
	})
	if unreachable := regexp.MustCompile(`(?m)^recoup_home_unreachable_seconds [1-9]`); !unreachable.MatchString(says("/metrics")) {
		t.Error("the metrics do not say that home is gone")
	}

	home.Restart(t)
	eventually(t, "all is served again", func() error { return send(lost) })
	eventually(t, "load balancers are told that", func() error {
		if text := says("/readyz"); strings.Contains(text, "degraded") {
			return fmt.Errorf("/readyz says %s", text)
		}
		return nil
	})
	s.stop(t)
	verified(t, file)
}
