package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"recoup/reward"
	"recoup/store/durable"
)

// View runs f on one snapshot of what is committed.
func (d *DB) View(ctx context.Context, f func(durable.Reader) error) error {
	var t pgx.Tx
	// A connection may have been lost since it was used last; another is made.
	for attempt := 1; ; attempt++ {
		var err error
		t, err = d.readers.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
		if err == nil {
			break
		}
		err = uncommitted(err)
		if !retryable(err) || ctx.Err() != nil || attempt == attempts {
			return fmt.Errorf("begin to read: %w", err)
		}
		if err := pause(ctx, attempt); err != nil {
			return err
		}
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
		defer cancel()
		_ = t.Rollback(ctx) // there is nothing to commit
	}()
	return f(&reader{t})
}

// reader reads on one snapshot.
type reader struct{ tx pgx.Tx }

// read reads all rows of a statement.
func (r *reader) read(ctx context.Context, f func(row), statement string, arguments ...any) error {
	rows, err := r.tx.Query(ctx, statement, arguments...)
	if err != nil {
		return err
	}
	defer rows.Close()
	return each(rows, f)
}

func (r *reader) Account(ctx context.Context, id string) (a durable.AccountRow, ok bool, err error) {
	err = r.read(ctx, func(v row) { a, ok = account(v), true },
		`SELECT account, program, version, last, due, head FROM accounts WHERE account = $1`, id)
	return a, ok, err
}

func (r *reader) Accounts(ctx context.Context, after string, limit int) (ids []string, err error) {
	err = r.read(ctx, func(v row) { ids = append(ids, text(v[0])) },
		`SELECT account FROM accounts WHERE account > $1 ORDER BY account LIMIT $2`, after, limit)
	return ids, err
}

func (r *reader) Rows(ctx context.Context, after string, limit int) (list []durable.AccountRow, err error) {
	err = r.read(ctx, func(v row) { list = append(list, account(v)) },
		`SELECT account, program, version, last, due, head FROM accounts WHERE account > $1 ORDER BY account LIMIT $2`, after, limit)
	return list, err
}

func (r *reader) Due(ctx context.Context, at reward.Instant, limit int) (ids []string, err error) {
	err = r.read(ctx, func(v row) { ids = append(ids, text(v[0])) },
		`SELECT account FROM accounts WHERE due <= $1 ORDER BY due LIMIT $2`, int64(at), limit)
	return ids, err
}

func (r *reader) Find(ctx context.Context, q durable.Query) (parts []durable.Part, err error) {
	ask := statement(&q)
	err = r.read(ctx, func(v row) { parts = append(parts, part(v)) }, ask.SQL, ask.Arguments...)
	return parts, err
}
