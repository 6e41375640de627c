package sqlite

import (
	"context"
	"fmt"
	"sync/atomic"

	"modernc.org/libc"
)

// LimitPages bounds the size of the file.
func (db *DB) LimitPages(n int) error {
	if err := db.lock(context.Background()); err != nil {
		return err
	}
	defer db.unlock()
	return db.write.exec(fmt.Sprintf("PRAGMA max_page_count = %d", n))
}

var logSyncs atomic.Int64

// CountLogSyncs has LogSyncs count from now on. A database must be open, and at
// rest.
func CountLogSyncs() {
	methodsMu.Lock()
	defer methodsMu.Unlock()
	logMethods.FxSync = address(func(tls *libc.TLS, file uintptr, flags int32) int32 {
		logSyncs.Add(1)
		return syncLog(tls, file, flags)
	})
}

// LogSyncs is how often write-ahead logs have been synced.
func LogSyncs() int64 { return logSyncs.Load() }
