package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"recoup/internal/store"
)

// Identity says which of the schemas of a ledger one is. Those of a ledger that is kept
// in one have none.
type Identity struct {
	Ledger string
	Shard  int64 // Home for the one that has what is of no account
	// Epoch counts the places that the shard has been at, from 1: whoever has opened it at
	// one cannot change anything once it is at another.
	Epoch int64
}

// Home is the Identity.Shard of a ledger's home.
const Home = -1

// Kept is what a schema says of itself.
type Kept struct {
	Identity
	// Closed names who has closed it to move it elsewhere; "": it is open.
	Closed string
}

var (
	// ErrMoved: the schema is not to be used any more as what it was opened, since its
	// shard is at another place, or is about to be. Nothing was read or written.
	ErrMoved = errors.New("the shard is being moved or has moved to another place")
	// ErrPart: the schema is one of several of a ledger and was opened as a whole one.
	ErrPart = errors.New("one of several schemas of a ledger")
)

// guard is what transactions of a schema that is part of a ledger begin with, after what
// begins them.
func guard(id *Identity, changes bool) (x exchange) {
	if id != nil {
		x.do(`SELECT expect_shard($1::TEXT, $2::INT8, $3::INT8, $4::BOOL)`, id.Ledger, id.Shard, id.Epoch, changes)
	}
	return x
}

// closing waits for all who change something, and keeps them out until the transaction
// ends. See expect_shard.
const closing = `SELECT pg_advisory_xact_lock(1380270930, 'shard'::REGCLASS::OID::INT4)`

// ReadKept says whose the schema of a connection is; ok is false if it is nobody's.
func ReadKept(ctx context.Context, from querier) (k Kept, ok bool, err error) {
	err = from.QueryRow(ctx, `SELECT ledger, shard, epoch, closed FROM shard`).Scan(&k.Ledger, &k.Shard, &k.Epoch, &k.Closed)
	if errors.Is(err, pgx.ErrNoRows) {
		return k, false, nil
	}
	return k, err == nil, err
}

// Close closes a schema that is open at an epoch, in the name of who moves it, within a
// transaction: when that has ended and closed is true, nothing more is committed in the
// schema, and what was is to be seen.
func Close(ctx context.Context, c *pgx.Conn, id Identity, by string) (closed bool, err error) {
	if _, err := c.Exec(ctx, closing); err != nil {
		return false, err
	}
	done, err := c.Exec(ctx, `UPDATE shard SET closed = $1 WHERE ledger = $2 AND shard = $3 AND epoch = $4 AND closed = ''`, by, id.Ledger, id.Shard, id.Epoch)
	return done.RowsAffected() == 1, err
}

// checkIdentity refuses a schema that is part of a ledger, where a whole one is expected.
func checkIdentity(ctx context.Context, p *pool) error {
	return p.inTransaction(ctx, func(tx pgx.Tx) error {
		k, is, err := ReadKept(ctx, tx)
		switch {
		case err != nil || !is:
			return err
		case k.Shard == Home:
			return fmt.Errorf("%w: the schema is the home of a ledger that is kept in several; open it by its file of shards", ErrPart)
		}
		return fmt.Errorf("%w: the schema is shard %d of a ledger that is kept in several; open it by its file of shards", ErrPart, k.Shard)
	})
}

// moved is the failure of who has come to the wrong place. Nothing is broken: whoever
// asks for the place again gets on.
func moved(err error) error {
	return &store.Failure{Reach: store.Busy, Err: fmt.Errorf("%w: %w", ErrMoved, err)}
}

// Reopen opens the schema that somebody has closed, unless it is another's by now.
func (d *DB) Reopen(ctx context.Context, id Identity, by string) error {
	return d.readers.inTransaction(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE shard SET closed = '' WHERE ledger = $1 AND shard = $2 AND epoch = $3 AND closed = $4`, id.Ledger, id.Shard, id.Epoch, by)
		return err
	})
}
