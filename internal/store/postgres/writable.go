package postgres

import (
	"context"
	"crypto/rand"
)

// What a unit of work writes to, and a record that is gone again when it is committed.
const (
	lockAsWriting = `LOCK TABLE accounts, events, records IN ROW EXCLUSIVE MODE`
	insertTrial   = `INSERT INTO records (tab, key, value) VALUES ('trial', $1::BYTEA, 'null')`
	deleteTrial   = `DELETE FROM records WHERE tab = 'trial' AND key = $1::BYTEA`
)

// TryWrite implements durable.Driver.
func (d *DB) TryWrite(ctx context.Context) error {
	key := []byte(rand.Text())
	x := d.writers.begin(begin)
	x.do(lockAsWriting)
	x.do(insertTrial, key)
	x.do(deleteTrial, key)
	x.do(commit)
	conn, err := d.writers.Acquire(ctx)
	if err != nil {
		return failure(lost(ctx, err), "")
	}
	defer conn.Release()
	if _, err = d.writers.run(ctx, conn, x); err == nil {
		err = heard(conn.Conn().PgConn())
	}
	if err != nil {
		t := &transaction{pool: d.writers, conn: conn, failed: afterCommit(ctx, err)}
		t.rollback()
		return failure(t.failed, "")
	}
	return nil
}
