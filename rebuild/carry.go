package rebuild

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"recoup/store/durable"
)

// carried are the tables that are carried over row by row, beside the log. What is
// known of columns that only one of the databases has stays behind.
var carried = []struct {
	table, order string
	leave        string // a column of numbers that the new database hands out itself
}{
	{"keys", "created_at, id", ""},
	{"endpoints", "created_at, id", ""},
	{"proposals", "number", "number"},
	{"refused", "number", "number"},
}

// errNotEmpty: a database that is rebuilt must have nothing in it.
var errNotEmpty = errors.New("the new database is not empty: name a file that is not there yet, or a PostgreSQL database without rows")

// ExpectEmpty refuses a new database that has anything in it. It may lack the schema
// still: one with rows must not even have its schema changed.
func ExpectEmpty(ctx context.Context, db *sql.DB) error {
	for _, table := range []string{"events", "programs", "keys", "endpoints", "proposals"} {
		if _, err := columns(ctx, db, table); err != nil {
			continue // there is no such table yet
		}
		var some bool
		if err := db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM `+table+`)`).Scan(&some); err != nil {
			return fmt.Errorf("looking whether the new database is empty: %w", err)
		}
		if some {
			return errNotEmpty
		}
	}
	return nil
}

// carry copies a table and returns how many rows it has. A table that the older
// database lacks has none.
func carry(ctx context.Context, from *sql.DB, to durable.Driver, table, order, leave string) (n int64, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("carrying over the table %s: %w", table, err)
		}
	}()
	there, err := columns(ctx, from, table)
	if err != nil {
		return 0, nil
	}
	here, err := columns(ctx, to.DB(), table)
	if err != nil {
		return 0, err
	}
	both := slices.DeleteFunc(there, func(name string) bool { return name == leave || !slices.Contains(here, name) })
	places := make([]string, len(both))
	for i := range places {
		places[i] = fmt.Sprintf("$%d", i+1)
	}
	insert := to.Rebind(`INSERT INTO ` + table + ` (` + strings.Join(both, ", ") + `) VALUES (` + strings.Join(places, ", ") + `)`)
	rows, err := from.QueryContext(ctx, `SELECT `+strings.Join(both, ", ")+` FROM `+table+` ORDER BY `+order)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	tx, err := to.DB().BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	values, into := make([]any, len(both)), make([]any, len(both))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return 0, err
		}
		if _, err := tx.ExecContext(ctx, insert, values...); err != nil {
			return 0, err
		}
		n++
	}
	if err := rows.Err(); err != nil {
		return 0, err
	}
	return n, tx.Commit()
}

// columns returns the names of a table's columns.
func columns(ctx context.Context, db *sql.DB, table string) ([]string, error) {
	rows, err := db.QueryContext(ctx, `SELECT * FROM `+table+` WHERE 1 = 0`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	return rows.Columns()
}
