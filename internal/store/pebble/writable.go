package pebble

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// ErrGone says that files of the database have been deleted while it was open. What is written goes
// to files that nobody can open any more.
var ErrGone = errors.New("files of the database have been deleted")

// TryWrite implements durable.Driver. A write that hangs is not waited for longer than the
// context lasts, and no other is begun meanwhile.
func (db *DB) TryWrite(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case db.trying <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	done := make(chan error, 1)
	go func() {
		defer func() { <-db.trying }()
		done <- db.tryWrite()
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (db *DB) tryWrite() error {
	if err := db.enter(); err != nil {
		return err
	}
	defer db.gate.leave()
	if err := db.whole(); err != nil {
		db.disk.kill(err)
		return db.disk.failure()
	}
	batch := db.tree.NewBatch()
	k := key{}.record("trial", "")
	must(batch.Set(k, nil, nil))
	must(batch.Delete(k, nil))
	err := db.apply(batch)
	if db.disk.failure() == nil {
		batch.Close()
	}
	return err
}

// marked makes sure that the folder is still there, which takes a microsecond.
func (db *DB) marked() error {
	if _, err := db.options.FS.Stat(db.folder.path(formatName)); isMissing(err) {
		db.disk.kill(fmt.Errorf("%w: %s is not there any more; stop the service and restore the folder from a backup", ErrGone, db.folder.path(formatName)))
		return db.disk.failure()
	}
	return nil
}

// whole makes sure that the folder still has what makes it a ledger, and the files that
// are written now. What cannot be listed says nothing.
func (db *DB) whole() error {
	names, err := db.options.FS.List(db.dir)
	if err != nil && !isMissing(err) {
		return nil
	}
	var mark, log, manifest bool
	for _, name := range names {
		mark = mark || name == formatName
		log = log || strings.HasSuffix(name, ".log")
		manifest = manifest || strings.HasPrefix(name, "MANIFEST-")
	}
	switch {
	case !mark && len(names) == 0:
		return fmt.Errorf("%w: nothing is left in %s; stop the service and restore it from a backup", ErrGone, db.dir)
	case !mark, !log, !manifest:
		return fmt.Errorf("%w: %s lacks some; stop the service and restore it from a backup", ErrGone, db.dir)
	}
	return nil
}

func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
