package sqlite

import (
	"context"
	"fmt"
)

// LimitPages bounds the size of the file.
func (db *DB) LimitPages(n int) error {
	if err := db.lock(context.Background()); err != nil {
		return err
	}
	defer db.unlock()
	return db.write.exec(fmt.Sprintf("PRAGMA max_page_count = %d", n))
}
