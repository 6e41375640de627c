package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"

	"recoup/internal/store/durable"
	"recoup/internal/store/record"
	"recoup/reward"
)

const beginReading = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

// View runs f on one snapshot of what is committed.
func (d *DB) View(ctx context.Context, f func(durable.Reader) error) error {
	return d.Inspect(ctx, func(r durable.Inspector) error { return f(r) })
}

// Inspect implements durable.Driver.
func (d *DB) Inspect(ctx context.Context, f func(durable.Inspector) error) error {
	s := &snapshot{pool: d.readers}
	defer s.end(ctx)
	return f(&reader{s, records{s}})
}

// Read runs f on one snapshot of what is committed.
func (d *DB) Read(ctx context.Context, f func(record.Reader) error) error {
	return d.View(ctx, func(r durable.Reader) error { return f(r) })
}

// snapshot is a transaction that only reads. It begins with the first statement, in
// the same exchange.
type snapshot struct {
	pool *pool
	conn *pgxpool.Conn // nil: it has not begun
}

// ask implements asker.
func (s *snapshot) ask(ctx context.Context, statement string, arguments []any, f func(row)) error {
	return s.send(ctx, exchange{{statement, arguments, f}})
}

// send has an exchange done.
func (s *snapshot) send(ctx context.Context, x exchange) error {
	if s.conn == nil {
		return failure(s.begin(ctx, x), "")
	}
	if _, err := s.pool.run(ctx, s.conn, x); err != nil {
		return failure(uncommitted(ctx, err), "")
	}
	return nil
}

// begin begins and has the first exchange done. A connection may have been lost since it
// was used last; another is made.
func (s *snapshot) begin(ctx context.Context, x exchange) error {
	x = append(s.pool.begin(beginReading), x...)
	for attempt := 1; ; attempt++ {
		given, err := s.attempt(ctx, x)
		switch {
		case err == nil:
			return nil
		case given || !retryable(err) || ctx.Err() != nil:
			return err
		case attempt == attempts:
			return fmt.Errorf("begin to read: gave up after %d attempts: %w", attempts, err)
		}
		s.end(ctx)
		if err := pause(ctx, attempt); err != nil {
			return err
		}
	}
}

func (s *snapshot) attempt(ctx context.Context, x exchange) (given bool, err error) {
	if s.conn, err = s.pool.Acquire(ctx); err != nil {
		return false, lost(ctx, err)
	}
	if given, err = s.pool.run(ctx, s.conn, x); err != nil {
		return given, uncommitted(ctx, err)
	}
	return given, nil
}

// end ends the transaction; there is nothing to commit.
func (s *snapshot) end(ctx context.Context) {
	if s.conn == nil {
		return
	}
	if !s.conn.Conn().IsClosed() && s.conn.Conn().PgConn().TxStatus() != 'I' {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
		defer cancel()
		_, _ = s.conn.Exec(ctx, "ROLLBACK")
	}
	s.conn.Release()
	s.conn = nil
}

// reader reads on one snapshot.
type reader struct {
	*snapshot
	records
}

var _ durable.Inspector = (*reader)(nil)

// read reads all rows of a statement.
func (r *reader) read(ctx context.Context, f func(row), statement string, arguments ...any) error {
	return r.ask(ctx, statement, arguments, f)
}
func (r *reader) Account(ctx context.Context, id string) (a durable.AccountRow, ok bool, err error) {
	err = r.read(ctx, func(v row) { a, ok = account(v), true },
		`SELECT account, program, version, last, due, head FROM accounts WHERE account = $1`, id)
	return a, ok, err
}

// Opened implements durable.Reader, in one exchange.
func (r *reader) Opened(ctx context.Context, accounts []string, others []durable.PartKey) (rows []durable.AccountRow, parts []durable.Part, err error) {
	l := &loading{Loaded: new(durable.Loaded)}
	if len(accounts) > 0 {
		l.asked.ask(rowsOf, []any{accounts}, func(v row) { l.Accounts = append(l.Accounts, account(v)) })
		l.working(accounts)
	}
	l.parts(others, func(durable.PartKey) {})
	if len(l.asked) == 0 {
		return nil, nil, ctx.Err()
	}
	err = r.send(ctx, l.asked)
	return l.Accounts, l.Parts, err
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
	statement, arguments := find(&q)
	err = r.read(ctx, func(v row) { parts = append(parts, part(v)) }, statement, arguments...)
	return parts, err
}
