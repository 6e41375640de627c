package durable_test

import (
	"context"
	"os"
	"testing"
	"time"

	"recoup/internal/kit/casebook"
	"recoup/internal/kit/pgtest"
	"recoup/internal/store"
	"recoup/internal/store/durable"
	"recoup/internal/store/pebble/pebbletest"
	"recoup/internal/store/postgres"
	"recoup/internal/store/storetest"
	"recoup/reward"
)

// databases are the two that a store can live in.
var databases = map[string]func(t testing.TB) durable.Driver{
	"pebble": func(t testing.TB) durable.Driver {
		return pebbletest.Open(t)
	},
	"postgres": func(t testing.TB) durable.Driver {
		d, err := postgres.Open(context.Background(), pgtest.NewSchema(t), postgres.Options{Migrate: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { d.Close() })
		return d
	},
}

// programsOf has a database know one program.
func programsOf(t testing.TB, d durable.Driver, p *reward.Program) *durable.Programs {
	t.Helper()
	ctx := context.Background()
	parse := func([]byte) (*reward.Program, error) {
		version := *p
		return &version, nil
	}
	programs, err := durable.OpenPrograms(ctx, d, parse, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if _, there := programs.Default(); !there {
		if _, _, err = programs.Put(ctx, p.ID, []byte("as the test has it"), 0, "test"); err != nil {
			t.Fatal(err)
		}
	}
	return programs
}

func open(t testing.TB, d durable.Driver, p *reward.Program, atHand int) *durable.Store {
	return durable.New(d, durable.Options{Programs: programsOf(t, d, p), Now: func() reward.Instant { return reward.At(time.Now()) }, AtHand: atHand})
}

// long reports whether there is time.
func long() bool { return os.Getenv("RECOUP_LONG") != "" }

// TestDatabasesAreStores runs the conformance suite on stores that keep accounts
// at hand, and on stores that read them from the database for every unit of work. What is at
// hand and what is read again is no business of the driver's, so of PostgreSQL the latter is
// only where there is time: the courses of terms and random traffic have it read accounts again.
func TestDatabasesAreStores(t *testing.T) {
	t.Parallel()
	for name, driver := range databases {
		t.Run(name, func(t *testing.T) {
			for kept, atHand := range map[string]int{"accounts at hand": 0, "accounts read again": 1} {
				t.Run(kept, func(t *testing.T) {
					if name == "postgres" && atHand == 1 && !long() {
						t.Skip("set RECOUP_LONG: a folder has it, and PostgreSQL with accounts at hand")
					}
					t.Parallel() // most of the time it waits for a disk
					storetest.Run(t, func(t *testing.T, p *reward.Program) store.Store { return open(t, driver(t), p, atHand) })
				})
			}
		})
	}
}

// TestDatabasesPlayTheCourses has one of each kind play the courses of terms, reading accounts again for
// every unit of work; PostgreSQL one of four, where there is no time for all.
func TestDatabasesPlayTheCourses(t *testing.T) {
	t.Parallel()
	for name, driver := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := driver(t)
			for i, c := range casebook.OfTerms(t, "../../../testdata") {
				if name == "postgres" && i%4 > 0 && !long() {
					continue
				}
				storetest.Play(t, open(t, d, c.Program, 1), c.Name, c.Program, c.Events)
			}
		})
	}
}
