package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// grace is how long a commit or a rollback may take once the caller's context is
// of no account any more.
const grace = 30 * time.Second

// transaction is one transaction that changes something. What is to be written is kept
// until something is read, or until the end, so that it goes to the server along with
// that, or with the commit.
type transaction struct {
	pool    *pool
	conn    *pgxpool.Conn
	begin   exchange // what begins it
	begun   bool
	pending exchange // written, but not sent yet
	failed  error    // the first thing that went wrong: nothing can follow
	account string   // the one that it is about, as far as it is known to be one
	several bool     // it is known not to be
}

const (
	begin  = "BEGIN ISOLATION LEVEL READ COMMITTED"
	commit = "COMMIT"
)

// transact runs f in one transaction. See the package's documentation for what is
// tried again.
func (p *pool) transact(ctx context.Context, start exchange, f func(*transaction) error) error {
	for attempt := 1; ; attempt++ {
		t := &transaction{pool: p, begin: start}
		err := t.attempt(ctx, f)
		switch {
		case err == nil:
			return nil
		case !retryable(err) || ctx.Err() != nil:
			return failure(err, t.account)
		case attempt == attempts:
			return failure(fmt.Errorf("gave up after %d attempts: %w", attempts, err), t.account)
		}
		if err := pause(ctx, attempt); err != nil {
			return err
		}
	}
}

func (t *transaction) attempt(ctx context.Context, f func(*transaction) error) (err error) {
	if t.conn, err = t.pool.Acquire(ctx); err != nil {
		return lost(ctx, err)
	}
	// A connection that is released within a transaction, as after a panic, is
	// closed by the pool, and the server rolls back.
	defer t.conn.Release()
	err = f(t)
	if t.failed != nil {
		// What went wrong here says more about what to do than what f made of it.
		err = t.failed
	}
	if err != nil {
		t.rollback()
		return err
	}
	return t.commit(ctx)
}

// take is what goes to the server next: the begin if it is the first, what is pending,
// and more.
func (t *transaction) take(more exchange) (x exchange) {
	if !t.begun {
		x = append(x, t.begin...)
		t.begun = true
	}
	x = append(append(x, t.pending...), more...)
	t.pending = nil
	return x
}

// send has an exchange done, after what is pending.
func (t *transaction) send(ctx context.Context, x exchange) error {
	if t.failed != nil {
		return t.failed
	}
	if _, err := t.pool.run(ctx, t.conn, t.take(x)); err != nil {
		t.failed = uncommitted(ctx, err)
	}
	return t.failed
}

// ask implements asker.
func (t *transaction) ask(ctx context.Context, statement string, arguments []any, f func(row)) error {
	return t.send(ctx, exchange{{statement, arguments, f}})
}

// commit sends what is pending and commits. From here on the caller's context
// is not heeded: giving up would leave open what became of the transaction.
func (t *transaction) commit(ctx context.Context) error {
	if !t.begun && len(t.pending) == 0 {
		return nil
	}
	if err := ctx.Err(); err != nil {
		t.rollback()
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), t.pool.statementTimeout+grace)
	defer cancel()
	_, err := t.pool.run(ctx, t.conn, t.take(exchange{{statement: commit}}))
	if err == nil {
		err = heard(t.conn.Conn().PgConn())
	}
	if err != nil {
		t.failed = afterCommit(ctx, err)
		t.rollback()
	}
	return t.failed
}

// rollback ends the transaction. Where it cannot, the connection is closed on
// release.
func (t *transaction) rollback() {
	conn := t.conn.Conn()
	if conn.IsClosed() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	switch {
	case standby(t.failed):
		_ = conn.Close(ctx) // another one is made with whoever is the primary now
	case conn.PgConn().TxStatus() != 'I':
		_, _ = conn.Exec(ctx, "ROLLBACK")
	}
}
