package postgres

import (
	"cmp"
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"recoup/internal/store/durable"
)

// Options of a DB; zero is the default.
type Options struct {
	// Migrate brings the schema up to date. Without it, a database with another
	// schema than this program's is refused.
	Migrate bool
	// Writers and Readers are how many connections units of work and everything
	// else may have; 8 each by default.
	Writers, Readers int
	// Idle, if set, is for how long a connection is kept that nobody uses: where there are
	// many databases, most are not busy. None is made before it is needed.
	Idle time.Duration
	// LockTimeout is how long a unit of work waits for an account that another has
	// locked, before it looks who does; 300 milliseconds by default.
	LockTimeout time.Duration
	// StatementTimeout is how long any statement but those of a full read
	// (EventsOf and the Inspector's) may take; one minute by default.
	StatementTimeout time.Duration
	// Warn is told of what may cost somebody events and is no reason to refuse the
	// database; nil: nobody is.
	Warn func(string)
	// Shard and Stride say which event numbers are handed out: multiples of Stride
	// plus Shard, so that the databases of a ledger with as many shards as Stride, each
	// with its own Shard, never hand out the same one. 0 and 1 by default: all numbers.
	Shard, Stride int64
	// Schema is the schema that the database is in; where it is not said, it is the one
	// that the URL's search_path begins with, or the user's.
	Schema string
	// Identity is which of the schemas of a ledger it is, nil if it is a ledger by itself.
	// Each transaction asks whether it still is; see ErrMoved.
	Identity *Identity
	// Mover: it is opened by who moves it, and used whether it is closed or not.
	Mover bool
	// Reading, if set, are connections that several schemas of one server have together
	// for everything but units of work.
	Reading *Server
	// Pooler: the URL is that of a pooler such as pgbouncer that gives each transaction
	// to another of its connections. So nothing is left on one from a transaction to
	// the next; that costs some processor time.
	Pooler bool
}

// DB is a PostgreSQL database.
type DB struct {
	writers, readers *pool
	numbers          *numbers
	epoch            int64 // of the place of a shard
	// changing is held by the one Change at a time that has a connection, so that
	// those that wait for their turn leave the others to units of work.
	changing chan struct{}
	// lockTimeout is Options.LockTimeout, and waryUntil until when it is less, in Unix
	// nanoseconds: accounts were found to be held by somebody who does not let go.
	lockTimeout time.Duration
	waryUntil   atomic.Int64
}

var _ durable.Driver = (*DB)(nil)

// Open connects to the database with the URL, postgres://user:password@host/name.
// It refuses a server that does not write its data to disk.
//
// A URL may name several hosts, of which one is the primary and the others are its
// standbys, with target_session_attrs=read-write: whenever a connection is made, it is
// with the one that takes changes.
func Open(ctx context.Context, url string, o Options) (*DB, error) {
	o.StatementTimeout = cmp.Or(o.StatementTimeout, time.Minute)
	o.LockTimeout = cmp.Or(o.LockTimeout, stuckAfter)
	o.Stride = cmp.Or(o.Stride, 1)
	if o.Shard < 0 || o.Shard >= o.Stride {
		return nil, fmt.Errorf("open PostgreSQL database: there is no shard %d of %d: they count from 0", o.Shard, o.Stride)
	}
	d := &DB{lockTimeout: o.LockTimeout, numbers: &numbers{shard: o.Shard, stride: o.Stride}, changing: make(chan struct{}, 1)}
	if err := d.open(ctx, url, o); err != nil {
		_ = d.Close()
		return nil, fmt.Errorf("open PostgreSQL database: %w", err)
	}
	return d, nil
}

func (d *DB) open(ctx context.Context, url string, o Options) (err error) {
	lonely, dial := &warning{tell: o.Warn}, new(dialer).dial
	if d.readers, err = readers(ctx, url, o, dial, lonely.look); err != nil {
		return err
	}
	if o.Migrate {
		err = migrate(ctx, d.readers)
	} else {
		err = checkSchema(ctx, d.readers)
	}
	if err == nil && o.Identity == nil {
		err = checkIdentity(ctx, d.readers)
	}
	if err != nil {
		return err
	}
	if o.Mover {
		o.Identity = nil
	}
	if o.Identity != nil {
		d.epoch = o.Identity.Epoch
	}
	d.readers.guard = guard(o.Identity, false)
	d.writers, err = connect(ctx, url, cmp.Or(o.Writers, 8), o, dial, writerSession(o), func(c *pgx.Conn, standbys string) {
		lonely.look(c, standbys)
		d.numbers.forget()
	})
	if err != nil {
		return err
	}
	d.writers.guard = guard(o.Identity, true)
	return nil
}

// Kept says what the schema says of itself; ok is false if it says nothing.
func (d *DB) Kept(ctx context.Context) (k Kept, ok bool, err error) {
	err = d.readers.inTransaction(ctx, func(tx pgx.Tx) (err error) {
		k, ok, err = ReadKept(ctx, tx)
		return err
	})
	return k, ok, err
}

// Clock returns what the server's clock says.
func (d *DB) Clock(ctx context.Context) (at time.Time, err error) {
	err = d.readers.inTransaction(ctx, func(tx pgx.Tx) error { return tx.QueryRow(ctx, `SELECT clock_timestamp()`).Scan(&at) })
	if err != nil {
		return at, failure(uncommitted(ctx, err), "")
	}
	return at, nil
}

// Ping reports whether the database answers.
func (d *DB) Ping(ctx context.Context) error {
	if err := d.readers.Ping(ctx); err != nil {
		return failure(lost(ctx, err), "")
	}
	return nil
}

// Presumes implements durable.Driver: it saves an exchange, and the keys are looked
// at in any case.
func (d *DB) Presumes() bool { return true }

// Close closes all connections, after what runs on them has ended.
func (d *DB) Close() error {
	for _, p := range []*pool{d.writers, d.readers} {
		if p != nil && !p.shared {
			p.Close()
		}
	}
	return nil
}
