package extract

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"recoup/internal/service/programs"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// The folder of an export to Parquet has a subfolder for each table: events and entries with
// a file for each run, which has what is new since the one before, and accounts with a single
// file, of the last run, which has every account. The manifest says which files belong to it;
// it is written last, so a run that was broken off has left nothing.
//
// How far an export is follows from its accounts: each says how many of its events are there,
// and the number of the last. So nothing is passed over that was committed late, and what is
// of another ledger is found out.

// ErrForgotten says that a ledger does not have an account any more that was exported.
var ErrForgotten = errors.New("accounts that were exported are not in the ledger any more: somebody was forgotten, or it is another ledger. Export into a new folder, and delete this one with all copies of it")

// Parquet writes what is new in a ledger to the folder of an export, which it makes if there
// is none, and counts what it writes.
func Parquet(ctx context.Context, folder string, db *durable.Database, at time.Time) (n Counts, err error) {
	programs, err := programs.Open(ctx, db)
	if err != nil {
		return n, err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return n, err
	}
	lock, err := vfs.Default.Lock(filepath.Join(folder, lockName))
	if err != nil {
		return n, fmt.Errorf("%s: somebody else exports to it: %w", folder, err)
	}
	defer lock.Close()
	m, err := readManifest(folder)
	if err != nil {
		return n, err
	}
	if err := m.sweep(folder); err != nil {
		return n, err
	}
	before, err := readStandings(folder, m)
	if err != nil {
		return n, err
	}
	run := &exportRun{folder: folder, number: int64(len(m.Runs)) + 1, before: before}
	defer run.discard()
	store := durable.Over(db, durable.Options{Programs: programs, Now: func() reward.Instant { return reward.At(time.Now()) }})
	if err := run.begin(); err != nil {
		return n, err
	}
	err = store.EachSince(ctx, before.had, run.standing, run.logged)
	switch {
	case errors.As(err, new(*durable.DivergedError)):
		return n, fmt.Errorf("%s: %w: it is of another ledger, or a backup was restored. Export into a new folder", folder, err)
	case err != nil:
		return n, err
	case run.met < before.len():
		return n, fmt.Errorf("%s: %w", folder, ErrForgotten)
	}
	if run.counts.Events == 0 && run.counts.Accounts == int64(before.len()) && len(m.Runs) > 0 {
		return Counts{Accounts: run.counts.Accounts}, nil // nothing is new
	}
	done, err := run.finish(at)
	if err != nil {
		return n, err
	}
	m.Runs = append(m.Runs, done)
	if err := m.write(folder); err != nil {
		return n, err
	}
	return run.counts, m.sweep(folder) // the accounts of the run before
}

const (
	lockName     = "lock"
	manifestName = "manifest.json"
	partEnding   = ".part"
)

// tables are the subfolders.
var tables = [...]string{"accounts", "entries", "events"}

// fileOf is the file of a table that a run writes, relative to the folder.
func fileOf(table string, run int64) string { return fmt.Sprintf("%s/%06d.parquet", table, run) }

// syncFolder makes the names in a folder durable.
func syncFolder(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// removeAll removes files that may not be there.
func removeAll(names ...string) (err error) {
	for _, name := range names {
		if failed := os.Remove(name); !errors.Is(failed, fs.ErrNotExist) {
			err = errors.Join(err, failed)
		}
	}
	return err
}
