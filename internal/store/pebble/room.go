package pebble

import (
	"errors"
	"fmt"

	"recoup/internal/store"
)

// ErrFull says that there is no room on the disk for more. Nothing was changed, and the same work
// succeeds once there is.
var ErrFull = errors.New("no space is left for the database")

// room looks before each commit, which takes a microsecond, whether the disk has room, so
// that a full one is an error that passes rather than one that stops the database.
type room struct {
	disk    *disk
	dir     string
	reserve int64
}

func (r *room) open(disk *disk, dir string, reserve int64) {
	r.disk, r.dir, r.reserve = disk, dir, reserve
}

// check makes sure that there is room.
func (r *room) check() error {
	usage, err := r.disk.GetDiskUsage(r.dir)
	if err != nil {
		return nil // not every file system tells
	}
	if usage.AvailBytes < uint64(r.reserve) {
		return &store.Failure{Reach: store.Database, Err: fmt.Errorf("%w: %d MB are free on its disk and %d are wanted; free some space, and work goes on", ErrFull, usage.AvailBytes>>20, r.reserve>>20)}
	}
	return nil
}
