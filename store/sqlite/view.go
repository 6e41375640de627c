package sqlite

import (
	"context"
	"errors"
	"fmt"

	"recoup/store/durable"
)

// View implements durable.Driver.
func (db *DB) View(ctx context.Context, f func(durable.Reader) error) error {
	var c *conn
	select {
	case c = <-db.readers:
	case <-ctx.Done():
		return ctx.Err()
	}
	if c == closedReader {
		db.readers <- c
		return ErrClosed
	}
	defer func() { db.readers <- c }()
	if c == nil {
		var err error
		if c, err = db.openReader(ctx); err != nil {
			return err
		}
	}
	s, err := db.snapshot(ctx, c)
	if err != nil {
		return errors.Join(err, c.rollback())
	}
	defer c.rollback() // a snapshot has nothing to keep
	return f(s)
}

// closedReader takes the place of the readers of a closed database.
var closedReader = new(conn)

func (db *DB) openReader(ctx context.Context) (c *conn, err error) {
	err = db.patiently(ctx, func() (err error) {
		c, err = openConn(db.path,
			"PRAGMA busy_timeout = 20",
			"PRAGMA synchronous = FULL",
			"PRAGMA query_only = ON",
			"PRAGMA wal_autocheckpoint = 0",
			fmt.Sprintf("PRAGMA cache_size = -%d", db.options.Cache>>13),
		)
		return err
	})
	return c, err
}

// snapshot begins a snapshot, with the rows of the backlog that are in it.
func (db *DB) snapshot(ctx context.Context, c *conn) (*source, error) {
	for {
		if err := c.query(`BEGIN`).run(); err != nil {
			return nil, fmt.Errorf("begin a snapshot: %w", err)
		}
		var st state
		err := db.patiently(ctx, func() (err error) { st, err = readState(c); return err })
		if err == nil {
			err = db.backlog.catchUp(c, st)
		}
		if err != nil {
			return nil, fmt.Errorf("begin a snapshot: %w", err)
		}
		if o, ok := db.backlog.overlayOf(st); ok {
			return &source{conn: c, overlay: o}, nil
		}
		if err := c.rollback(); err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
}
