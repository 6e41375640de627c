package durable

import (
	"context"
	"errors"
	"io"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"recoup/reward"
	"recoup/store"
	"recoup/store/record"
)

// Database is where a Store lives: one driver, or several that each have some of the
// accounts. Each is a lane: what it commits, it commits by itself, so no transaction ever
// crosses two. Programs, keys, sessions, proposals and endpoints are at home, in one place
// for all; what is of an account is in its lane.
type Database struct {
	record.Store // home
	now          atomic.Pointer[layout]
}

// layout is which lanes there are and who is in which.
type layout struct {
	lanes  []Driver
	laneOf func(account string) int
	origin func(number int64) int
}

// One is a database of one driver.
func One(d Driver) *Database {
	return Several(d, []Driver{d}, func(string) int { return 0 }, func(int64) int { return 0 })
}

// Several is a database of lanes. laneOf says which lane an account is in; origin which
// lane has handed out the number of an event, where the event is likely to be found. What
// is at home is closed with the database, if it can be.
func Several(home record.Store, lanes []Driver, laneOf func(account string) int, origin func(number int64) int) *Database {
	db := &Database{Store: home}
	db.Deal(lanes, laneOf, origin)
	return db
}

// Deal deals the accounts out anew, among lanes of which some may be the same as before.
// Those that are not used any more answer with store.ErrDealt from before it is called.
func (db *Database) Deal(lanes []Driver, laneOf func(account string) int, origin func(number int64) int) {
	db.now.Store(&layout{lanes, laneOf, origin})
}

// Lanes are all drivers, in one order.
func (db *Database) Lanes() []Driver { return db.now.Load().lanes }

// Records are the records of all lanes, which are those of accounts: deliveries and what
// was refused. Each stays the records of its lane when accounts are dealt out anew.
func (db *Database) Records() (list []record.Store) {
	lanes := db.Lanes()
	if len(lanes) == 1 {
		return []record.Store{lanes[0]}
	}
	for place := range lanes {
		list = append(list, &laneAt{db, place})
	}
	return list
}

// laneAt is the lane at a place, whichever that is.
type laneAt struct {
	db    *Database
	place int
}

// Read implements record.Store.
func (l *laneAt) Read(ctx context.Context, f func(record.Reader) error) error {
	return l.db.at(l.place, func(d Driver) error { return d.Read(ctx, f) })
}

// Change implements record.Store.
func (l *laneAt) Change(ctx context.Context, f func(record.Tx) error) error {
	return l.db.at(l.place, func(d Driver) error { return d.Change(ctx, f) })
}

// at runs f on the lane at a place, and once more for each time that another has come
// there.
func (db *Database) at(place int, f func(Driver) error) error {
	for {
		l := db.now.Load()
		err := f(l.lanes[place])
		if err == nil || !errors.Is(err, store.ErrDealt) || db.now.Load() == l {
			return err
		}
	}
}

// LaneOf returns the place among Lanes of the one that an account is in.
func (db *Database) LaneOf(account string) int { return db.now.Load().laneOf(account) }

// Lane returns the lane that an account is in, to read what is of the account and to
// change its records: wherever it is, also if that changes meanwhile.
func (db *Database) Lane(account string) record.Store {
	l := db.now.Load()
	if len(l.lanes) == 1 {
		return l.lanes[0]
	}
	return &laneOf{db, account}
}

// ViewOf runs f on a snapshot of the lane that an account is in.
func (db *Database) ViewOf(ctx context.Context, account string, f func(Reader) error) error {
	return db.in(account, func(d Driver) error { return d.View(ctx, f) })
}

// in runs f on the lane of an account, and once more for each time that the account turns
// out to have got another one.
func (db *Database) in(account string, f func(Driver) error) error {
	for {
		l := db.now.Load()
		err := f(l.lanes[l.laneOf(account)])
		if err == nil || !errors.Is(err, store.ErrDealt) || db.now.Load() == l {
			return err
		}
	}
}

// laneOf is the lane of an account.
type laneOf struct {
	db      *Database
	account string
}

// Read implements record.Store.
func (l *laneOf) Read(ctx context.Context, f func(record.Reader) error) error {
	return l.db.in(l.account, func(d Driver) error { return d.Read(ctx, f) })
}

// Change implements record.Store.
func (l *laneOf) Change(ctx context.Context, f func(record.Tx) error) error {
	return l.db.in(l.account, func(d Driver) error { return d.Change(ctx, f) })
}

// laneOfAll returns the lane that the accounts of events are in, which must be one.
func (db *Database) laneOfAll(events []reward.Event) (Driver, error) {
	l := db.now.Load()
	lane := l.laneOf(events[0].Account)
	if len(l.lanes) == 1 {
		return l.lanes[0], nil
	}
	for i := range events[1:] {
		if l.laneOf(events[i+1].Account) != lane {
			return nil, store.ErrDealt
		}
	}
	return l.lanes[lane], nil
}

// View runs f on what is committed, in whichever lane. Of one lane that is one snapshot;
// of several, each question is answered as its lane stands then. If the accounts are dealt
// out anew meanwhile, that is an error.
func (db *Database) View(ctx context.Context, f func(Reader) error) error {
	l := db.now.Load()
	if len(l.lanes) == 1 {
		return l.lanes[0].View(ctx, f)
	}
	return f(&merged{db, l})
}

// Ping reports whether all lanes answer.
func (db *Database) Ping(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	for _, d := range db.Lanes() {
		g.Go(func() error { return d.Ping(ctx) })
	}
	return g.Wait()
}

// TryWrite reports whether all lanes can be written.
func (db *Database) TryWrite(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	for _, d := range db.Lanes() {
		g.Go(func() error { return d.TryWrite(ctx) })
	}
	return g.Wait()
}

// Close closes all lanes, and what is at home.
func (db *Database) Close() (err error) {
	lanes := db.Lanes()
	for _, d := range lanes {
		err = errors.Join(err, d.Close())
	}
	if home, is := db.Store.(io.Closer); is && (len(lanes) > 1 || db.Store != record.Store(lanes[0])) {
		err = errors.Join(err, home.Close())
	}
	return err
}
