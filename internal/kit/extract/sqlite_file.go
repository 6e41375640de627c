package extract

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"recoup/internal/service/programs"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// SQLiteFile writes what a database has to a new SQLite file, which takes its name when it
// is whole. A file that is there is an error.
func SQLiteFile(ctx context.Context, file string, db *durable.Database) (n Counts, err error) {
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		return n, fmt.Errorf("%s: exists; name a file that is not there yet", file)
	}
	programs, err := programs.Open(ctx, db)
	if err != nil {
		return n, err
	}
	store := durable.Over(db, durable.Options{Programs: programs, Now: func() reward.Instant { return reward.At(time.Now()) }})
	half := file + ".part"
	defer func() {
		if err != nil {
			_ = os.Remove(half)
		}
	}()
	if err := os.Remove(half); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return n, err
	}
	if n, err = SQLite(ctx, half, store); err != nil {
		return n, err
	}
	return n, os.Rename(half, file)
}
