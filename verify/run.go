package verify

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"recoup/reward"
)

// Programs are the programs that accounts belong to, each by its latest version.
type Programs interface {
	Get(id string) (*reward.Program, bool)
	// Default is that of accounts which name none.
	Default() (*reward.Program, bool)
}

// Options say what to check and how much to tell of it.
type Options struct {
	Programs Programs
	// Account restricts the check to one account; "" is all.
	Account string
	// Workers is how many accounts are checked at a time; 0 is one a processor.
	Workers int
	// PerAccount and Most are how many differences are listed of one account and
	// in all; all are counted. 0 stands for 5 and 100.
	PerAccount, Most int
	// Checkpoint is to be checked too, unless it is nil. Leaves are what it covers,
	// as they were written when it was taken.
	Checkpoint *Checkpoint
	Leaves     *LeafReader
	// Checked is told how many accounts have been checked, as they are.
	Checked func(accounts int64)
}

// Report is what a check found.
type Report struct {
	Accounts int64
	Events   int64
	Postings int64
	Sealed   int64 // of the events
	// Checkpoint is the one that was checked, nil for none.
	Checkpoint *Checkpoint
	// Differences are the first ones, by account and event; Count is how many
	// there are in all.
	Differences []Difference
	Count       int64
	Took        time.Duration
}

// Run checks a database, or one account of it. It reads only. An error is about
// the check, such as a database that cannot be read; what the check finds is in
// the report.
func Run(ctx context.Context, db Database, o Options) (*Report, error) {
	started := time.Now()
	c := &run{db: db, options: o, report: Report{Checkpoint: o.Checkpoint}}
	c.found = differences{perAccount: o.PerAccount, most: o.Most}
	if c.found.perAccount == 0 {
		c.found.perAccount = 5
	}
	if c.found.most == 0 {
		c.found.most = 100
	}
	if (o.Checkpoint == nil) != (o.Leaves == nil) {
		return nil, errors.New("checking a checkpoint takes the checkpoint and its leaves")
	}
	if err := c.run(ctx); err != nil {
		return nil, fmt.Errorf("checking the database: %w", err)
	}
	c.report.Differences, c.report.Count = c.found.sorted(), c.found.count
	c.report.Took = time.Since(started)
	return &c.report, nil
}

// run is one check at work.
type run struct {
	db      Database
	options Options
	found   differences

	mu      sync.Mutex
	report  Report
	census  census
	checked int64 // accounts of all lanes
}

func (c *run) run(ctx context.Context) error {
	if c.options.Workers <= 0 {
		c.options.Workers = runtime.GOMAXPROCS(0)
	}
	if laned, lanes := lanesOf(c.db); laned != nil {
		return c.runApart(ctx, laned, lanes)
	}
	if c.options.Account == "" {
		var err error
		if c.census, err = takeCensus(ctx, c.db); err != nil {
			return err
		}
	}
	group, inGroup := errgroup.WithContext(ctx)
	spans := make(chan span)
	group.Go(func() error {
		defer close(spans)
		return c.divide(inGroup, func(s span) error {
			select {
			case spans <- s:
				return nil
			case <-inGroup.Done():
				return inGroup.Err()
			}
		})
	})
	for range c.options.Workers {
		group.Go(func() error {
			w := worker{run: c, examination: newExamination(c)}
			for s := range spans {
				if err := w.work(inGroup, s); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if c.options.Account != "" {
		return nil
	}
	return c.finish(ctx)
}
