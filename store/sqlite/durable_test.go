package sqlite_test

import (
	"path/filepath"
	"testing"

	"recoup/store/sqlite"
)

// TestEveryCommitIsSynced counts how often the write-ahead log is synced: once a
// commit, for everything else would be a promise that is not kept or time that is
// wasted.
func TestEveryCommitIsSynced(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "recoup.db"), sqlite.Options{})
	unit(t, db)
	sqlite.CountLogSyncs()
	before := sqlite.LogSyncs()
	for range 50 {
		unit(t, db)
	}
	if n := sqlite.LogSyncs() - before; n != 50 {
		t.Errorf("50 commits synced the log %d times", n)
	}
}
