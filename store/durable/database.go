package durable

import (
	"context"
	"errors"

	"golang.org/x/sync/errgroup"

	"recoup/store/record"
)

// Database is where a Store lives: one driver, or several that each have some of the
// accounts. Each is a lane: what it commits, it commits by itself, so no transaction ever
// crosses two. Programs, keys, sessions, proposals and endpoints are at home, in one place
// for all; what is of an account is in its lane.
type Database struct {
	record.Store // home
	lanes        []Driver
	laneOf       func(account string) int
	origin       func(number int64) int
}

// One is a database of one driver.
func One(d Driver) *Database {
	return &Database{Store: d, lanes: []Driver{d}, laneOf: func(string) int { return 0 }, origin: func(int64) int { return 0 }}
}

// Several is a database of lanes. laneOf says which lane an account is in, and never
// changes its mind; origin which lane has handed out the number of an event, where the
// event is likely to be found.
func Several(home record.Store, lanes []Driver, laneOf func(account string) int, origin func(number int64) int) *Database {
	return &Database{Store: home, lanes: lanes, laneOf: laneOf, origin: origin}
}

// Lanes are all drivers, in one order.
func (db *Database) Lanes() []Driver { return db.lanes }

// Records are the records of all lanes, which are those of accounts: deliveries and what
// was refused.
func (db *Database) Records() (list []record.Store) {
	for _, d := range db.lanes {
		list = append(list, d)
	}
	return list
}

// LaneOf returns the place among Lanes of the one that an account is in.
func (db *Database) LaneOf(account string) int { return db.laneOf(account) }

// Lane returns the driver that has an account.
func (db *Database) Lane(account string) Driver { return db.lanes[db.laneOf(account)] }

// View runs f on what is committed, in whichever lane. Of one lane that is one snapshot;
// of several, each question is answered as its lane stands then.
func (db *Database) View(ctx context.Context, f func(Reader) error) error {
	if len(db.lanes) == 1 {
		return db.lanes[0].View(ctx, f)
	}
	return f(&merged{db})
}

// Ping reports whether all lanes answer.
func (db *Database) Ping(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	for _, d := range db.lanes {
		g.Go(func() error { return d.Ping(ctx) })
	}
	return g.Wait()
}

// Close closes all lanes.
func (db *Database) Close() (err error) {
	for _, d := range db.lanes {
		err = errors.Join(err, d.Close())
	}
	return err
}
