package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"recoup/internal/service/demo"
	"recoup/internal/service/programs"
	"recoup/internal/store/durable"
)

// prepareDemo fills in what the flag --demo stands for: everybody is let in, and
// unless a database is named it is one that goes when the service ends.
func (o *Options) prepareDemo() (cleanUp func(), err error) {
	cleanUp = func() {}
	if !o.Demo {
		return cleanUp, nil
	}
	if len(o.Programs) > 0 {
		return cleanUp, errors.New("--demo brings its own programs: leave out --program")
	}
	o.Dev = true
	if !o.DatabaseNamed {
		folder, err := os.MkdirTemp("", "recoup-demo-")
		if err != nil {
			return cleanUp, fmt.Errorf("--demo: %w", err)
		}
		cleanUp = func() { os.RemoveAll(folder) }
		o.Database.Name = filepath.Join(folder, "data")
	}
	return cleanUp, nil
}

// loadDemo puts the sample data into an empty database. One that has programs is
// taken for one that was loaded before, and stays as it is.
func loadDemo(ctx context.Context, d *durable.Database) error {
	programs, err := programs.Open(ctx, d)
	if err != nil {
		return err
	}
	if len(programs.List()) > 0 {
		return nil
	}
	fmt.Fprintln(os.Stderr, "recoup: loading the sample data …")
	summary, err := demo.Load(ctx, demo.Target{Database: d, Now: time.Now()})
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "recoup: %d events of %d accounts in %.1f s\n", summary.Events, summary.Accounts, summary.Took.Seconds())
	return nil
}
