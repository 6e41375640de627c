// Package pebbletest gives tests a database.
package pebbletest

import (
	"context"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"recoup/internal/store/pebble"
)

// Open opens an empty database in memory for as long as the test runs.
func Open(t testing.TB) *pebble.DB {
	t.Helper()
	return OpenOn(t, vfs.NewMem(), "ledger")
}

// OpenOn opens the database in a folder of a file system, which is made if it is not
// there, for as long as the test runs.
func OpenOn(t testing.TB, fs vfs.FS, dir string) *pebble.DB {
	t.Helper()
	db, err := pebble.Open(context.Background(), dir, pebble.Options{Create: true, FS: fs, Cache: 1 << 20, MemTable: 1 << 20})
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
