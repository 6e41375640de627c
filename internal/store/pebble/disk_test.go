package pebble_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"recoup/internal/store"
	"recoup/internal/store/durable"
	"recoup/internal/store/pebble"
	"recoup/internal/store/record"
)

// TestDiskFails has one thing fail that is done to the disk, and everything that comes
// after it succeed again. The database says so, does nothing any more, and does not take
// the process along. What it had acknowledged is there when it is opened again.
func TestDiskFails(t *testing.T) {
	log := func(path string) bool { return strings.HasSuffix(path, ".log") }
	for name, fails := range map[string]func(errorfs.Op) bool{
		"a write to the log": func(op errorfs.Op) bool { return op.Kind == errorfs.OpFileWrite && log(op.Path) },
		"a sync of the log":  func(op errorfs.Op) bool { return op.Kind == errorfs.OpFileSyncData && log(op.Path) },
		"making a log":       func(op errorfs.Op) bool { return op.Kind == errorfs.OpCreate && log(op.Path) },
		"using a log again":  func(op errorfs.Op) bool { return op.Kind == errorfs.OpReuseForWrite && log(op.Path) },
		"a write to the manifest": func(op errorfs.Op) bool {
			return op.Kind == errorfs.OpFileWrite && strings.Contains(op.Path, "MANIFEST")
		},
		"a sync of the manifest": func(op errorfs.Op) bool {
			return op.Kind == errorfs.OpFileSync && strings.Contains(op.Path, "MANIFEST")
		},
		"making a table":              func(op errorfs.Op) bool { return op.Kind == errorfs.OpCreate && strings.HasSuffix(op.Path, ".sst") },
		"a write to a table":          func(op errorfs.Op) bool { return op.Kind == errorfs.OpFileWrite && strings.HasSuffix(op.Path, ".sst") },
		"removing what is not needed": func(op errorfs.Op) bool { return op.Kind == errorfs.OpRemove && strings.HasSuffix(op.Path, ".sst") },
	} {
		times := int64(2)
		if name == "making a log" {
			times = 1 // later on those are used again that are not needed any more
		}
		for after := range times {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				diskFails(t, fails, after)
			})
		}
	}
}

func diskFails(t *testing.T, fails func(errorfs.Op) bool, after int64) {
	disk := vfs.NewCrashableMem()
	var armed atomic.Bool
	var times atomic.Int64
	failing := errorfs.Wrap(disk, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if armed.Load() && fails(op) && times.Add(1) == after+1 {
			return &os.PathError{Op: "test", Path: op.Path, Err: syscall.EIO}
		}
		return nil
	}))
	o := small
	o.FS = failing
	db, err := pebble.Open(context.Background(), "ledger", o)
	if err != nil {
		t.Fatal(err)
	}
	unit(t, db)
	done := int64(1)
	armed.Store(true)
	for err == nil {
		if err = db.Update(context.Background(), oneEach); err == nil {
			done++
		}
		if done > 5000 {
			t.Fatal("nothing has failed")
		}
	}
	expectDead(t, db, err)
	if err := db.Close(); !errors.Is(err, syscall.EIO) {
		t.Errorf("Close says %v", err)
	}
	// What of the disk was not synced may be lost as well.
	db = openSmall(t, disk.CrashClone(vfs.CrashCloneCfg{}))
	defer db.Close()
	n := units(t, db)
	if n < done || n > done+1 {
		t.Errorf("%d units are there, %d were acknowledged", n, done)
	}
	expectUnits(t, db, n)
}

// expectDead wants a database to refuse everything with the error that it first had.
func expectDead(t *testing.T, db *pebble.DB, first error) {
	t.Helper()
	ctx := context.Background()
	for what, err := range map[string]error{
		"the unit that failed": first,
		"the next unit":        db.Update(ctx, oneEach),
		"a change of records":  db.Change(ctx, func(tx record.Tx) error { tx.Put("t", "k", nil); return nil }),
		"a view":               db.View(ctx, func(durable.Reader) error { return nil }),
		"Read":                 db.Read(ctx, func(record.Reader) error { return nil }),
		"Ping":                 db.Ping(ctx),
	} {
		if !errors.Is(err, syscall.EIO) || store.ReachOf(err) != store.Database || !strings.Contains(err.Error(), "opened again") {
			t.Errorf("%s: %v (reach %d)", what, err, store.ReachOf(err))
		}
	}
}

// TestFull: a disk that is full is an error that passes, and nothing is lost.
func TestFull(t *testing.T) {
	disk := vfs.NewMem()
	disk.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: 1 << 40})
	o := small
	o.FS, o.Reserve = disk, 1<<20
	db, err := pebble.Open(context.Background(), "ledger", o)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for range 3 {
		unit(t, db)
		disk.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: 1 << 19})
		done, err := int64(0), error(nil)
		for err == nil {
			done = units(t, db)
			err = db.Update(context.Background(), oneEach)
		}
		if !errors.Is(err, pebble.ErrFull) || store.ReachOf(err) != store.Database || !strings.Contains(err.Error(), "free some space") {
			t.Fatalf("a full disk: %v", err)
		}
		if err := db.Ping(context.Background()); !errors.Is(err, pebble.ErrFull) {
			t.Errorf("Ping: %v", err)
		}
		expectUnits(t, db, done)
		disk.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: 1 << 40})
		unit(t, db)
		expectUnits(t, db, done+1)
	}
}

// TestDamagedFile overwrites a table in its middle.
func TestDamagedFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "ledger")
	o := small
	db, err := pebble.Open(context.Background(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	for range 300 {
		unit(t, db)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	tables, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	if err != nil || len(tables) == 0 {
		t.Fatal("there are no tables", err)
	}
	for _, table := range tables {
		text, err := os.ReadFile(table)
		if err != nil {
			t.Fatal(err)
		}
		for i := range len(text) / 2 {
			text[i] ^= 0x55
		}
		if err := os.WriteFile(table, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	db, err = pebble.Open(context.Background(), dir, o)
	if err == nil {
		defer db.Close()
		err = db.View(context.Background(), func(r durable.Reader) error {
			return r.EventsOf(context.Background(), "", "", func(*durable.EventRow) error { return nil })
		})
		if reach := store.ReachOf(err); reach != store.OneAccount && reach != store.Database {
			t.Errorf("a damaged file: %v (reach %d)", err, reach)
		}
	}
	if err == nil {
		t.Error("a damaged file is read")
	}
}
