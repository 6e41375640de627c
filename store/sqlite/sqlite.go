package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"recoup/store/durable"
)

// DB is an open database. It is safe for concurrent use, and several processes
// may have the file open.
type DB struct {
	path    string
	options Options
	backlog backlog
	side    *sql.DB

	// turn is taken by who writes. It guards what follows; the database's own
	// lock, which other processes may hold, is taken after it.
	turn     chan struct{}
	write    *conn
	tx       tx
	filer    filer
	allotted int64 // the highest event number that was allotted
	closed   bool

	readers chan *conn // nil in place of those that are not open yet

	stop    context.CancelFunc
	wake    chan struct{} // the log is long
	changed chan struct{} // something was committed
	running sync.WaitGroup
}

var _ durable.Driver = (*DB)(nil)

// ErrClosed: the database was closed.
var ErrClosed = errors.New("the database is closed")

// Open opens the database in a file, or makes it if there is none and the options
// have it migrated. The file must be on a local disk.
func Open(ctx context.Context, path string, o Options) (*DB, error) {
	if path == "" || path == ":memory:" {
		return nil, errors.New("a database needs the path of a file")
	}
	o.setDefaults()
	if o.Migrate {
		if err := Migrate(ctx, path); err != nil {
			return nil, err
		}
	} else if err := checkSchema(ctx, path); err != nil {
		return nil, err
	}
	db := &DB{
		path: path, options: o,
		turn:    make(chan struct{}, 1),
		readers: make(chan *conn, o.Readers),
		wake:    make(chan struct{}, 1), changed: make(chan struct{}, 1),
	}
	for range o.Readers {
		db.readers <- nil
	}
	if err := db.open(ctx); err != nil {
		if db.write != nil {
			db.write.close()
		}
		return nil, err
	}
	db.side = openSide(db)
	background, stop := context.WithCancel(context.Background())
	db.stop = stop
	db.running.Go(func() { db.fillFilter(background) })
	db.running.Go(func() { db.checkpoints(background) })
	db.running.Go(func() { db.fileWhenIdle(background) })
	return db, nil
}

// open opens the write connection and reads the backlog.
func (db *DB) open(ctx context.Context) error {
	err := db.patiently(ctx, func() (err error) {
		db.write, err = openConn(db.path,
			"PRAGMA busy_timeout = 0", // whoever waits does so in patiently
			"PRAGMA journal_mode = WAL",
			"PRAGMA synchronous = FULL",
			fmt.Sprintf("PRAGMA cache_size = -%d", db.options.Cache>>10),
			"PRAGMA cache_spill = OFF",
			"PRAGMA wal_autocheckpoint = 0",
			fmt.Sprintf("PRAGMA journal_size_limit = %d", 2*db.options.Journal),
			"PRAGMA foreign_keys = ON",
		)
		return err
	})
	if err != nil {
		return err
	}
	q := db.write.query(`PRAGMA journal_mode`)
	if q.next() && q.textAt(0) != "wal" {
		// Without shared memory, as on a network file system, SQLite falls back to
		// another journal and says nothing.
		q.err = fmt.Errorf("open %s: the file must be on a local disk, where SQLite can have a write-ahead log", db.path)
	}
	if err := q.end(); err != nil {
		return err
	}
	db.write.countFrames()
	db.tx = tx{db: db, source: source{conn: db.write}, versions: make(map[string]int64), free: make(map[durable.Identity]bool)}

	// The state and the rows are of one snapshot: another process may be filing.
	if err := db.write.query(`BEGIN`).run(); err != nil {
		return fmt.Errorf("open %s: %w", db.path, err)
	}
	var st state
	if err := db.patiently(ctx, func() (err error) { st, err = readState(db.write); return err }); err != nil {
		return fmt.Errorf("open %s: %w", db.path, err)
	}
	db.backlog.limit, db.backlog.missed, db.backlog.filter = db.options.Backlog, make(chan struct{}, 1), newFilter()
	db.backlog.layers, db.backlog.known = []*layer{newLayer(st.filed + 1)}, st.filed
	db.filer.removed = st.filed
	q = db.write.query(`SELECT number FROM backlog ORDER BY number LIMIT 1`)
	if q.next() {
		db.filer.removed = min(st.filed, q.intAt(0)-1)
	}
	if err := q.end(); err != nil {
		return err
	}
	if err := db.backlog.catchUp(db.write, st); err != nil {
		return err
	}
	return db.write.rollback()
}

