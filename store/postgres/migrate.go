package postgres

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"recoup/store/durable"
)

//go:embed migrations/*.sql
var migrations embed.FS

// versions is the table that says which migrations the database has.
const versions = "migrations"

// ErrSchema: the database has another schema than this program knows.
var ErrSchema = errors.New("unexpected schema")

func provider(db *sql.DB) (*goose.Provider, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, err
	}
	// Whoever comes second looks every second, for five minutes, whether the
	// first is done.
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 300))
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectPostgres, db, files, goose.WithTableName(versions), goose.WithSessionLocker(locker), goose.WithDisableGlobalRegistry(true))
}

// known is the version of this program's schema.
func known(p *goose.Provider) int64 {
	sources := p.ListSources()
	return sources[len(sources)-1].Version
}

// version is that of the database's schema, 0 for none.
func version(ctx context.Context, db *sql.DB) (n int64, err error) {
	var there bool
	if err := db.QueryRowContext(ctx, `SELECT to_regclass($1) IS NOT NULL`, versions).Scan(&there); err != nil || !there {
		return 0, err
	}
	err = db.QueryRowContext(ctx, `SELECT coalesce(max(version_id), 0) FROM `+versions+` WHERE is_applied`).Scan(&n)
	return n, err
}

// migrate brings the schema up to date. Of several processes, one does it while
// the others wait.
func migrate(ctx context.Context, db *sql.DB) error {
	p, err := provider(db)
	if err != nil {
		return err
	}
	switch is, err := version(ctx, db); {
	case err != nil:
		return err
	case is > known(p):
		return tooNew(is, known(p))
	case is == known(p):
		return nil
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}

func expectSchema(ctx context.Context, db *sql.DB) error {
	p, err := provider(db)
	if err != nil {
		return err
	}
	switch is, err := version(ctx, db); {
	case err != nil:
		return err
	case is > known(p):
		return tooNew(is, known(p))
	case is < known(p):
		return fmt.Errorf("%w: the database is at version %d and this program needs %d: run `recoup migrate`", ErrSchema, is, known(p))
	}
	return nil
}

func tooNew(is, known int64) error {
	return fmt.Errorf("%w: the database is at version %d and this program knows none after %d, so a newer recoup has run `recoup migrate` on it: run that one", ErrSchema, is, known)
}

// Status lists the migrations that this program knows, with when the database
// with the URL got each. It changes nothing.
func Status(ctx context.Context, url string) ([]durable.Migration, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	db := stdlib.OpenDB(*config)
	defer func() { _ = db.Close() }()
	p, err := provider(db)
	if err != nil {
		return nil, err
	}
	is, err := version(ctx, db)
	if err != nil {
		return nil, err
	}
	var list []durable.Migration
	for _, source := range p.ListSources() {
		m := durable.Migration{Version: source.Version, Name: strings.TrimSuffix(path.Base(source.Path), ".sql")}
		if is > 0 {
			err := db.QueryRowContext(ctx, `SELECT tstamp FROM `+versions+` WHERE version_id = $1 AND is_applied`, m.Version).Scan(&m.Applied)
			if err != nil && !errors.Is(err, sql.ErrNoRows) {
				return nil, err
			}
		}
		list = append(list, m)
	}
	return list, nil
}
