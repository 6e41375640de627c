package pebble

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	lsm "github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"recoup/internal/store"
)

// disk is the file system of a database, until something cannot be written: then it is
// dead. The library panics with its mutexes held when its log fails, or kills the
// process, and goes on trying when other files do. So a write that fails does not come
// back, nor does any that comes later; who waits for one is told by dead. What the log
// has of the unit of work at hand is then unknown, as it is when a process is killed, and
// as then it is found out when the folder is opened the next time.
type disk struct {
	vfs.FS
	dir  string // the folder of the database; what is in other folders it can do without
	log  *slog.Logger
	dead chan struct{}
	// ending: the database is being closed, which waits for no room.
	ending atomic.Bool
	// anew is above zero while no file is to be used again: what it had is to be gone.
	anew atomic.Int64

	mu    sync.RWMutex // held for reading while something is being written
	armed bool         // before, errors are returned
	err   error        // why it is dead
}

func newDisk(under vfs.FS, dir string, log *slog.Logger) *disk {
	return &disk{FS: under, dir: dir, log: log, dead: make(chan struct{})}
}

// arm has the disk die of the next error.
func (d *disk) arm() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.armed = true
}

// kill ends all writing. What is being written has been when it returns.
func (d *disk) kill(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err == nil {
		d.err = &store.Failure{Reach: store.Database, Err: fmt.Errorf("the disk of the database failed, and nothing is read or written until it is opened again: %w", err)}
		d.log.Error("the database stops", "error", err)
		close(d.dead)
	}
}

// failure is why the disk is dead; nil: it is not.
func (d *disk) failure() error {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.err
}

// write does something to the disk, unless it is dead. It does not return from what
// kills the disk. What finds no room on it is done again until there is some: meanwhile
// room refuses what is new.
func (d *disk) write(f func() error) error {
	for {
		fatal, err := d.try(f)
		switch {
		case !fatal:
			return err
		case isFull(err) && !d.ending.Load():
			time.Sleep(roomPause)
		default:
			d.die(err)
		}
	}
}

// sync syncs something. What could not be synced may be lost although the next try
// succeeds, so that there is none.
func (d *disk) sync(f func() error) error {
	fatal, err := d.try(f)
	if fatal {
		d.die(err)
	}
	return err
}

// try does something to the disk, once, and says whether an error of it is a fatal one.
func (d *disk) try(f func() error) (fatal bool, err error) {
	d.mu.RLock()
	if d.err != nil {
		d.mu.RUnlock()
		select {}
	}
	defer d.mu.RUnlock()
	err = f()
	return d.armed && err != nil && !errors.Is(err, fs.ErrNotExist), err
}

// die kills the disk and does not return.
func (d *disk) die(err error) {
	d.kill(err)
	select {}
}

// roomPause is how long a write that found no room waits before it is tried again.
const roomPause = 50 * time.Millisecond

// isFull reports whether something failed for want of room.
func isFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// outlive does what may wait for the disk, and returns when it dies if not before.
func (d *disk) outlive(f func() error) error {
	if err := d.failure(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		if dead := d.failure(); dead != nil {
			return dead
		}
		return err
	case <-d.dead:
		return d.failure()
	}
}

// vital reports whether a file is one of the database.
func (d *disk) vital(name string) bool { return name == d.dir || d.PathDir(name) == d.dir }

// What changes the database goes through write; reading does not, nor do copies that are
// made of it elsewhere.

func (d *disk) Create(name string, c vfs.DiskWriteCategory) (f vfs.File, err error) {
	return d.file(name, func() (vfs.File, error) { return d.FS.Create(name, c) })
}

func (d *disk) OpenReadWrite(name string, c vfs.DiskWriteCategory, o ...vfs.OpenOption) (vfs.File, error) {
	return d.file(name, func() (vfs.File, error) { return d.FS.OpenReadWrite(name, c, o...) })
}

func (d *disk) ReuseForWrite(old, name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if d.anew.Load() > 0 {
		if err := d.Remove(old); err != nil {
			return nil, err
		}
		return d.Create(name, c)
	}
	return d.file(name, func() (vfs.File, error) { return d.FS.ReuseForWrite(old, name, c) })
}

func (d *disk) OpenDir(name string) (vfs.File, error) {
	return d.file(name, func() (vfs.File, error) { return d.FS.OpenDir(name) })
}

func (d *disk) file(name string, open func() (vfs.File, error)) (f vfs.File, err error) {
	if !d.vital(name) {
		return open()
	}
	err = d.write(func() error {
		f, err = open()
		return err
	})
	if err != nil {
		return nil, err
	}
	return &diskFile{f, d}, nil
}

func (d *disk) Link(old, name string) error {
	return d.change(name, func() error { return d.FS.Link(old, name) })
}

func (d *disk) Remove(name string) error {
	return d.change(name, func() error { return d.FS.Remove(name) })
}

func (d *disk) RemoveAll(name string) error {
	return d.change(name, func() error { return d.FS.RemoveAll(name) })
}

func (d *disk) Rename(old, name string) error {
	return d.change(name, func() error { return d.FS.Rename(old, name) })
}

func (d *disk) change(name string, f func() error) error {
	if !d.vital(name) {
		return f()
	}
	return d.write(f)
}

// Unwrap implements vfs.FS.
func (d *disk) Unwrap() vfs.FS { return d.FS }

// diskFile is a file that is written.
type diskFile struct {
	vfs.File
	disk *disk
}

func (f *diskFile) Write(p []byte) (n int, err error) {
	err = f.disk.write(func() error {
		some, err := f.File.Write(p[n:])
		n += some // of what finds no room, a part may be written
		return err
	})
	return n, err
}

func (f *diskFile) WriteAt(p []byte, at int64) (n int, err error) {
	err = f.disk.write(func() error {
		some, err := f.File.WriteAt(p[n:], at+int64(n))
		n += some
		return err
	})
	return n, err
}

func (f *diskFile) Sync() error     { return f.disk.sync(f.File.Sync) }
func (f *diskFile) SyncData() error { return f.disk.sync(f.File.SyncData) }

// Preallocate is a wish, whose failure the library ignores.
func (f *diskFile) Preallocate(at, n int64) error {
	if err := f.disk.failure(); err != nil {
		return err
	}
	return f.File.Preallocate(at, n)
}

func (f *diskFile) SyncTo(n int64) (full bool, err error) {
	err = f.disk.sync(func() error { full, err = f.File.SyncTo(n); return err })
	return full, err
}

// libraryLog tells what the library says of itself. What would end the process kills
// the disk.
type libraryLog struct{ disk *disk }

var _ lsm.Logger = libraryLog{}

func (l libraryLog) Infof(format string, args ...any) {}

func (l libraryLog) Errorf(format string, args ...any) {
	l.disk.log.Warn(fmt.Sprintf(format, args...))
}

func (l libraryLog) Fatalf(format string, args ...any) { l.disk.kill(fmt.Errorf(format, args...)) }
