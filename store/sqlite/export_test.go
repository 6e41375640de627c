package sqlite

import (
	"context"
	"fmt"
	"sync/atomic"

	"modernc.org/libc"
)

var logSyncs atomic.Int64

func init() {
	afterSync = func() { logSyncs.Add(1) }
	_ = libc.NewTLS
}

// LogSyncs is how often write-ahead logs have been synced.
func LogSyncs() int64 { return logSyncs.Load() }

// LimitPages bounds the size of the file.
func (db *DB) LimitPages(n int) error {
	if err := db.lock(context.Background()); err != nil {
		return err
	}
	defer db.unlock()
	return db.write.exec(fmt.Sprintf("PRAGMA max_page_count = %d", n))
}
