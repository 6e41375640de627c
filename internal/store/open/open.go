// Package open opens databases by how people name them: a folder, the URL of a PostgreSQL
// server, or a file of shards. What cannot be opened is told in one sentence, with what to
// do about it.
package open

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"recoup/internal/store/durable"
	"recoup/internal/store/pebble"
	"recoup/internal/store/postgres"
	"recoup/internal/store/shards"
)

// Usage explains a flag that names a database.
const Usage = "database: " + forms

const forms = "a folder such as ./data, postgres://USER:PASSWORD@HOST/NAME, or a file of shards such as shards.yaml"

// Database is a database by its name, and how to reach it.
type Database struct {
	Name string
	// Pooler is whether PostgreSQL is reached by way of one, in transaction mode.
	Pooler bool
	Log    *slog.Logger // of what goes on in a folder, and with shards; nil: none
}

// place is where a database is: a folder, a PostgreSQL server, or several of them by a
// file of shards.
type place struct{ folder, url, file string }

// parsePlace reads what --db names. What it says of URLs does not repeat them, for they
// may hold a password.
func parsePlace(db string) (place, error) {
	scheme, rest, found := strings.Cut(db, ":")
	switch {
	case db == "":
		return place{}, fmt.Errorf("--db: expected %s", forms)
	case found && (scheme == "postgres" || scheme == "postgresql"):
		return place{url: db}, nil
	case found && scheme == "sqlite":
		return place{}, fmt.Errorf("--db: Recoup keeps no ledger in SQLite any more: make a folder of %s with recoup rebuild --from %s --to ./data", rest, db)
	case strings.HasPrefix(rest, "//"):
		return place{}, fmt.Errorf("--db: %q is no kind of database that this can use; expected %s", scheme, forms)
	}
	switch filepath.Ext(db) {
	case ".yaml", ".yml", ".json":
		if info, err := os.Stat(db); err != nil || !info.IsDir() {
			return place{file: db}, nil
		}
	}
	return place{folder: db}, nil
}

// InFolder reports whether a database is a folder, which one process has at a time.
func (d *Database) InFolder() bool {
	at, err := parsePlace(d.Name)
	return err == nil && at.folder != ""
}

// OnServer reports whether a database is one of a PostgreSQL server.
func (d *Database) OnServer() bool {
	at, err := parsePlace(d.Name)
	return err == nil && at.url != ""
}

// IsMissing reports whether a database is a folder that is not there.
func (d *Database) IsMissing() bool {
	at, err := parsePlace(d.Name)
	if err != nil || at.folder == "" {
		return false
	}
	_, err = os.Stat(at.folder)
	return errors.Is(err, fs.ErrNotExist)
}

// Open opens a database that is there, with the format that this program knows. A folder
// that a service holds is looked at beside it.
func (d *Database) Open(ctx context.Context) (*durable.Database, error) {
	opened, err := d.open(ctx)
	return opened, explained(err)
}

func (d *Database) open(ctx context.Context) (*durable.Database, error) {
	at, err := parsePlace(d.Name)
	if err != nil {
		return nil, err
	}
	switch {
	case at.url != "":
		return one(postgres.Open(ctx, at.url, postgres.Options{Pooler: d.Pooler}))
	case at.file != "":
		return d.shards(ctx, at.file, shards.Options{})
	}
	if _, err := os.Stat(at.folder); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("--db: there is no folder %s; `recoup serve` and `recoup migrate up` make a new database", at.folder)
	}
	opened, err := pebble.Open(ctx, at.folder, pebble.Options{})
	if held := (*pebble.HeldError)(nil); errors.As(err, &held) {
		return attach(ctx, at.folder, held)
	}
	return one(opened, err)
}

// attach looks at a folder that is held by a service, beside it.
func attach(ctx context.Context, folder string, held *pebble.HeldError) (*durable.Database, error) {
	d, err := pebble.Attach(ctx, folder)
	if err != nil {
		return nil, fmt.Errorf("--db: %w, which does not answer: %w", held, err)
	}
	return durable.One(d), nil
}

// OrMake opens a database that may be new: it makes a folder that is not there, and brings
// the schema of PostgreSQL up to date. The error is a *pebble.HeldError if somebody else has
// the folder.
func (d *Database) OrMake(ctx context.Context) (*durable.Database, error) {
	opened, err := d.make(ctx, nil)
	return opened, explained(err)
}

// make is OrMake; warn is told of what may cost a service events.
func (d *Database) make(ctx context.Context, warn func(string)) (*durable.Database, error) {
	at, err := parsePlace(d.Name)
	if err != nil {
		return nil, err
	}
	switch {
	case at.url != "":
		return one(postgres.Open(ctx, at.url, postgres.Options{Migrate: true, Warn: warn, Pooler: d.Pooler}))
	case at.file != "":
		return d.shards(ctx, at.file, shards.Options{Migrate: true, Warn: warn})
	}
	return one(pebble.Open(ctx, at.folder, pebble.Options{Create: true, Log: d.Log}))
}

// shards opens a ledger over the shards that a file names. The file is never made.
func (d *Database) shards(ctx context.Context, name string, o shards.Options) (*durable.Database, error) {
	f, err := shards.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("--db: there is no file %s; `recoup shards init` makes a new ledger over shards", name)
	}
	if err != nil {
		return nil, err
	}
	o.Log, o.Pooler = d.Log, d.Pooler
	return shards.Open(ctx, name, f, o)
}

// one is a database of one driver, none where there is an error.
func one[D durable.Driver](d D, err error) (*durable.Database, error) {
	if err != nil {
		return nil, err
	}
	return durable.One(d), nil
}
