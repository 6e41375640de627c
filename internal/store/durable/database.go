package durable

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"recoup/internal/store"
	"recoup/internal/store/record"
	"recoup/reward"
)

// Database is where a Store lives: one driver, or several that each have some of the
// accounts. Each is a lane: what it commits, it commits by itself, so no transaction ever
// crosses two. Programs, keys, sessions, proposals and endpoints are at home, in one place
// for all; what is of an account is in its lane.
type Database struct {
	record.Store // home
	now          atomic.Pointer[layout]
	sittings     atomic.Int32
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
	for place := range db.Lanes() {
		list = append(list, &wherever{db, func(l *layout) Driver { return l.lanes[place] }})
	}
	return list
}

// LaneName is what the lane at a place among Lanes is called, wherever it is moved.
func LaneName(lane Driver, place int) string {
	if named, is := lane.(interface{ Name() string }); is {
		return named.Name()
	}
	return strconv.Itoa(place)
}

// wherever is a lane that is found anew each time.
type wherever struct {
	db   *Database
	lane func(*layout) Driver
}

// Read implements record.Store, of what is at home.
func (db *Database) Read(ctx context.Context, f func(record.Reader) error) error {
	if is, err := db.seated(ctx, func(r Reader) error { return f(r) }); is {
		return err
	}
	return db.Store.Read(ctx, f)
}

// Read implements record.Store.
func (w *wherever) Read(ctx context.Context, f func(record.Reader) error) error {
	if is, err := w.db.seated(ctx, func(r Reader) error { return f(r) }); is {
		return err
	}
	return w.do(func(d Driver) error { return d.Read(ctx, f) })
}

// Change implements record.Store.
func (w *wherever) Change(ctx context.Context, f func(record.Tx) error) error {
	return w.do(func(d Driver) error { return d.Change(ctx, f) })
}

// do runs f on the lane, and once more for each time that it turns out to be another one.
func (w *wherever) do(f func(Driver) error) error {
	for {
		l := w.db.now.Load()
		err := f(w.lane(l))
		if err == nil || !errors.Is(err, store.ErrDealt) || w.db.now.Load() == l {
			return err
		}
	}
}

// LaneOf returns the place among Lanes of the one that an account is in.
func (db *Database) LaneOf(account string) int { return db.now.Load().laneOf(account) }

// Lane returns the lane that an account is in, to read what is of the account and to
// change its records: wherever it is, also if that changes meanwhile.
func (db *Database) Lane(account string) record.Store { return db.of(account) }

// ViewOf runs f on a snapshot of the lane that an account is in.
func (db *Database) ViewOf(ctx context.Context, account string, f func(Reader) error) error {
	if is, err := db.seated(ctx, f); is {
		return err
	}
	return db.of(account).do(func(d Driver) error { return d.View(ctx, f) })
}

func (db *Database) of(account string) *wherever {
	return &wherever{db, func(l *layout) Driver { return l.lanes[l.laneOf(account)] }}
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
	if is, err := db.seated(ctx, f); is {
		return err
	}
	l := db.now.Load()
	if len(l.lanes) == 1 {
		return l.lanes[0].View(ctx, f)
	}
	return f(&merged{db, l})
}

// ErrPart says that some lanes do not answer, and others do.
var ErrPart = errors.New("a part of the database does not answer")

// Ping reports whether the lanes answer.
func (db *Database) Ping(ctx context.Context) error {
	return db.eachLane(func(d Driver) error { return d.Ping(ctx) })
}

// TryWrite reports whether the lanes can be written.
func (db *Database) TryWrite(ctx context.Context) error {
	return db.eachLane(func(d Driver) error { return d.TryWrite(ctx) })
}

// eachLane has something done of all lanes side by side. Where it fails of some of them,
// and of others not, that is ErrPart.
func (db *Database) eachLane(f func(Driver) error) error {
	lanes := db.Lanes()
	failed := make([]error, len(lanes))
	var g errgroup.Group
	g.SetLimit(sideBySide)
	for i, d := range lanes {
		g.Go(func() error {
			failed[i] = f(d)
			return nil
		})
	}
	_ = g.Wait() // nobody returns an error there
	err := errors.Join(failed...)
	if err != nil && slices.Contains(failed, nil) {
		return fmt.Errorf("%w: %w", ErrPart, err)
	}
	return err
}

// HomeLost is since when what is at home cannot be reached, as far as is known; zero: it
// can, or it is where the accounts are. See HomeGrace.
func (db *Database) HomeLost() time.Time {
	if home, is := db.Store.(interface{ Lost() time.Time }); is {
		return home.Lost()
	}
	return time.Time{}
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
