package sqlite_test

import (
	"context"
	"path/filepath"
	"testing"

	"recoup/store/drivertest"
	"recoup/store/durable"
	"recoup/store/sqlite"
)

// TestDriver runs the conformance suite with a backlog that takes everything
// which a test writes, with one that is filed all the time, and with one where
// the two mix.
func TestDriver(t *testing.T) {
	for name, backlog := range map[string]int{"in the backlog": 1 << 20, "filed at once": 1, "filed in part": 5} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // most of the time it waits for a disk
			drivertest.Run(t, func(t *testing.T) durable.Driver {
				return open(t, filepath.Join(t.TempDir(), "recoup.db"), sqlite.Options{Backlog: backlog})
			})
		})
	}
}

// open opens a database, migrated, for as long as the test runs.
func open(t testing.TB, path string, o sqlite.Options) *sqlite.DB {
	t.Helper()
	o.Migrate = true
	db, err := sqlite.Open(context.Background(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return db
}
