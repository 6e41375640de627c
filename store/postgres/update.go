package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"recoup/store/durable"
)

// grace is how long a commit or a rollback may take once the caller's context is
// of no account any more.
const grace = 30 * time.Second

// Update runs f in one transaction. See the package's documentation for what is
// tried again.
func (d *DB) Update(ctx context.Context, f func(durable.Tx) error) error {
	for attempt := 1; ; attempt++ {
		err := d.attempt(ctx, f)
		switch {
		case err == nil:
			return nil
		case !retryable(err) || ctx.Err() != nil:
			return err
		case attempt == attempts:
			return fmt.Errorf("gave up after %d attempts: %w", attempts, err)
		}
		if err := pause(ctx, attempt); err != nil {
			return err
		}
	}
}

func (d *DB) attempt(ctx context.Context, f func(durable.Tx) error) error {
	conn, err := d.writers.Acquire(ctx)
	if err != nil {
		return lost(err)
	}
	// A connection that is released within a transaction, as after a panic, is
	// closed by the pool, and the server rolls back.
	defer conn.Release()
	t := &tx{db: d, conn: conn}
	err = f(t)
	if t.failed != nil {
		// What went wrong here says more about what to do than what f made of it.
		if err = t.failed; errors.Is(err, ctx.Err()) {
			err = ctx.Err()
		}
	}
	if err != nil {
		t.rollback()
		return err
	}
	return t.commit(ctx)
}

// tx is one transaction that changes accounts. What is to be written is kept
// until the end, so that it goes to the server along with the commit.
type tx struct {
	db      *DB
	conn    *pgxpool.Conn
	begun   bool
	pending *pgx.Batch // written, but not sent yet
	failed  error      // the first thing that went wrong: nothing can follow
	// absent are parts that were asked for and are not there. Since their account
	// is locked, or new, nobody else can make them.
	absent map[durable.PartKey]struct{}
}

// batch is what goes to the server next, with the begin in front if it is the
// first, and what is pending.
func (t *tx) batch() *pgx.Batch {
	b := t.pending
	t.pending = nil
	if b == nil {
		b = new(pgx.Batch)
	}
	if !t.begun {
		b.QueuedQueries = append([]*pgx.QueuedQuery{{SQL: begin}}, b.QueuedQueries...)
		t.begun = true
	}
	return b
}

const (
	begin  = "BEGIN ISOLATION LEVEL READ COMMITTED"
	commit = "COMMIT"
)

// send sends a batch that does not commit, and runs what is to be done with its
// results.
func (t *tx) send(ctx context.Context, b *pgx.Batch) error {
	if t.failed != nil {
		return t.failed
	}
	if err := t.conn.SendBatch(ctx, b).Close(); err != nil {
		t.failed = uncommitted(err)
	}
	return t.failed
}

// commit sends what is pending and commits. From here on the caller's context
// is not heeded: giving up would leave open what became of the transaction.
func (t *tx) commit(ctx context.Context) error {
	if !t.begun && t.pending == nil {
		return nil
	}
	if err := ctx.Err(); err != nil {
		t.rollback()
		return err
	}
	b := t.batch()
	b.Queue(commit)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), t.db.statementTimeout+grace)
	defer cancel()
	if err := t.conn.SendBatch(ctx, b).Close(); err != nil {
		t.rollback()
		return afterCommit(err)
	}
	return nil
}

// rollback ends the transaction. Where it cannot, the connection is closed on
// release.
func (t *tx) rollback() {
	if t.conn.Conn().PgConn().TxStatus() == 'I' || t.conn.Conn().IsClosed() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	_, _ = t.conn.Exec(ctx, "ROLLBACK")
}
