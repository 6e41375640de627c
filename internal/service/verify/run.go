package verify

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"recoup/internal/store/durable"
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
	// Scratch is the folder of the temporary file that has what memory does not hold; ""
	// is that of the system.
	Scratch string
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
	// Unchecked says what could not be looked at, and why.
	Unchecked []string
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
	c := &run{options: o, report: Report{Checkpoint: o.Checkpoint}}
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
	if err := c.run(ctx, db); err != nil {
		return nil, fmt.Errorf("checking the database: %w", err)
	}
	if o.Account == "" {
		if err := c.decisions(ctx, db); err != nil {
			return nil, fmt.Errorf("checking what people decided: %w", err)
		}
	}
	c.report.Differences, c.report.Count = c.found.sorted(), c.found.count
	c.report.Took = time.Since(started)
	return &c.report, nil
}

// run is one check at work.
type run struct {
	options Options
	found   differences
	lanes   []*lane
	spans   []span   // of all lanes
	covered *covered // by the checkpoint; nil: there is none

	mu     sync.Mutex
	report Report
}

func (c *run) run(ctx context.Context, db Database) error {
	if c.options.Workers <= 0 {
		c.options.Workers = runtime.GOMAXPROCS(0)
	}
	lanes, of := lanesOf(db)
	for _, one := range lanes {
		c.lanes = append(c.lanes, &lane{Lane: one})
	}
	var err error
	if c.covered, err = c.coveredBy(); err != nil {
		return err
	}
	defer c.covered.close()
	if c.options.Account != "" {
		return c.runOne(ctx, of(c.options.Account))
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		for _, l := range c.lanes {
			if err := c.checkFiles(ctx, l); err != nil {
				return err
			}
		}
		return nil
	})
	group.Go(func() error { return c.runAll(ctx) })
	return group.Wait()
}

// runAll checks all accounts.
func (c *run) runAll(ctx context.Context) error {
	for i, l := range c.lanes {
		if err := c.divide(ctx, i, l); err != nil {
			return err
		}
		l.place = len(c.spans)
		c.spans = append(c.spans, l.spans...)
	}
	piles := newPiles(len(c.spans), c.options.Workers, c.options.Scratch)
	defer piles.close()
	for from := 0; from < len(c.spans); {
		upTo := c.readAtOnce(from)
		if err := c.pileLog(ctx, piles, from, upTo); err != nil {
			return err
		}
		if err := c.examineAll(ctx, piles, from, upTo); err != nil {
			return err
		}
		from = upTo
	}
	return c.gone()
}

// checkFiles has a lane read what it lies in.
func (c *run) checkFiles(ctx context.Context, l *lane) error {
	return l.Inspect(ctx, func(r durable.Inspector) error {
		unchecked, err := r.Check(ctx, func(err error) error {
			c.found.add([]Difference{{accountOf(err), 0, "files and indexes", "what was written, and nothing else", err.Error()}}, 1)
			return nil
		})
		for _, one := range unchecked {
			if !slices.Contains(c.report.Unchecked, one) {
				c.report.Unchecked = append(c.report.Unchecked, one)
			}
		}
		return err
	})
}

// runOne checks one account.
func (c *run) runOne(ctx context.Context, in int) error {
	id := c.options.Account
	s := span{lane: in, first: id, last: id, long: true}
	w := worker{run: c, examination: newExamination(c)}
	w.batch.alone(id)
	return w.work(ctx, &s)
}

// examineAll examines the spans from one on and before another.
func (c *run) examineAll(ctx context.Context, piles *piles, from, before int) error {
	var next atomic.Int64
	next.Store(int64(from))
	group, ctx := errgroup.WithContext(ctx)
	for range c.options.Workers {
		group.Go(func() (err error) {
			w := worker{run: c, examination: newExamination(c)}
			for {
				at := int(next.Add(1)) - 1
				if at >= before {
					return nil
				}
				if w.batch.data, err = piles.take(at, w.batch.data); err == nil {
					err = w.batch.sort()
				}
				w.batch.counted = piles.list[at].events
				if err == nil {
					err = w.work(ctx, &c.spans[at])
				}
				if err != nil {
					return err
				}
			}
		})
	}
	return group.Wait()
}

// differ notes a difference that is of no account that is known.
func (c *run) differ(what, expected, found string) {
	c.found.add([]Difference{{What: what, Expected: expected, Found: found}}, 1)
}
