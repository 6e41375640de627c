package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"recoup/internal/store/record"
	"recoup/reward"
)

// beats is the table of when a service was known to run last.
const beats record.Table[beat] = "clock"

type beat struct {
	At reward.Instant `json:"at"`
}

// A folder that was used last 40 days ago, as far as it knows, or whose clock is wrong now:
// the service cannot tell which.
func TestAServiceIsToldThatItsClockIsRight(t *testing.T) {
	workspace(t)
	if got := end(t, runs(t, "keys", "create", "--source", "*", "--db", "data", "--name", "sender", "--scope", "ingest")); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	db, err := openDatabase(context.Background(), "data")
	if err != nil {
		t.Fatal(err)
	}
	err = db.Change(context.Background(), func(tx record.Tx) error {
		return beats.Put(tx, "", &beat{reward.At(time.Now().Add(-40 * 24 * time.Hour))})
	})
	if err = errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	ready := func(flags ...string) (status int, body string) {
		t.Helper()
		s := served(t, append([]string{"--db", "data", "--program", "program.yaml"}, flags...)...)
		defer s.end()
		return s.get(t, "/readyz")
	}
	if status, body := ready(); status != 503 || !strings.Contains(body, "the clock of this machine is not believed") {
		t.Errorf("%d %s", status, body)
	}
	if status, body := ready("--accept-clock"); status != 200 {
		t.Errorf("with --accept-clock: %d %s", status, body)
	}
	if status, body := ready(); status != 200 {
		t.Errorf("after that: %d %s", status, body)
	}
}
