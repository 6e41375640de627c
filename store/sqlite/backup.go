package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// Backup writes a copy of the database, as it is at one moment, to a new file,
// while work goes on. The copy is durable when it returns, and is opened like any
// database.
func (db *DB) Backup(ctx context.Context, path string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if _, err := os.Stat(path); err == nil {
		return fmt.Errorf("back up to %s: the file is there already; name a new one", path)
	}
	c, err := db.openPassive(ctx)
	if err != nil {
		return err
	}
	defer c.close()
	done := c.interruptOn(ctx)
	err = c.query(`VACUUM INTO ?`).text(path).run()
	done()
	if err == nil {
		err = syncFile(path)
	}
	if err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return fmt.Errorf("back up to %s: %w", path, errors.Join(err, os.RemoveAll(path)))
	}
	return nil
}

// interruptOn has the statement at work fail if the context ends before the
// returned function is called.
func (c *conn) interruptOn(ctx context.Context) (done func()) {
	interrupted := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(interrupted)
		tls := libc.NewTLS()
		defer tls.Close()
		lib.Xsqlite3_interrupt(tls, c.db)
	})
	return func() {
		if !stop() {
			<-interrupted // the connection may be closed only after that
		}
	}
}

func syncFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