// patiently does something again for as long as another process is in the way.
func (db *DB) patiently(ctx context.Context, f func() error) error {
	until := time.Now().Add(db.options.Wait)
	pause := 100 * time.Microsecond
	for {
		err := f()
		if !busy(err) || time.Now().After(until) {
			return err
		}
		if err := sleep(ctx, pause); err != nil {
			return err
		}
		pause = min(2*pause, 4*time.Millisecond)
	}
}

// sleep pauses for up to a time, at random.
func sleep(ctx context.Context, most time.Duration) error {
	timer := time.NewTimer(most/4 + rand.N(most))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// lock takes the turn to write.
func (db *DB) lock(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case db.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	if db.closed {
		<-db.turn
		return ErrClosed
	}
	return nil
}

func (db *DB) unlock() { <-db.turn }

// attempts is how often a unit of work that conflicts is done.
const attempts = 10

// Update implements durable.Driver.
func (db *DB) Update(ctx context.Context, f func(durable.Tx) error) error {
	pause := time.Millisecond
	for n := 1; ; n++ {
		err := db.updateOnce(ctx, f)
		if !errors.Is(err, durable.ErrConflict) || n == attempts {
			return err
		}
		if err := sleep(ctx, pause); err != nil {
			return err
		}
		pause *= 2
	}
}

// updateOnce does a unit of work in its turn. A panic in it passes through.
func (db *DB) updateOnce(ctx context.Context, f func(durable.Tx) error) (err error) {
	if err := db.lock(ctx); err != nil {
		return err
	}
	defer db.unlock()
	st, err := db.begin(ctx)
	if err != nil {
		return err
	}
	defer func() {
		if rolled := db.write.rollback(); err == nil {
			err = rolled
		}
	}()
	db.tx.begin(st)
	if err := f(&db.tx); err != nil {
		return err
	}
	if !db.tx.wrote {
		return nil
	}
	if err := db.tx.finish(); err != nil {
		return err
	}
	// More than comes in is filed, so that the backlog does not grow for ever.
	n := db.tx.changes
	return db.commit(st, db.tx.row, n+n/4+16, 2+n/512)
}

// begin takes SQLite's write lock and brings the backlog in memory up to date.
func (db *DB) begin(ctx context.Context) (st state, err error) {
	if err := db.patiently(ctx, func() error { return db.write.query(`BEGIN IMMEDIATE`).run() }); err != nil {
		return st, fmt.Errorf("begin a transaction: %w", err)
	}
	if st, err = readState(db.write); err == nil {
		err = db.backlog.catchUp(db.write, st)
	}
	if err != nil {
		return st, errors.Join(err, db.write.rollback())
	}
	db.filer.plan(&db.backlog, st)
	return st, nil
}

// commit files up to a number of keys and removes up to a number of rows of the
// backlog that are filed, commits, and notes what is committed. The row is what
// was put into the backlog, nil for none.
func (db *DB) commit(st state, row []byte, keys, rows int) error {
	step, err := db.filer.write(db.write, &db.backlog, st, keys, int64(rows))
	if err != nil {
		return err
	}
	if err := db.write.query(`COMMIT`).run(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	db.filer.committed(step, &db.backlog)
	if *db.write.frames*pageSize >= db.options.Journal {
		signal(db.wake)
	}
	if row == nil {
		return nil
	}
	signal(db.changed)
	return db.backlog.add(st.last+1, row)
}

// signal wakes who waits on a channel of size one.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// DB implements durable.Driver. What it writes waits its turn like any unit of
// work, so it must not be used within one.
func (db *DB) DB() *sql.DB { return db.side }

// Close waits for the work under way, files the backlog, copies all of it into
// the file and closes it.
func (db *DB) Close() error {
	if err := db.lock(context.Background()); errors.Is(err, ErrClosed) {
		return nil
	}
	db.closed = true
	db.unlock()
	db.stop()
	db.running.Wait()
	for range db.options.Readers {
		if c := <-db.readers; c != nil {
			c.close()
		}
	}
	for range db.options.Readers {
		db.readers <- closedReader
	}
	err := db.side.Close()
	db.turn <- struct{}{}
	defer db.unlock()
	err = errors.Join(err, db.fileAll(context.Background()))
	if _, _, trouble := db.write.checkpoint(`PRAGMA wal_checkpoint(TRUNCATE)`); trouble != nil && !busy(trouble) {
		err = errors.Join(err, trouble)
	}
	db.write.close()
	return err
}
