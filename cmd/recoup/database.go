package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"recoup/internal/service/observe"
	"recoup/internal/store/durable"
	"recoup/internal/store/pebble"
	"recoup/internal/store/postgres"
	"recoup/internal/store/shards"
)

// databaseUsage explains the flag that names a database.
const databaseUsage = "database: " + databaseForms

const databaseForms = "a folder such as ./data, postgres://USER:PASSWORD@HOST/NAME, or a file of shards such as shards.yaml"

// place is where a database is: a folder, a PostgreSQL server, or several of them by a
// file of shards.
type place struct{ folder, url, file string }

// parsePlace reads what --db names. What it says of URLs does not repeat them, for they
// may hold a password.
func parsePlace(db string) (place, error) {
	scheme, rest, found := strings.Cut(db, ":")
	switch {
	case db == "":
		return place{}, fmt.Errorf("--db: expected %s", databaseForms)
	case found && (scheme == "postgres" || scheme == "postgresql"):
		return place{url: db}, nil
	case found && scheme == "sqlite":
		return place{}, fmt.Errorf("--db: Recoup keeps no ledger in SQLite any more: make a folder of %s with recoup rebuild --from %s --to ./data", rest, db)
	case strings.HasPrefix(rest, "//"):
		return place{}, fmt.Errorf("--db: %q is no kind of database that this can use; expected %s", scheme, databaseForms)
	}
	switch filepath.Ext(db) {
	case ".yaml", ".yml", ".json":
		if info, err := os.Stat(db); err != nil || !info.IsDir() {
			return place{file: db}, nil
		}
	}
	return place{folder: db}, nil
}

// inFolder reports whether a database is a folder, which one process has at a time.
func inFolder(db string) bool {
	at, err := parsePlace(db)
	return err == nil && at.folder != ""
}

// isMissing reports whether a database is a folder that is not there.
func isMissing(db string) bool {
	at, err := parsePlace(db)
	if err != nil || at.folder == "" {
		return false
	}
	_, err = os.Stat(at.folder)
	return errors.Is(err, fs.ErrNotExist)
}

// openDatabase opens a database that is there, with the format that this program knows. A
// folder that a service holds is looked at beside it.
func openDatabase(ctx context.Context, db string) (*durable.Database, error) {
	d, err := openAsItIs(ctx, db)
	return d, explained(err)
}

func openAsItIs(ctx context.Context, db string) (*durable.Database, error) {
	at, err := parsePlace(db)
	if err != nil {
		return nil, err
	}
	switch {
	case at.url != "":
		return one(postgres.Open(ctx, at.url, postgres.Options{Pooler: isPooled(ctx)}))
	case at.file != "":
		return openShards(ctx, at.file, shards.Options{Pooler: isPooled(ctx)})
	}
	if _, err := os.Stat(at.folder); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("--db: there is no folder %s; `recoup serve` and `recoup migrate up` make a new database", at.folder)
	}
	d, err := pebble.Open(ctx, at.folder, pebble.Options{})
	if held := (*pebble.HeldError)(nil); errors.As(err, &held) {
		return attach(ctx, at.folder, held)
	}
	return one(d, err)
}

// attach looks at a folder that is held by a service, beside it.
func attach(ctx context.Context, folder string, held *pebble.HeldError) (*durable.Database, error) {
	d, err := pebble.Attach(ctx, folder)
	if err != nil {
		return nil, fmt.Errorf("--db: %w, which does not answer: %w", held, err)
	}
	return durable.One(d), nil
}

// openOrCreate opens a database that may be new: it makes a folder that is not there, and
// brings the schema of PostgreSQL up to date.
func openOrCreate(ctx context.Context, db string) (*durable.Database, error) {
	d, err := openToServe(ctx, db, nil)
	return d, explained(err)
}

// openToServe is openOrCreate for a service, whose log is told what may cost it events.
func openToServe(ctx context.Context, db string, warn func(string)) (*durable.Database, error) {
	at, err := parsePlace(db)
	if err != nil {
		return nil, err
	}
	switch {
	case at.url != "":
		return one(postgres.Open(ctx, at.url, postgres.Options{Migrate: true, Warn: warn, Pooler: isPooled(ctx)}))
	case at.file != "":
		return openShards(ctx, at.file, shards.Options{Migrate: true, Warn: warn, Pooler: isPooled(ctx)})
	}
	return one(pebble.Open(ctx, at.folder, pebble.Options{Create: true, Log: observe.NewLog(os.Stderr, slog.LevelInfo)}))
}

// openShards opens a ledger over the shards that a file names. The file is never made.
func openShards(ctx context.Context, name string, o shards.Options) (*durable.Database, error) {
	f, err := shards.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("--db: there is no file %s; `recoup shards init` makes a new ledger over shards", name)
	}
	if err != nil {
		return nil, err
	}
	o.Log = observe.NewLog(os.Stderr, slog.LevelInfo)
	return shards.Open(ctx, name, f, o)
}

// one is a database of one driver, none where there is an error.
func one[D durable.Driver](d D, err error) (*durable.Database, error) {
	if err != nil {
		return nil, err
	}
	return durable.One(d), nil
}
