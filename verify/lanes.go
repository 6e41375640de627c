package verify

import (
	"bufio"
	"context"
	"io"
	"os"

	"golang.org/x/sync/errgroup"

	"recoup/store/durable"
	"recoup/store/record"
)

// Laned is a Database of several lanes, each of which has the seals of its accounts.
type Laned interface {
	Database
	Lanes() []durable.Driver
	LaneOf(account string) int
}

// lanesOf returns the lanes of a database that has several, otherwise nil.
func lanesOf(db Database) (Laned, []durable.Driver) {
	if laned, is := db.(Laned); is {
		if lanes := laned.Lanes(); len(lanes) > 1 {
			return laned, lanes
		}
	}
	return nil, nil
}

// putSealsApart writes seals in the lanes of their accounts.
func putSealsApart(ctx context.Context, db Laned, lanes []durable.Driver, list []freshSeal) error {
	byLane := make([][]freshSeal, len(lanes))
	for _, one := range list {
		lane := db.LaneOf(one.account)
		byLane[lane] = append(byLane[lane], one)
	}
	for lane, own := range byLane {
		if err := putSeals(ctx, lanes[lane], own); err != nil {
			return err
		}
	}
	return nil
}

// readSealTotal returns how many events are sealed, in all lanes.
func readSealTotal(ctx context.Context, db Database) (events int64, err error) {
	add := func(r record.Reader) error {
		total, _, err := sealTotal.Get(ctx, r, sealTotalKey)
		events += total.Events
		return err
	}
	_, lanes := lanesOf(db)
	for _, lane := range lanes {
		if err := lane.Read(ctx, add); err != nil {
			return 0, err
		}
	}
	if lanes == nil {
		err = db.View(ctx, func(r durable.Reader) error { return add(r) })
	}
	return events, err
}

// runApart is run for a database of several lanes: each by itself, as many at a time as
// there are workers, and the workers dealt out to these.
func (c *run) runApart(ctx context.Context, laned Laned, lanes []durable.Driver) error {
	if id := c.options.Account; id != "" {
		return c.runLane(ctx, lanes[laned.LaneOf(id)], c.options)
	}
	options := make([]Options, len(lanes))
	for i := range options {
		options[i] = c.options
	}
	if c.options.Checkpoint != nil {
		remove, err := dealLeaves(c.options.Leaves, c.options.Checkpoint, options, laned.LaneOf)
		defer remove()
		if err != nil {
			return err
		}
	}
	workers := c.options.Workers
	atATime := min(workers, len(lanes))
	queue := make(chan int, len(lanes))
	for i := range lanes {
		queue <- i
	}
	close(queue)
	group, inGroup := errgroup.WithContext(ctx)
	for n := range atATime {
		group.Go(func() error {
			for i := range queue {
				if options[i].Workers = workers / atATime; n < workers%atATime {
					options[i].Workers++
				}
				if err := c.runLane(inGroup, lanes[i], options[i]); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// runLane checks one lane, and adds what is found to what is found of all.
func (c *run) runLane(ctx context.Context, lane durable.Driver, o Options) error {
	before := int64(0)
	o.Checked = func(accounts int64) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.checked += accounts - before
		if before = accounts; c.options.Checked != nil {
			c.options.Checked(c.checked)
		}
	}
	part := &run{db: lane, options: o, found: differences{perAccount: c.found.perAccount, most: c.found.most}}
	if err := part.run(ctx); err != nil {
		return err
	}
	c.found.add(part.found.sorted(), part.found.count)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.report.Accounts += part.report.Accounts
	c.report.Events += part.report.Events
	c.report.Postings += part.report.Postings
	c.report.Sealed += part.report.Sealed
	return nil
}

// dealLeaves deals the leaves of a checkpoint out to lanes, each by way of a file without a
// name, and refuses leaves that are not the checkpoint's. The options of each lane are given
// what is its own. remove closes the files, also after an error.
func dealLeaves(from *LeafReader, checkpoint *Checkpoint, lanes []Options, laneOf func(account string) int) (remove func(), err error) {
	files := make([]*os.File, 0, len(lanes))
	remove = func() {
		for _, f := range files {
			_ = f.Close()
		}
	}
	own := make([]leafQueue, len(lanes)) // for what they add up to
	writers := make([]*LeafWriter, len(lanes))
	for i := range lanes {
		f, err := os.CreateTemp("", "recoup-leaves-")
		if err != nil {
			return remove, err
		}
		files = append(files, f)
		if err := os.Remove(f.Name()); err != nil {
			return remove, err
		}
		writers[i] = &LeafWriter{out: bufio.NewWriterSize(f, 4<<10)}
	}
	all := leafQueue{from: from}
	for {
		leaf, ok, err := all.peek()
		if err != nil {
			return remove, err
		}
		if !ok {
			break
		}
		all.next = Leaf{}
		lane := laneOf(leaf.Account)
		own[lane].count(&leaf)
		if err := writers[lane].Write(&leaf); err != nil {
			return remove, err
		}
	}
	if err := all.belongTo(checkpoint); err != nil {
		return remove, err
	}
	for i := range lanes {
		err := writers[i].out.Flush()
		if err == nil {
			_, err = files[i].Seek(0, io.SeekStart)
		}
		if err != nil {
			return remove, err
		}
		covered := own[i].covered()
		lanes[i].Checkpoint, lanes[i].Leaves = &covered, &LeafReader{lines: leafLines(bufio.NewReaderSize(files[i], 4<<10))}
	}
	return remove, nil
}
