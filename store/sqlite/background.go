package sqlite

import (
	"context"
	"errors"
	"time"
)

// pageSize is that of the file and of the write-ahead log.
const pageSize = 4096

// checkpoints copies the write-ahead log into the file whenever it has become
// long. Most of it is copied beside the commits; only then, when little is left,
// is the turn to write taken to copy the rest, after which SQLite writes the log
// from its beginning again. Without that it would grow for as long as commits
// keep coming.
func (db *DB) checkpoints(ctx context.Context) {
	var c *conn
	defer func() {
		if c != nil {
			c.close()
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return
		case <-db.wake:
		}
		err := func() (err error) {
			if c == nil {
				if c, err = db.openPassive(ctx); err != nil {
					return err
				}
			}
			return db.checkpoint(ctx, c)
		}()
		if err != nil && ctx.Err() == nil && !busy(err) && !errors.Is(err, ErrClosed) {
			db.options.Log.Error("the write-ahead log cannot be copied into the database; it is tried again with the next commits", "error", err)
		}
	}
}

// openPassive opens a connection that changes nothing in the tables.
func (db *DB) openPassive(ctx context.Context) (c *conn, err error) {
	err = db.patiently(ctx, func() (err error) {
		c, err = openConn(db.path, "PRAGMA busy_timeout = 20", "PRAGMA synchronous = FULL", "PRAGMA wal_autocheckpoint = 0")
		return err
	})
	return c, err
}

// leftover is how many pages may be copied while units of work wait.
const leftover = 256

func (db *DB) checkpoint(ctx context.Context, c *conn) error {
	left := int64(1 << 62)
	for {
		length, copied, err := c.checkpoint(`PRAGMA wal_checkpoint(PASSIVE)`)
		if err != nil {
			return err
		}
		if length-copied <= leftover {
			break
		}
		if length-copied >= left {
			return nil // a reader on an old snapshot is in the way
		}
		left = length - copied
	}
	if err := db.lock(ctx); err != nil {
		return err
	}
	defer db.unlock()
	_, _, err := c.checkpoint(`PRAGMA wal_checkpoint(PASSIVE)`)
	return err
}

// checkpoint copies what it can of the write-ahead log and returns how many
// pages are in the log and how many of those are copied.
func (c *conn) checkpoint(pragma string) (length, copied int64, err error) {
	q := c.query(pragma)
	if q.next() {
		length, copied = q.intAt(1), q.intAt(2)
	}
	return length, copied, q.end()
}

// idle is how long nothing is committed before the backlog is filed to the end.
const idle = 2 * time.Second

// fileWhenIdle files the backlog when nothing else is done, so that it is short
// when the process starts the next time.
func (db *DB) fileWhenIdle(ctx context.Context) {
	timer := time.NewTimer(idle)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-db.changed:
			timer.Reset(idle)
		case <-timer.C:
			if err := db.file(ctx); err != nil && ctx.Err() == nil && !errors.Is(err, ErrClosed) {
				db.options.Log.Error("the backlog cannot be filed; it is tried again after the next commits", "error", err)
			}
		}
	}
}

// file files the whole backlog, but stops as soon as units of work commit again:
// many small layers filed between them would write the same pages over and over.
func (db *DB) file(ctx context.Context) error {
	for more := true; more && len(db.changed) == 0; {
		if err := db.lock(ctx); err != nil {
			return err
		}
		var err error
		more, err = db.fileSome(ctx)
		db.unlock()
		if err != nil {
			return err
		}
	}
	return nil
}

// fileAll is file for who has the turn.
func (db *DB) fileAll(ctx context.Context) error {
	for {
		if more, err := db.fileSome(ctx); err != nil || !more {
			return err
		}
	}
}

// fileSome files a few thousand keys, for who has the turn. It reports whether
// there is more to do.
func (db *DB) fileSome(ctx context.Context) (more bool, err error) {
	db.backlog.seal()
	st, err := db.begin(ctx)
	if err != nil {
		return false, err
	}
	defer func() {
		if rolled := db.write.rollback(); err == nil {
			err = rolled
		}
	}()
	if db.filer.work == nil && db.filer.removed >= st.filed {
		return false, nil
	}
	if db.filer.work != nil {
		select {
		case <-db.filer.work.sorted:
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
	return true, db.commit(st, nil, 4096, 32)
}
