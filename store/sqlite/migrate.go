package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pressly/goose/v3"
	driver "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"recoup/store/durable"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Status returns the steps of the schema that this program knows, in order, with
// when they were applied to the database in a file. It changes nothing.
func Status(ctx context.Context, path string) ([]durable.Migration, error) {
	list, err := known()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("migration status: %w", err)
	}
	db := openPlain(path, "busy_timeout(10000)", "query_only(1)")
	defer db.Close()
	applied, err := appliedTo(ctx, db)
	if err != nil {
		return nil, fmt.Errorf("migration status of %s: %w", path, advised(err))
	}
	for i := range list {
		list[i].Applied = applied[list[i].Version]
		delete(applied, list[i].Version)
	}
	for version := range applied {
		return list, fmt.Errorf("%s has version %d of the schema, which this program does not know: use the program that it was last used with, or a later one", path, version)
	}
	return list, nil
}

// known are the steps of the schema without when they were applied.
func known() ([]durable.Migration, error) {
	db := openPlain(":memory:")
	defer db.Close()
	p, err := provider(db)
	if err != nil {
		return nil, err
	}
	var list []durable.Migration
	for _, s := range p.ListSources() {
		list = append(list, durable.Migration{Version: s.Version, Name: strings.TrimSuffix(filepath.Base(s.Path), ".sql")})
	}
	return list, nil
}

// appliedTo returns when the steps of the schema were applied.
func appliedTo(ctx context.Context, db *sql.DB) (map[int64]time.Time, error) {
	applied := make(map[int64]time.Time)
	var there int
	if err := db.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_master WHERE name = 'goose_db_version'`).Scan(&there); err != nil || there == 0 {
		return applied, err
	}
	rows, err := db.QueryContext(ctx, `SELECT version_id, unixepoch(tstamp) FROM goose_db_version WHERE is_applied AND version_id > 0`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var version, at int64
		if err := rows.Scan(&version, &at); err != nil {
			return nil, err
		}
		applied[version] = time.Unix(at, 0).UTC()
	}
	return applied, rows.Err()
}

// checkSchema returns an error unless the schema is the one that this program
// knows.
func checkSchema(ctx context.Context, path string) error {
	list, err := Status(ctx, path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no database at %s: run `recoup migrate` to make one", path)
	}
	if err != nil {
		return err
	}
	for _, m := range list {
		if m.Applied.IsZero() {
			return fmt.Errorf("%s lacks %s of the schema: run `recoup migrate`", path, m.Name)
		}
	}
	return nil
}

// Migrate brings the schema of the database in a file up to date, and makes the
// file if there is none. It holds the whole database meanwhile: of several
// processes that start at once one migrates, and the others wait for it. It
// waits until nobody else has the database open.
func Migrate(ctx context.Context, path string) error {
	until := time.Now().Add(time.Minute)
	for {
		done, err := migrateOnce(ctx, path)
		if err == nil && done {
			return nil
		}
		if err != nil && !held(err) {
			return fmt.Errorf("migrate %s: %w", path, advised(err))
		}
		if time.Now().After(until) {
			return fmt.Errorf("migrate %s: another process has the database open: stop it first (%w)", path, err)
		}
		if err := sleep(ctx, 20*time.Millisecond); err != nil {
			return err
		}
	}
}

// migrateOnce migrates unless there is nothing to do, or somebody is in the way.
func migrateOnce(ctx context.Context, path string) (done bool, err error) {
	if _, err := os.Stat(path); err == nil {
		list, err := Status(ctx, path)
		if err != nil {
			return false, err
		}
		if current(list) {
			return true, nil
		}
	}
	// In this mode the first to write keeps the lock until the database is closed.
	db := openPlain(path, "busy_timeout(0)", "locking_mode(EXCLUSIVE)", "synchronous(FULL)")
	defer func() { err = errors.Join(err, db.Close()) }()
	if _, err := db.ExecContext(ctx, `BEGIN EXCLUSIVE; COMMIT`); err != nil {
		return false, err
	}
	p, err := provider(db)
	if err != nil {
		return false, err
	}
	_, err = p.Up(ctx)
	return err == nil, err
}

func current(list []durable.Migration) bool {
	for _, m := range list {
		if m.Applied.IsZero() {
			return false
		}
	}
	return true
}

func provider(db *sql.DB) (*goose.Provider, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectSQLite3, db, files, goose.WithLogger(goose.NopLogger()), goose.WithDisableGlobalRegistry(true))
}

// openPlain opens a file with one connection of database/sql.
func openPlain(path string, pragmas ...string) *sql.DB {
	db := sql.OpenDB(connector(path, pragmas...))
	db.SetMaxOpenConns(1)
	return db
}

// dsn names a file for database/sql, with pragmas for each connection.
func dsn(path string, pragmas []string) string {
	values := url.Values{"_pragma": pragmas, "_txlock": {"immediate"}}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + values.Encode()
}

// code returns SQLite's primary code of an error of database/sql.
func code(err error) int32 {
	var e *driver.Error
	if errors.As(err, &e) {
		return int32(e.Code()) & 0xff
	}
	return lib.SQLITE_OK
}

// held reports whether somebody else holds the database.
func held(err error) bool {
	return busy(err) || code(err) == lib.SQLITE_BUSY || code(err) == lib.SQLITE_LOCKED
}

// advised adds to an error of database/sql what can be done about it.
func advised(err error) error {
	if c := code(err); c != lib.SQLITE_OK {
		return &failure{c, err.Error()}
	}
	return err
}
