package verify

import (
	"context"
	"slices"

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

// runApart is run for a database of several lanes: one after the other, each by all
// workers. What a checkpoint covers is in the order of the accounts of all lanes, so with
// one they are looked at as one.
func (c *run) runApart(ctx context.Context) (done bool, err error) {
	laned, lanes := lanesOf(c.db)
	if laned == nil || c.options.Checkpoint != nil {
		return false, nil
	}
	if id := c.options.Account; id != "" {
		lanes = lanes[laned.LaneOf(id):][:1]
	}
	before := int64(0)
	checked := c.options.Checked
	for _, lane := range slices.Clone(lanes) {
		o := c.options
		if checked != nil {
			o.Checked = func(accounts int64) { checked(before + accounts) }
		}
		part := &run{db: lane, options: o, found: differences{perAccount: c.found.perAccount, most: c.found.most}}
		if err := part.run(ctx); err != nil {
			return true, err
		}
		c.found.add(part.found.sorted(), part.found.count)
		c.report.Accounts += part.report.Accounts
		c.report.Events += part.report.Events
		c.report.Postings += part.report.Postings
		c.report.Sealed += part.report.Sealed
		before = c.report.Accounts
	}
	return true, nil
}
