package pebble

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	lsm "github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"recoup/internal/store/durable"
)

// format is the version of what is in a folder; docs/storage.md describes it.
const format = 2

// The files that a folder has besides those of the tree.
const (
	formatName = "recoup.json"     // what makes the folder a ledger
	newName    = "recoup.json.new" // it is about to become one
	holderName = "holder.json"     // who has the folder open
)

// folder is a folder that is a ledger, or is becoming one, and is locked.
type folder struct {
	fs   vfs.FS
	dir  string
	new  bool
	lock *lsm.Lock
}

// mark is what the file says that makes a folder a ledger.
type mark struct {
	Format int    `json:"format"`
	ID     string `json:"id"` // of the ledger and all its copies
}

// openFolder finds out whether a folder is a ledger that this program can open, and
// takes its lock. It is made only if it is asked for.
func openFolder(under vfs.FS, dir string, create bool) (f *folder, err error) {
	if dir == "" {
		return nil, errors.New("the folder of the ledger has no name")
	}
	f = &folder{fs: under, dir: under.PathJoin(dir)}
	if real, err := filepath.EvalSymlinks(dir); err == nil && under == vfs.Default {
		// The lock knows a folder by its name.
		if f.dir, err = filepath.Abs(real); err != nil {
			return nil, fmt.Errorf("open %s: %w", dir, err)
		}
	}
	if f.new, err = f.look(create); err != nil {
		return nil, err
	}
	if f.lock, err = lsm.LockDirectory(f.dir, under); err != nil {
		return nil, f.refused(err)
	}
	if err := f.begin(); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", f.dir, err), f.close())
	}
	return f, nil
}

// keepToOwner takes from a folder and the files in it what others may do with them, as a
// folder may have that was made by hand, or by a copy.
func keepToOwner(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	names := []string{dir}
	for _, e := range entries {
		if e.Type().IsRegular() {
			names = append(names, filepath.Join(dir, e.Name()))
		}
	}
	for _, name := range names {
		info, err := os.Lstat(name)
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			err = os.Chmod(name, info.Mode().Perm()&^0o077)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// look says what is there, and makes a folder if nothing is.
func (f *folder) look(create bool) (fresh bool, err error) {
	info, err := f.fs.Stat(f.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true, f.make(create)
	case err != nil:
		return false, fmt.Errorf("open %s: %w", f.dir, err)
	case !info.IsDir():
		return false, fmt.Errorf("%s is a file, and a ledger is a folder: name another path", f.dir)
	}
	if _, err := f.fs.Stat(f.path(formatName)); !errors.Is(err, fs.ErrNotExist) {
		return false, f.readFormat()
	}
	names, err := f.fs.List(f.dir)
	if err != nil {
		return false, fmt.Errorf("open %s: %w", f.dir, err)
	}
	begun := false
	for _, name := range names {
		begun = begun || name == newName
	}
	switch {
	case len(names) > 0 && !begun:
		return false, fmt.Errorf("%s is no ledger: it has no %s", f.dir, formatName)
	case !create:
		return false, fmt.Errorf("%s is an empty folder, and no ledger", f.dir)
	}
	return true, nil
}

func (f *folder) make(create bool) error {
	if !create {
		return fmt.Errorf("%s is not there", f.dir)
	}
	if err := canBeMade(f.fs, f.dir); err != nil {
		return err
	}
	if err := f.fs.MkdirAll(f.dir, 0o700); err != nil {
		return fmt.Errorf("make %s: %w", f.dir, err)
	}
	return f.syncFolder(f.fs.PathDir(filepath.Clean(f.dir)))
}

// readFormat refuses what another version of this program has made.
func (f *folder) readFormat() error {
	var is mark
	text, err := f.read(formatName)
	if err != nil {
		return fmt.Errorf("open %s: %w", f.dir, err)
	}
	if err := json.Unmarshal(text, &is); err != nil || is.Format < 1 {
		return fmt.Errorf("%s does not say which format the ledger is of: %s", f.path(formatName), strings.TrimSpace(string(text)))
	}
	if is.Format != format {
		return fmt.Errorf("%s is a ledger of format %d, and this version of recoup has format %d: run the one that made it", f.dir, is.Format, format)
	}
	return nil
}

// Status is the format of a folder, the one that this program has, with when the ledger was
// made. It changes nothing, and the folder may be held.
func Status(dir string) ([]durable.Migration, error) {
	f := &folder{fs: vfs.Default, dir: dir}
	if _, err := f.look(false); err != nil {
		return nil, err
	}
	info, err := f.fs.Stat(f.path(formatName))
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", dir, err)
	}
	return []durable.Migration{{Version: format, Name: "format of the folder", Applied: info.ModTime()}}, nil
}

// begin writes who has the folder, and that it is to become a ledger.
func (f *folder) begin() error {
	host, _ := os.Hostname()
	text, err := json.Marshal(holder{PID: os.Getpid(), Host: host, Command: command(os.Args), Since: time.Now().UTC().Truncate(time.Second)})
	if err == nil {
		err = f.write(holderName, text)
	}
	if err == nil && f.new {
		text, err = json.Marshal(mark{format, rand.Text()})
	}
	if err == nil && f.new {
		err = f.write(newName, text)
	}
	return err
}

// finish makes the folder a ledger, now that all is there that one has.
func (f *folder) finish() error {
	if !f.new {
		return nil
	}
	if err := f.fs.Rename(f.path(newName), f.path(formatName)); err != nil {
		return err
	}
	return f.syncFolder(f.dir)
}

func (f *folder) close() error {
	if f.lock == nil {
		return nil
	}
	err := f.fs.Remove(f.path(holderName))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, f.lock.Close())
}

// holder says who has a folder open.
type holder struct {
	PID     int       `json:"pid"`
	Host    string    `json:"host"`
	Command string    `json:"command"`
	Since   time.Time `json:"since"`
}

// command names a program and its command, without what may be secret.
func command(args []string) string {
	name := filepath.Base(args[0])
	if len(args) > 1 && !strings.HasPrefix(args[1], "-") {
		name += " " + args[1]
	}
	return name
}

// HeldError says that another process has the folder open.
type HeldError struct {
	Dir string
	By  string // who, as far as it is known
}

// Error names the folder and who holds it.
func (e *HeldError) Error() string { return fmt.Sprintf("%s is held by %s", e.Dir, e.By) }

// refused says why a folder could not be locked.
func (f *folder) refused(err error) error {
	if !held(err) {
		return fmt.Errorf("lock %s: %w", f.dir, err)
	}
	e := &HeldError{Dir: f.dir, By: "another process"}
	var h holder
	if text, err := f.read(holderName); err == nil && json.Unmarshal(text, &h) == nil && h.PID != 0 {
		e.By = fmt.Sprintf("process %d on %s (%s) since %s", h.PID, h.Host, h.Command, h.Since.Format(time.RFC3339))
	}
	return e
}

// held reports whether a lock could not be had because somebody has it, rather than
// because its file cannot be written.
func held(err error) bool {
	var path *fs.PathError
	return !errors.As(err, &path)
}

func (f *folder) path(name string) string { return f.fs.PathJoin(f.dir, name) }

func (f *folder) read(name string) ([]byte, error) {
	file, err := f.fs.Open(f.path(name))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, 1<<16))
}

func (f *folder) write(name string, text []byte) error {
	file, err := f.fs.Create(f.path(name), vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close(), f.syncFolder(f.dir))
}

func (f *folder) syncFolder(dir string) error {
	file, err := f.fs.OpenDir(dir)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}
