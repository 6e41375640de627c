package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"recoup/store/durable"
	"recoup/store/postgres"
	"recoup/store/sqlite"
)

// databaseUsage explains the flag that names a database.
const databaseUsage = "database: sqlite:FILE, or postgres://USER:PASSWORD@HOST/NAME"

// openDriver opens the database that a URL names, a bare path being a SQLite
// file, which must be there with the schema that this program knows.
func openDriver(ctx context.Context, url string) (durable.Driver, error) {
	if file, is, err := sqliteFile(url); err != nil {
		return nil, err
	} else if is {
		if _, err := os.Stat(file); err != nil {
			return nil, fmt.Errorf("--db: %w; `recoup serve` and `recoup migrate up` make a new database", err)
		}
	}
	return openWith(ctx, url, false)
}

// openOrCreate opens the database that a URL names, makes it if it is a file that
// is not there, and brings its schema up to date.
func openOrCreate(ctx context.Context, url string) (durable.Driver, error) {
	return openWith(ctx, url, true)
}

func openWith(ctx context.Context, url string, migrate bool) (durable.Driver, error) {
	file, is, err := sqliteFile(url)
	switch {
	case err != nil:
		return nil, err
	case is:
		return driver(sqlite.Open(ctx, file, sqlite.Options{Migrate: migrate}))
	}
	return driver(postgres.Open(ctx, url, postgres.Options{Migrate: migrate}))
}

// driver is a database as a driver, and none where there is an error: a nil *DB in
// an interface would pass for one.
func driver[D durable.Driver](db D, err error) (durable.Driver, error) {
	if err != nil {
		return nil, err
	}
	return db, nil
}

// sqliteFile returns the file that a database URL names, if it names one. What it
// says of other URLs does not repeat them, for they may hold a password.
func sqliteFile(url string) (file string, is bool, err error) {
	switch scheme, rest, found := strings.Cut(url, ":"); {
	case url == "" || url == "sqlite:":
		return "", false, fmt.Errorf("--db: expected %s", databaseUsage)
	case scheme == "postgres" || scheme == "postgresql":
		return "", false, nil
	case scheme == "sqlite" && found:
		return rest, true, nil
	case strings.HasPrefix(rest, "//"):
		return "", false, fmt.Errorf("--db: %q is no kind of database that this can use; expected %s", scheme, databaseUsage)
	}
	return url, true, nil
}
