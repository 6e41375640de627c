package durable

import (
	"context"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// Stretch is accounts of a lane that follow one another, in byte order.
type Stretch struct {
	After string // they come after this one; "": from the first
	Last  string // up to and with this one; "": to the last
	Rows  []AccountRow
}

// Events calls f with every event of the stretch, by account and then in order, also of
// accounts that have no row.
func (s *Stretch) Events(ctx context.Context, r Reader, f func(*EventRow) error) error {
	first := s.After
	if first != "" {
		first += "\x01" // no name of an account comes between
	}
	return r.EventsOf(ctx, first, s.Last, f)
}

// Clone returns a copy of a row that is only lent.
func (e *EventRow) Clone() *EventRow {
	kept := *e
	kept.Event, kept.Postings = slices.Clone(e.Event), slices.Clone(e.Postings)
	return &kept
}

// Bounds of what InOrder has in memory.
const (
	accountsInStretch = 256
	// eventsAhead is how many events the stretches of all lanes have together at most, but for
	// fewestAhead of each: there are twice as many, as the next is read while one is used up.
	eventsAhead, fewestAhead = 32 << 10, 512
)

// InOrder goes through all accounts, those of several lanes side by side: read is given a
// stretch of a lane, within a snapshot of it, and emits something of its accounts, those of
// one after the other in byte order; done gets what was emitted in byte order of the
// accounts, as if there was one lane. As many stretches are read at a time as there are
// processors.
//
// Of one lane all is of one snapshot, read and done take turns, and nothing is kept. Nor is
// it of an account of very many events, which is read when it is its turn.
func InOrder[T any](ctx context.Context, db *Database, read func(ctx context.Context, r Reader, s *Stretch, emit func(account string, one T) error) error, done func(T) error) error {
	lanes := db.Lanes()
	if len(lanes) == 1 {
		return lanes[0].View(ctx, func(r Reader) error {
			for s := (Stretch{}); ; s.After = s.Last {
				if err := s.fill(ctx, r, accountsInStretch, math.MaxInt64); err != nil {
					return err
				}
				err := read(ctx, r, &s, func(_ string, one T) error { return done(one) })
				if err != nil || s.Last == "" {
					return err
				}
			}
		})
	}
	ctx, stop := context.WithCancel(ctx)
	o := &ordered[T]{read: read, done: done, most: int64(max(fewestAhead, eventsAhead/len(lanes))), room: make(chan struct{}, runtime.GOMAXPROCS(0))}
	defer o.reading.Wait()
	defer stop()
	var order []*strand[T] // by the account that is next
	place := func(s *strand[T]) {
		if s.ahead(ctx, o) {
			at, _ := slices.BinarySearchFunc(order, s, func(a, b *strand[T]) int { return strings.Compare(a.items[0].account, b.items[0].account) })
			order = slices.Insert(order, at, s)
		}
	}
	strands := make([]strand[T], len(lanes))
	for i := range strands {
		strands[i] = strand[T]{lane: lanes[i], pages: make(chan page[T], 1), more: true}
		o.ask(ctx, &strands[i], "")
	}
	for i := range strands {
		place(&strands[i])
	}
	for len(order) > 0 {
		s := order[0]
		order = slices.Delete(order, 0, 1)
		for account := s.items[0].account; len(s.items) > 0 && s.items[0].account == account; s.items = s.items[1:] {
			if err := o.finish(ctx, s.lane, &s.items[0]); err != nil {
				return err
			}
		}
		place(s)
	}
	return nil
}

// fill reads the next accounts of a lane, as many as have so many events together, but one
// at least.
func (s *Stretch) fill(ctx context.Context, r Reader, accounts int, events int64) (err error) {
	if s.Rows, err = r.Rows(ctx, s.After, accounts); err != nil {
		return err
	}
	if s.Last = ""; len(s.Rows) == accounts {
		s.Last = s.Rows[accounts-1].Account
	}
	for i := range s.Rows {
		if events -= s.Rows[i].Version; events < 0 && i > 0 {
			s.Rows, s.Last = s.Rows[:i], s.Rows[i-1].Account
			break
		}
	}
	return nil
}

// ordered is an InOrder of several lanes at work.
type ordered[T any] struct {
	read    func(ctx context.Context, r Reader, s *Stretch, emit func(account string, one T) error) error
	done    func(T) error
	most    int64         // events of a stretch that is read ahead
	room    chan struct{} // held by who reads
	reading sync.WaitGroup
}

// strand is a lane, and what was read of it and is not done.
type strand[T any] struct {
	lane  Driver
	items []item[T]
	pages chan page[T] // has the next, if there are more
	more  bool
}

// page is what was read of a stretch. last is where the next begins, "" if there is none.
type page[T any] struct {
	items []item[T]
	last  string
}

// item is what was emitted of an account, or what went wrong with it, or that it has too
// many events to be read ahead.
type item[T any] struct {
	account string
	of      T
	err     error
	long    *Stretch
}

// ask has a stretch of a lane read, as soon as there is room.
func (o *ordered[T]) ask(ctx context.Context, s *strand[T], after string) {
	o.reading.Go(func() {
		select {
		case o.room <- struct{}{}:
			s.pages <- o.page(ctx, s.lane, after)
			<-o.room
		case <-ctx.Done():
			s.pages <- page[T]{items: []item[T]{{err: ctx.Err()}}}
		}
	})
}

// ahead reports whether there is anything left of the lane, and waits until it is there.
func (s *strand[T]) ahead(ctx context.Context, o *ordered[T]) bool {
	for len(s.items) == 0 && s.more {
		p := <-s.pages
		s.items, s.more = p.items, p.last != ""
		if s.more {
			o.ask(ctx, s, p.last)
		}
	}
	return len(s.items) > 0
}

// page reads a stretch. What goes wrong is of the account after those of which something
// was emitted.
func (o *ordered[T]) page(ctx context.Context, lane Driver, after string) (p page[T]) {
	var s Stretch
	err := lane.View(ctx, func(r Reader) error {
		p.items, s = nil, Stretch{After: after}
		if err := s.fill(ctx, r, accountsInStretch, o.most); err != nil {
			return err
		}
		if len(s.Rows) > 0 && s.Rows[0].Version > o.most {
			s.Rows, s.Last = s.Rows[:1], s.Rows[0].Account
			p.items = append(p.items, item[T]{account: s.Rows[0].Account, long: &s})
			return nil
		}
		return o.read(ctx, r, &s, func(account string, one T) error {
			p.items = append(p.items, item[T]{account: account, of: one})
			return nil
		})
	})
	p.last = s.Last
	if err != nil {
		at, emitted := after, len(p.items)
		if emitted > 0 {
			at = p.items[emitted-1].account
		}
		if next := slices.IndexFunc(s.Rows, func(row AccountRow) bool { return row.Account > at }); next >= 0 {
			at = s.Rows[next].Account
		}
		p.items = append(p.items, item[T]{account: at, err: err})
	}
	return p
}

// finish has something done, when it is its turn.
func (o *ordered[T]) finish(ctx context.Context, lane Driver, one *item[T]) error {
	switch {
	case one.err != nil:
		return one.err
	case one.long == nil:
		return o.done(one.of)
	}
	return lane.View(ctx, func(r Reader) error {
		s := Stretch{After: one.long.After}
		if err := s.fill(ctx, r, 1, 0); err != nil {
			return err
		}
		s.Last = one.account
		return o.read(ctx, r, &s, func(_ string, one T) error { return o.done(one) })
	})
}
