package pebble

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	lsm "github.com/cockroachdb/pebble/v2"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Checkpoint makes another folder that is a ledger, with everything that is committed. On
// the same disk it shares the files of this one, which never change, by hard links, so
// that it is made in no time and takes no space until this one goes on.
func (db *DB) Checkpoint(ctx context.Context, dir string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := canBeMade(db.options.FS, dir); err != nil {
		return err
	}
	return db.checkpoint(dir)
}

// canBeMade makes sure that a folder is not there, and that the one is that it is to be
// in.
func canBeMade(fsys vfs.FS, dir string) error {
	if _, err := fsys.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is there already; name a folder that is to be made", dir)
	}
	parent := fsys.PathDir(filepath.Clean(dir))
	if info, err := fsys.Stat(parent); err != nil || !info.IsDir() {
		return fmt.Errorf("%s cannot be made, as there is no folder %s: make that first, or correct the path", dir, parent)
	}
	return nil
}

// checkpoint makes a folder a ledger last of all, so that one that is not complete is
// none.
func (db *DB) checkpoint(dir string) error {
	if err := db.enter(); err != nil {
		return err
	}
	defer db.gate.leave()
	if err := db.disk.outlive(func() error { return db.tree.Checkpoint(dir, lsm.WithFlushedWAL()) }); err != nil {
		return fmt.Errorf("checkpoint in %s: %w", dir, err)
	}
	text, err := db.folder.read(formatName)
	if err == nil {
		err = (&folder{fs: db.options.FS, dir: dir}).write(formatName, text)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("checkpoint in %s: %w", dir, err), db.options.FS.RemoveAll(dir))
	}
	return nil
}

// snapshots is the folder of what is made for others to read, and removed afterwards.
func (db *DB) snapshots() string { return db.options.FS.PathJoin(db.dir, "snapshots") }

// snapshot makes a checkpoint within the folder, for as long as somebody needs it.
func (db *DB) snapshot() (dir string, remove func() error, err error) {
	if err := db.options.FS.MkdirAll(db.snapshots(), 0o700); err != nil {
		return "", nil, err
	}
	dir = db.options.FS.PathJoin(db.snapshots(), rand.Text())
	if err := db.checkpoint(dir); err != nil {
		return "", nil, err
	}
	return dir, func() error { return db.options.FS.RemoveAll(dir) }, nil
}

// openSnapshot opens a checkpoint to be read.
func openSnapshot(dir string, o Options) (*DB, error) {
	o.setDefaults()
	d := newDisk(vfs.Default, dir, o.Log)
	t := treeOptions(&o, d)
	t.ReadOnly = true
	defer t.Cache.Unref()
	tree, err := lsm.Open(dir, t)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", dir, err)
	}
	return &DB{dir: dir, options: o, disk: d, tree: tree, closing: make(chan struct{})}, nil
}

// close closes what openSnapshot opened.
func (db *DB) close() error {
	if !db.gate.close(db.closing) {
		return nil
	}
	return db.tree.Close()
}
