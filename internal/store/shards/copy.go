package shards

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5"

	"recoup/internal/store/postgres"
)

// snapshot is what is committed in the place that a shard leaves, as of one moment. Until
// it ends, the server does not freeze what has been written since: see horizon.
type snapshot struct {
	conn *postgres.Conn
	// horizon is the oldest transaction that was not committed then: what was written
	// later bears its number or a later one.
	horizon string
}

// begin begins a snapshot on a connection.
func begin(ctx context.Context, conn *postgres.Conn) (*snapshot, error) {
	s := &snapshot{conn: conn}
	if err := conn.Begin(ctx, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"); err != nil {
		return nil, err
	}
	err := conn.QueryRow(ctx, "SELECT pg_snapshot_xmin(pg_current_snapshot())::XID::TEXT").Scan(&s.horizon)
	return s, err
}

// end ends a snapshot. One whose connection was lost, as by giving up a statement when the
// shard had been stopped for long enough, has ended with it: its horizon is all that who
// follows wants of it.
func (s *snapshot) end(ctx context.Context) error {
	if s.conn.IsClosed() {
		return nil
	}
	_, err := s.conn.Exec(ctx, "ROLLBACK")
	return err
}

// digestOf is what the rows of a query add up to.
func digestOf(ctx context.Context, conn *postgres.Conn, query string) (d digest, err error) {
	_, err = conn.PgConn().CopyTo(ctx, &d, "COPY ("+query+") TO STDOUT (FORMAT binary)")
	return d, err
}

// pass copies the rows of a query to a table of another connection, and returns what they
// add up to.
func pass(ctx context.Context, from *postgres.Conn, query string, to *postgres.Conn, into string) (d digest, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r, w := io.Pipe()
	sent := make(chan error, 1)
	go func() {
		_, err := from.PgConn().CopyTo(ctx, io.MultiWriter(&d, w), "COPY ("+query+") TO STDOUT (FORMAT binary)")
		_ = w.CloseWithError(err)
		sent <- err
	}()
	_, err = to.PgConn().CopyFrom(ctx, r, "COPY "+into+" FROM STDIN (FORMAT binary)")
	_ = r.CloseWithError(errors.Join(err, io.ErrClosedPipe))
	return d, errors.Join(err, <-sent)
}

// copyAll copies all that is of a target, and proves each table by reading what has been
// written.
func (t *target) copyAll(ctx context.Context, from *snapshot, tables []table, tell func(string)) error {
	for i := range tables {
		tell("copying " + tables[i].name)
		if err := t.in(ctx, func() error { return t.copy(ctx, from, &tables[i]) }); err != nil {
			return err
		}
	}
	return nil
}

func (t *target) copy(ctx context.Context, from *snapshot, one *table) error {
	sent, err := pass(ctx, from.conn, fmt.Sprintf("SELECT %s FROM %s WHERE %s", one.list(""), one.name, t.has(one.name)), t.conn, fmt.Sprintf("%s (%s)", one.name, one.list("")))
	if err != nil {
		return fmt.Errorf("copying %s: %w", one.name, err)
	}
	arrived, err := digestOf(ctx, t.conn, fmt.Sprintf("SELECT %s FROM %s", one.list(""), one.name))
	if err != nil {
		return fmt.Errorf("reading the copy of %s: %w", one.name, err)
	}
	if sent != arrived {
		return fmt.Errorf("the copy of %s is not what was sent: %d rows of %d; nothing has been switched", one.name, arrived.rows, sent.rows)
	}
	if one.name == "accounts" {
		t.accounts = sent.rows
		if err := t.expectOwn(ctx); err != nil {
			return err
		}
	}
	if one.name == "events" {
		t.events = sent.rows
	}
	_, err = t.conn.Exec(ctx, "ANALYZE "+one.name)
	return err
}

// expectOwn refuses accounts of buckets that the target has not: as this program reckons
// them, rather than the server.
func (t *target) expectOwn(ctx context.Context) error {
	rows, err := t.conn.Query(ctx, "SELECT account FROM accounts")
	if err != nil {
		return err
	}
	var account string
	_, err = pgx.ForEachRow(rows, []any{&account}, func() error {
		if !t.Buckets.has(Bucket(account)) {
			return fmt.Errorf("account %s of bucket %d was copied to shard %d, which has %s", account, Bucket(account), t.Number, t.Buckets)
		}
		return nil
	})
	return err
}
