package pebble

import (
	"errors"
	"fmt"
	"sync/atomic"

	"recoup/store"
)

// ErrFull: there is no room on the disk for more. Nothing was changed, and the same work
// succeeds once there is.
var ErrFull = errors.New("no space is left for the database")

// room looks from time to time whether the disk has room, so that a full one is an error
// that passes rather than one that stops the database.
type room struct {
	disk    *disk
	dir     string
	reserve int64
	since   atomic.Int64 // bytes written since it looked
	full    atomic.Bool
}

func (r *room) open(disk *disk, dir string, reserve int64) {
	r.disk, r.dir, r.reserve = disk, dir, reserve
	r.since.Store(reserve) // it has yet to look
}

// check makes sure that there is room for so many bytes more.
func (r *room) check(bytes int) error {
	if r.since.Add(int64(bytes)) < r.reserve/8 && !r.full.Load() {
		return nil
	}
	usage, err := r.disk.GetDiskUsage(r.dir)
	if err != nil {
		return nil // not every file system tells
	}
	full := usage.AvailBytes < uint64(r.reserve)
	r.full.Store(full)
	r.since.Store(0)
	if full {
		return &store.Failure{Reach: store.Database, Err: fmt.Errorf("%w: %d MB are free on its disk and %d are wanted; free some space, and work goes on", ErrFull, usage.AvailBytes>>20, r.reserve>>20)}
	}
	return nil
}
