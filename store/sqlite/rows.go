package sqlite

import (
	"database/sql"
	"fmt"
	"os"
)

// OpenRows opens the database in a file for reading its tables as rows, whatever the
// version of its schema. It changes nothing. The log of events and the tables that are
// read and written rarely are whole there; what follows from the log may be in the
// backlog still.
func OpenRows(path string) (*sql.DB, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("open SQLite database: %w", err)
	}
	return openPlain(path, "busy_timeout(10000)", "query_only(1)"), nil
}
