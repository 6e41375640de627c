package pebble

import (
	"context"
	"errors"
	"fmt"
	"sync"

	lsm "github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"

	"recoup/internal/store/durable"
)

// ErrClosed says that the database was closed.
var ErrClosed = errors.New("the database is closed")

// DB is a database in a folder.
type DB struct {
	dir       string
	options   Options
	folder    *folder
	disk      *disk
	tree      *lsm.DB
	room      room
	locks     accountLocks
	numbers   numbers
	standings standings
	// records is held by a change of records, and shared by units of work that write
	// some while they are committed.
	records sync.RWMutex
	gate    gate
	// underway are the commits that may be shown and are not on the disk yet.
	underway underway
	trying   chan struct{} // has an element while TryWrite is at it
	closing  chan struct{} // closed when it is to be closed, for who waits for others
}

var _ durable.Driver = (*DB)(nil)

// Open opens the database in a folder.
func Open(ctx context.Context, dir string, o Options) (*DB, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	o.setDefaults()
	folder, err := openFolder(o.FS, dir, o.Create)
	if err != nil {
		return nil, err
	}
	db := &DB{dir: folder.dir, options: o, folder: folder, disk: newDisk(o.FS, folder.dir, o.Log), trying: make(chan struct{}, 1), closing: make(chan struct{})}
	if o.FS == vfs.Default {
		if err := keepToOwner(db.dir); err != nil {
			o.Log.Warn("others than the owner may read the ledger's folder, and that cannot be changed", "error", err)
		}
	}
	if err := db.open(); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", dir, err), folder.close())
	}
	return db, nil
}

func (db *DB) open() (err error) {
	// What a process left that was killed.
	for _, name := range []string{"snapshots", socketName} {
		if err := db.options.FS.RemoveAll(db.folder.path(name)); err != nil {
			return err
		}
	}
	if db.tree, err = openTree(db.dir, treeOptions(&db.options, db.disk), db.folder); err != nil {
		return err
	}
	db.room.open(db.disk, db.dir, db.options.Reserve)
	if err := errors.Join(db.numbers.open(db.tree), db.folder.finish()); err != nil {
		return errors.Join(err, db.tree.Close())
	}
	db.disk.arm()
	return nil
}

// openTree opens the tree; what the library finds to be impossible, it panics about.
func openTree(dir string, o *lsm.Options, f *folder) (tree *lsm.DB, err error) {
	defer func() {
		if what := recover(); what != nil {
			err = fmt.Errorf("its files do not fit together; restore it from a backup: %v", what)
		}
	}()
	defer o.Cache.Unref() // the tree has it
	o.Lock = f.lock
	o.ErrorIfNotExists = !f.new
	if tree, err = lsm.Open(dir, o); lsm.IsCorruptionError(err) {
		err = fmt.Errorf("its files are damaged; restore it from a backup: %w", err)
	}
	return tree, err
}

// memTables is how many there may be that are not files yet.
const memTables = 2

// treeOptions are the settings of the tree; docs/storage.md gives the reasons.
func treeOptions(o *Options, d *disk) *lsm.Options {
	// What is gathered in memory takes its space from the cache.
	cache := lsm.NewCache(o.Cache + memTables*o.MemTable)
	t := &lsm.Options{
		FS:                          d,
		Comparer:                    order,
		Logger:                      libraryLog{d},
		EventListener:               listener(d),
		FormatMajorVersion:          lsm.FormatTableFormatV6,
		Cache:                       cache,
		MemTableSize:                uint64(o.MemTable),
		MemTableStopWritesThreshold: memTables,
		L0CompactionThreshold:       12,
		L0StopWritesThreshold:       48,
		LBaseMaxBytes:               3 * o.MemTable,
		MaxOpenFiles:                2000,
		CompactionConcurrencyRange:  func() (int, int) { return 1, 2 },
	}
	t.Experimental.SpanPolicyFunc = spans
	for i := range t.Levels {
		t.Levels[i].BlockSize = 8 << 10
		t.Levels[i].IndexBlockSize = 64 << 10
		t.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	t.ApplyCompressionSettings(func() lsm.DBCompressionSettings { return lsm.DBCompressionFastest })
	return t
}

// listener is told by the library what goes wrong in the background.
func listener(d *disk) *lsm.EventListener {
	return &lsm.EventListener{
		BackgroundError: func(err error) { d.log.Warn("the database, in the background", "error", err) },
		DataCorruption: func(info lsm.DataCorruptionInfo) {
			d.log.Error("a file of the database is damaged", "path", info.Path, "error", info.Details)
		},
	}
}

// Presumes implements durable.Driver: looking costs next to nothing here.
func (db *DB) Presumes() bool { return false }

// Ping implements durable.Driver.
func (db *DB) Ping(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := db.enter(); err != nil {
		return err
	}
	defer db.gate.leave()
	return db.room.check()
}

// enter is how everything begins that the database is asked to do; it ends with
// gate.leave.
func (db *DB) enter() error {
	if err := db.gate.enter(); err != nil {
		return err
	}
	if err := db.disk.failure(); err != nil {
		db.gate.leave()
		return err
	}
	return nil
}

// Close waits for what is under way and closes the database. It may be called again.
func (db *DB) Close() error {
	db.disk.ending.Store(true)
	if !db.gate.close(db.closing) {
		return nil
	}
	err := db.disk.failure()
	if err == nil {
		err = db.disk.outlive(func() error { return errors.Join(db.numbers.close(db.tree), db.tree.Close()) })
	}
	return errors.Join(err, db.folder.close())
}

// gate counts who is inside.
type gate struct {
	mu     sync.Mutex
	closed bool
	inside sync.WaitGroup
}

func (g *gate) enter() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return ErrClosed
	}
	g.inside.Add(1)
	return nil
}

func (g *gate) leave() { g.inside.Done() }

// close lets nobody in any more, tells those inside, and waits until nobody is. It
// returns false if it was called before.
func (g *gate) close(tell chan struct{}) bool {
	g.mu.Lock()
	first := !g.closed
	g.closed = true
	g.mu.Unlock()
	if first {
		close(tell)
	}
	g.inside.Wait()
	return first
}
