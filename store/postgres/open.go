package postgres

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"recoup/store/durable"
)

// Options of a DB; zero is the default.
type Options struct {
	// Migrate brings the schema up to date. Without it, a database with another
	// schema than this program's is refused.
	Migrate bool
	// Writers and Readers are how many connections units of work and everything
	// else may have; 8 each by default.
	Writers, Readers int
	// LockTimeout is how long a unit of work waits for an account that another
	// has locked; 10 seconds by default.
	LockTimeout time.Duration
	// StatementTimeout is how long any statement but those of a full read
	// (EventsOf) may take; one minute by default. A unit of work that leaves its
	// transaction idle for as long, because its process hangs, loses its locks.
	StatementTimeout time.Duration
}

// DB is a PostgreSQL database.
type DB struct {
	writers, readers *pgxpool.Pool
	db               *sql.DB // on the readers
	numbers          numbers
	wanted           wanted
	statementTimeout time.Duration
}

var _ durable.Driver = (*DB)(nil)

// Open connects to the database with the URL, postgres://user:password@host/name.
// It refuses a server that does not write its data to disk.
func Open(ctx context.Context, url string, o Options) (*DB, error) {
	o.StatementTimeout = cmp.Or(o.StatementTimeout, time.Minute)
	o.LockTimeout = cmp.Or(o.LockTimeout, 10*time.Second)
	d := &DB{statementTimeout: o.StatementTimeout}
	if err := d.open(ctx, url, o); err != nil {
		_ = d.Close()
		return nil, fmt.Errorf("open PostgreSQL database: %w", err)
	}
	return d, nil
}

func (d *DB) open(ctx context.Context, url string, o Options) (err error) {
	if d.readers, err = connect(ctx, url, cmp.Or(o.Readers, 8), session(o)); err != nil {
		return err
	}
	d.db = stdlib.OpenDBFromPool(d.readers)
	if err := expectDurable(ctx, d.readers); err != nil {
		return err
	}
	if o.Migrate {
		err = migrate(ctx, d.db)
	} else {
		err = expectSchema(ctx, d.db)
	}
	if err != nil {
		return err
	}
	d.writers, err = connect(ctx, url, cmp.Or(o.Writers, 8), writerSession(o))
	return err
}

// session is what every session is set to.
func session(o Options) map[string]string {
	return map[string]string{
		"application_name": "recoup",
		// A commit that is reported is on disk, whatever the server's default is.
		"synchronous_commit": "on",
		"statement_timeout":  milliseconds(o.StatementTimeout),
		"lock_timeout":       milliseconds(o.LockTimeout),
	}
}

// writerSession is what a session for units of work is set to.
func writerSession(o Options) map[string]string {
	s := session(o)
	s["idle_in_transaction_session_timeout"] = milliseconds(o.StatementTimeout)
	// See the package's documentation: look rows up by key, always.
	s["plan_cache_mode"] = "force_generic_plan"
	for _, way := range []string{"seqscan", "hashjoin", "mergejoin"} {
		s["enable_"+way] = "off"
	}
	// Compiling a statement takes longer than running it.
	s["jit"] = "off"
	return s
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

func connect(ctx context.Context, url string, connections int, session map[string]string) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	config.MaxConns = int32(connections)
	for name, value := range session {
		config.ConnConfig.RuntimeParams[name] = value
	}
	config.AfterConnect = func(_ context.Context, conn *pgx.Conn) error {
		arrays(conn)
		return nil
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, err
	}
	return pool, nil
}

// ErrNotDurable: the server does not write its data to disk.
var ErrNotDurable = errors.New("the server runs with fsync=off, so what it acknowledges may be lost: set fsync=on in its postgresql.conf and restart it")

func expectDurable(ctx context.Context, pool *pgxpool.Pool) error {
	var fsync string
	if err := pool.QueryRow(ctx, "SHOW fsync").Scan(&fsync); err != nil {
		return err
	}
	if fsync != "on" {
		return ErrNotDurable
	}
	return nil
}

// DB is the database for tables that are read and written rarely.
func (d *DB) DB() *sql.DB { return d.db }

// Rebind returns the statement: PostgreSQL numbers its parameters $1, $2 itself.
// Presumes implements durable.Driver: it saves an exchange, and the keys are looked
// at in any case.
func (d *DB) Presumes() bool { return true }

func (d *DB) Rebind(statement string) string { return statement }

// Close closes all connections, after what runs on them has ended.
func (d *DB) Close() (err error) {
	if d.db != nil {
		err = d.db.Close()
	}
	for _, pool := range []*pgxpool.Pool{d.writers, d.readers} {
		if pool != nil {
			pool.Close()
		}
	}
	return err
}
