package pebble

import (
	"io"
	"log/slog"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Options are the settings of a database. The zero value is right for most.
type Options struct {
	// Create makes the folder if it is not there; the folder that it is to be in has to
	// be there. Without it, what is not there is an error.
	Create bool
	// Cache is how many bytes of the files are in memory; 64 MiB if it is 0.
	Cache int64
	// MemTable is how many bytes of what is written are gathered before they become a
	// file; 24 MiB if it is 0. There may be twice as many in memory.
	MemTable int64
	// Reserve is how many bytes have to be free on the disk for more to be written; 64
	// MiB if it is 0.
	Reserve int64
	// FS is the file system; that of the machine if it is nil.
	FS vfs.FS
	// Log is told what goes wrong in the background. Nil: nobody is.
	Log *slog.Logger
}

func (o *Options) setDefaults() {
	if o.Cache == 0 {
		o.Cache = 64 << 20
	}
	if o.MemTable == 0 {
		o.MemTable = 24 << 20
	}
	if o.Reserve == 0 {
		o.Reserve = 64 << 20
	}
	if o.FS == nil {
		o.FS = vfs.Default
	}
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
}
