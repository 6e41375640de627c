package postgres

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// OpenRows opens the database with the URL for reading its tables as rows, whatever
// the version of its schema. The server refuses to change anything for it.
func OpenRows(ctx context.Context, url string) (*sql.DB, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("open PostgreSQL database: %w", err)
	}
	config.RuntimeParams["application_name"] = "recoup"
	config.RuntimeParams["default_transaction_read_only"] = "on"
	config.RuntimeParams["statement_timeout"] = "0" // the whole log is one statement
	db := stdlib.OpenDB(*config)
	if err := db.PingContext(ctx); err != nil {
		_ = db.Close()
		return nil, fmt.Errorf("open PostgreSQL database: %w", err)
	}
	return db, nil
}
