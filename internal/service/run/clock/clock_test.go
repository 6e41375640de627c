package clock

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"recoup/internal/kit/pgtest"
	"recoup/internal/service/server"
	"recoup/internal/store/durable"
	"recoup/internal/store/pebble/pebbletest"
	"recoup/internal/store/postgres"
	"recoup/reward"
)

// watch is a clock that tests set; time passes by itself.
type watch struct {
	by     time.Duration // how far it is off
	passed time.Duration
}

// keeper is a Keeper over a database whose clock tests set.
func keeper(t *testing.T, db *durable.Database, w *watch) *Keeper {
	t.Helper()
	started := time.Now()
	return &Keeper{
		db: db, most: 15 * time.Minute, log: slog.New(slog.DiscardHandler),
		now: func() time.Time { return started.Add(w.passed + w.by) }, passed: func() time.Duration { return w.passed },
	}
}

// expectDoubt looks at the clock and wants it doubted, or not.
func expectDoubt(t *testing.T, k *Keeper, doubted bool) {
	t.Helper()
	if err := k.Look(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := k.Doubted(); (err != nil) != doubted || doubted && !errors.Is(err, server.ErrClock) {
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
			if err := k.Start(context.Background()); err != nil {
				t.Fatal(err)
			}
			expectDoubt(t, k, false)
			w.passed = 10 * time.Minute
			expectDoubt(t, k, false)
			w.by = 40 * 24 * time.Hour
			expectDoubt(t, k, true)
			p := &Punctual{Clock: k}
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
			if err := accepted.Start(context.Background()); err != nil {
				t.Fatal(err)
			}
			expectDoubt(t, accepted, false)
		})
	}
}
