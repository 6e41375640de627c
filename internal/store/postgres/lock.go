package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// keyOfMove is the key of the lock that who moves a shard of a ledger holds, in a
// transaction at its home, for as long as they live.
const keyOfMove = `(1380270931, ('x' || left(md5(current_schema() || ' ' || $1::INT8), 8))::BIT(32)::INT4)`

// HoldMove takes the lock for the one who moves a shard, in a transaction that goes on until
// the connection ends; it is false if somebody else has it.
func HoldMove(ctx context.Context, home *Conn, shard int64) (held bool, err error) {
	if err = home.Begin(ctx, begin); err == nil {
		err = home.QueryRow(ctx, `SELECT pg_try_advisory_xact_lock`+keyOfMove, shard).Scan(&held)
	}
	return held, err
}

// Moving reports whether somebody who moves a shard lives, as far as home knows.
func (d *DB) Moving(ctx context.Context, shard int64) (moving bool, err error) {
	err = d.readers.inTransaction(ctx, func(tx pgx.Tx) error {
		var free bool
		err := tx.QueryRow(ctx, `SELECT pg_try_advisory_xact_lock_shared`+keyOfMove, shard).Scan(&free)
		moving = !free
		return err
	})
	return moving, err
}
