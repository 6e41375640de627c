package sqlite

import (
	"io"
	"log/slog"
	"time"
)

// Options are the settings of a database. The zero value is right for most.
type Options struct {
	// Migrate brings the schema up to date when the database is opened. Without
	// it a schema that is not up to date is an error.
	Migrate bool
	// Cache is how many bytes of the file each unit of work has in memory; 64 MiB
	// if it is 0. Readers have an eighth of it each.
	Cache int64
	// Readers is how many may read at a time; 4 if it is 0.
	Readers int
	// Backlog is how many changes of accounts, parts and identities are gathered
	// before they are filed; 1<<17 if it is 0. They are in memory up to twice.
	Backlog int
	// Journal is how many bytes the write-ahead log may hold before they are copied
	// into the file; 32 MiB if it is 0. While a reader holds an old snapshot, or
	// more is written in one go, it grows beyond that.
	Journal int64
	// Wait is how long somebody waits for another process's lock; 30 seconds if
	// it is 0.
	Wait time.Duration
	// Log is told what goes wrong in the background. Nil: nobody is.
	Log *slog.Logger
}

func (o *Options) setDefaults() {
	if o.Cache == 0 {
		o.Cache = 64 << 20
	}
	if o.Readers == 0 {
		o.Readers = 4
	}
	if o.Backlog == 0 {
		o.Backlog = 1 << 17
	}
	if o.Journal == 0 {
		o.Journal = 128 << 20
	}
	if o.Wait == 0 {
		o.Wait = 30 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
}
