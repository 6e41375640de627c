package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"regexp"

	modernc "modernc.org/sqlite"
)

// Rebind implements durable.Driver.
// Presumes implements durable.Driver: looking costs next to nothing here.
func (db *DB) Presumes() bool { return false }

func (db *DB) Rebind(statement string) string { return numbered.ReplaceAllString(statement, "?$1") }

var numbered = regexp.MustCompile(`\$(\d+)`)

// openSide opens the pool for tables that are read and written rarely. SQLite has
// a writer that comes second poll for the lock, and a busy service leaves it open
// for moments only, so writers of the pool take their turn in the same line as
// units of work.
func openSide(db *DB) *sql.DB {
	pool := sql.OpenDB(&sideConnector{db: db})
	pool.SetMaxOpenConns(4)
	return pool
}

// connector makes connections of database/sql to a file.
func connector(path string, pragmas ...string) driver.Connector {
	c, err := modernc.NewConnector(dsn(path, pragmas))
	if err != nil {
		return failedConnector{err}
	}
	return c
}

// failedConnector reports late what is wrong with a source name.
type failedConnector struct{ err error }

func (c failedConnector) Connect(context.Context) (driver.Conn, error) { return nil, c.err }
func (c failedConnector) Driver() driver.Driver                        { return &modernc.Driver{} }

type sideConnector struct{ db *DB }

func (c *sideConnector) Driver() driver.Driver { return &modernc.Driver{} }

func (c *sideConnector) Connect(ctx context.Context) (driver.Conn, error) {
	inner, err := connector(c.db.path, "busy_timeout(10000)", "synchronous(FULL)", fmt.Sprintf("wal_autocheckpoint(%d)", 4*c.db.options.Journal/pageSize), "foreign_keys(1)").Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &sideConn{sideInner: inner.(sideInner), db: c.db}, nil
}

// sideInner is what database/sql makes use of in a connection of the driver.
type sideInner interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.SessionResetter
	driver.Validator
}

// sideConn is a connection whose writes take their turn. Within a transaction,
// which has taken it, they go through at once.
type sideConn struct {
	sideInner
	db     *DB
	inside bool
}

// BeginTx takes the turn for a transaction unless it only reads.
func (c *sideConn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	if o.ReadOnly {
		return c.sideInner.BeginTx(ctx, o)
	}
	if err := c.db.lock(ctx); err != nil {
		return nil, err
	}
	inner, err := c.sideInner.BeginTx(ctx, o)
	if err != nil {
		c.db.unlock()
		return nil, err
	}
	c.inside = true
	return &sideTx{inner, c}, nil
}

type sideTx struct {
	inner driver.Tx
	conn  *sideConn
}

func (t *sideTx) Commit() error   { return t.end(t.inner.Commit) }
func (t *sideTx) Rollback() error { return t.end(t.inner.Rollback) }

func (t *sideTx) end(how func() error) error {
	t.conn.inside = false
	defer t.conn.db.unlock()
	return how()
}

// ExecContext executes a statement in its turn.
func (c *sideConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if c.inside {
		return c.sideInner.ExecContext(ctx, query, args)
	}
	if err := c.db.lock(ctx); err != nil {
		return nil, err
	}
	defer c.db.unlock()
	return c.sideInner.ExecContext(ctx, query, args)
}

// QueryContext executes a statement with rows, in its turn if it writes besides.
func (c *sideConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if c.inside || !writing.MatchString(query) {
		return c.sideInner.QueryContext(ctx, query, args)
	}
	if err := c.db.lock(ctx); err != nil {
		return nil, err
	}
	rows, err := c.sideInner.QueryContext(ctx, query, args)
	if err != nil {
		c.db.unlock()
		return nil, err
	}
	return &sideRows{rows, c.db}, nil
}

// writing finds statements such as INSERT … RETURNING.
var writing = regexp.MustCompile(`(?i)\b(INSERT|UPDATE|DELETE|REPLACE)\b`)

// sideRows are the rows of a statement that writes: its transaction ends with
// them.
type sideRows struct {
	driver.Rows
	db *DB
}

func (r *sideRows) Close() error {
	defer r.db.unlock()
	return r.Rows.Close()
}

// PrepareContext prepares a statement that goes through its connection each time
// it is executed, where writes take their turn.
func (c *sideConn) PrepareContext(_ context.Context, query string) (driver.Stmt, error) {
	return &sideStatement{c, query}, nil
}

type sideStatement struct {
	conn  *sideConn
	query string
}

func (s *sideStatement) Close() error  { return nil }
func (s *sideStatement) NumInput() int { return -1 }

// Exec and Query are for drivers without contexts; database/sql calls the others.
func (s *sideStatement) Exec([]driver.Value) (driver.Result, error) { return nil, driver.ErrSkip }
func (s *sideStatement) Query([]driver.Value) (driver.Rows, error)  { return nil, driver.ErrSkip }

func (s *sideStatement) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	return s.conn.ExecContext(ctx, s.query, args)
}

func (s *sideStatement) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return s.conn.QueryContext(ctx, s.query, args)
}
