package main

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"recoup/internal/kit/pgtest"
	"recoup/internal/service/server"
	"recoup/internal/store/durable"
	"recoup/internal/store/pebble/pebbletest"
	"recoup/internal/store/postgres"
	"recoup/internal/store/record"
	"recoup/reward"
)

// watch is a clock that tests set; time passes by itself.
type watch struct {
	by     time.Duration // how far it is off
	passed time.Duration
}

// keeper is a timekeeper over a database whose clock tests set.
func keeper(t *testing.T, db *durable.Database, w *watch) *timekeeper {
	t.Helper()
	started := time.Now()
	return &timekeeper{
		db: db, most: 15 * time.Minute, log: slog.New(slog.DiscardHandler),
		now: func() time.Time { return started.Add(w.passed + w.by) }, passed: func() time.Duration { return w.passed },
	}
}

// expectDoubt looks at the clock and wants it doubted, or not.
func expectDoubt(t *testing.T, k *timekeeper, doubted bool) {
	t.Helper()
	if err := k.look(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := k.doubted(); (err != nil) != doubted || doubted && !errors.Is(err, server.ErrClock) {
		t.Fatalf("doubted: %v, want %v", err, doubted)
	}
}

func TestAClockThatJumpsIsDoubted(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func() durable.Driver{
		"pebble": func() durable.Driver { return pebbletest.Open(t) },
		"postgres": func() durable.Driver {
			d, err := postgres.Open(context.Background(), pgtest.NewSchema(t), postgres.Options{Migrate: true})
			if err != nil {
				t.Fatal(err)
			}
			return d
		},
	} {
		t.Run(name, func(t *testing.T) {
			db := durable.One(open())
			defer db.Close()
			w := new(watch)
			k := keeper(t, db, w)
			if err := k.start(context.Background()); err != nil {
				t.Fatal(err)
			}
			expectDoubt(t, k, false)
			w.passed = 10 * time.Minute
			expectDoubt(t, k, false)
			w.by = 40 * 24 * time.Hour
			expectDoubt(t, k, true)
			p := &punctual{clock: k}
			if _, err := p.Apply(context.Background(), []reward.Event{{}}, nil); !errors.Is(err, server.ErrClock) {
				t.Errorf("an event: %v", err)
			}
			if _, _, err := p.Decide(context.Background(), reward.Event{}); !errors.Is(err, server.ErrClock) {
				t.Errorf("a redemption: %v", err)
			}
			w.by = time.Minute
			expectDoubt(t, k, false)
			w.by = -time.Hour
			expectDoubt(t, k, true)

			accepted := keeper(t, db, w)
			accepted.accepted = true
			w.by = 40 * 24 * time.Hour
			if err := accepted.start(context.Background()); err != nil {
				t.Fatal(err)
			}
			expectDoubt(t, accepted, false)
		})
	}
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
		return heartbeats.Put(tx, "", &heartbeat{reward.At(time.Now().Add(-40 * 24 * time.Hour))})
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
