package pebble

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A backup is a folder that has copies of a ledger, of which the link "current" leads to
// the latest that is complete: a ledger like any other.
const currentName = "current"

// Backup brings a folder up to date with the ledger: it copies the files that the backup
// does not have yet, and the log of the tree. Until that is complete, and on the disk, the
// copy before stays the current one. The folder is made if it is not there.
func (db *DB) Backup(ctx context.Context, target string) error {
	return backup(ctx, target, func(_ context.Context, use func(string) error) error {
		dir, remove, err := db.snapshot()
		if err != nil {
			return err
		}
		return errors.Join(use(dir), remove())
	})
}

// Follow keeps a backup up to date, again after each pause, until the context ends. It
// tells how each pass went, and goes on after one that failed.
func (db *DB) Follow(ctx context.Context, target string, every time.Duration, tell func(error)) error {
	return follow(ctx, every, func() error { return db.Backup(ctx, target) }, tell)
}

func follow(ctx context.Context, every time.Duration, pass func() error, tell func(error)) error {
	ticks := time.NewTicker(every)
	defer ticks.Stop()
	for {
		if err := pass(); ctx.Err() == nil {
			tell(err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticks.C:
		}
	}
}

// backup copies what snapshot gives to use.
func backup(ctx context.Context, target string, snapshot func(ctx context.Context, use func(dir string) error) error) error {
	before, err := lookAt(target)
	if err != nil {
		return err
	}
	err = snapshot(ctx, func(dir string) error {
		if before != "" {
			if err := sameLedger(dir, before); err != nil {
				return err
			}
		}
		copied, err := copyOver(ctx, dir, target, before)
		if err != nil {
			return errors.Join(err, os.RemoveAll(copied))
		}
		return makeCurrent(target, copied)
	})
	if err != nil {
		return fmt.Errorf("back up to %s: %w", target, err)
	}
	return nil
}

// lookAt returns the folder of the copy that a backup has, "" for none, after it has made
// the folder of the backup if that is not there, and removed what a pass left that was
// not completed.
func lookAt(target string) (current string, err error) {
	names, err := os.ReadDir(target)
	if errors.Is(err, fs.ErrNotExist) {
		return "", os.Mkdir(target, 0o700)
	}
	if err != nil {
		return "", err
	}
	if current, err = filepath.EvalSymlinks(filepath.Join(target, currentName)); err != nil {
		current = ""
	}
	for _, d := range names {
		if d.Name() != currentName && !strings.HasPrefix(d.Name(), "copy-") {
			return "", fmt.Errorf("%s is no backup: it has %s", target, d.Name())
		}
	}
	for _, d := range names {
		if d.Name() != currentName && d.Name() != filepath.Base(current) {
			if err := os.RemoveAll(filepath.Join(target, d.Name())); err != nil {
				return "", err
			}
		}
	}
	return current, nil
}

// sameLedger makes sure that a backup is not written over with another ledger.
func sameLedger(dir, before string) error {
	var marks [2]mark
	for i, at := range []string{dir, before} {
		text, err := os.ReadFile(filepath.Join(at, formatName))
		if err == nil {
			err = json.Unmarshal(text, &marks[i])
		}
		if err != nil {
			return err
		}
	}
	if marks[0].ID != marks[1].ID {
		return errors.New("it is a backup of another ledger")
	}
	return nil
}

// copyOver makes a copy of a folder in a backup. Tables never change, so those that the
// copy before has are linked.
func copyOver(ctx context.Context, dir, target, before string) (copied string, err error) {
	if copied, err = os.MkdirTemp(target, "copy-"); err != nil {
		return "", err
	}
	return copied, copyFiles(ctx, dir, copied, before)
}

// copyLedger copies a ledger that nobody changes to a folder that is made.
func copyLedger(ctx context.Context, dir, to string) error {
	if err := canBeMade(vfs.Default, to); err != nil {
		return err
	}
	// Under another name, until it is complete.
	copied, err := os.MkdirTemp(filepath.Dir(filepath.Clean(to)), filepath.Base(to)+"-")
	if err != nil {
		return err
	}
	err = copyFiles(ctx, dir, copied, "")
	if err == nil {
		err = os.Rename(copied, to)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("copy to %s: %w", to, err), os.RemoveAll(copied))
	}
	return syncDir(filepath.Dir(filepath.Clean(to)))
}

func copyFiles(ctx context.Context, dir, copied, before string) error {
	names, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, d := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		if d.IsDir() || d.Name() == "LOCK" {
			continue
		}
		from, to := filepath.Join(dir, d.Name()), filepath.Join(copied, d.Name())
		if before != "" && filepath.Ext(from) == ".sst" && sameFile(from, filepath.Join(before, d.Name())) &&
			os.Link(filepath.Join(before, d.Name()), to) == nil {
			continue
		}
		if err := copyFile(from, to); err != nil {
			return err
		}
	}
	return syncDir(copied)
}

// sameFile reports whether a file is a copy of another: one that was written by who
// opened the copy has another time.
func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && x.Size() == y.Size() && x.ModTime().Equal(y.ModTime())
}

// copyFile copies a file with its time.
func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err == nil {
		err = out.Sync()
	}
	return errors.Join(err, out.Close(), os.Chtimes(to, info.ModTime(), info.ModTime()))
}

// makeCurrent has the link lead to a copy, and removes the others.
func makeCurrent(target, copied string) error {
	link := filepath.Join(target, "copy-link")
	if err := errors.Join(os.Symlink(filepath.Base(copied), link), os.Rename(link, filepath.Join(target, currentName)), syncDir(target)); err != nil {
		return err
	}
	_, err := lookAt(target)
	return err
}

func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
