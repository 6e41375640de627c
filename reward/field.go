package reward

import (
	"cmp"
	"slices"
)

// field is the purchases that unlinked money may be placed on, in the order in
// which allocation asks for them. It is a cache: all of it follows from the
// transactions, which say when they change (see Account.reverse and grant), and
// Check compares it with one made anew.
//
// What reversing a unit of spend takes is the same throughout a pool. In a pool
// there is a list for each thing that a claim may go by: everything, a merchant,
// a kind, and a merchant with a kind. So a claim's candidates in a pool are one
// stretch of one list.
type field struct {
	spots  []spot
	at     map[*transaction]int32 // index in spots
	fixed  []*pool                // of a worth of their own, the dearest first
	capped []*pool                // of a bucket with a cap, in no order
	limits map[*bucket]*limit
	lists  map[manner]*lists
	names  map[string]int32 // merchants and kinds; "" is zero
	since  Instant          // every purchase settled at or after it is here
}

// spot is a posted purchase on the field.
type spot struct {
	on             *transaction
	settled        Instant
	merchant, kind int32
	room           int64 // what facts and firm places leave
	left           int64 // the same, less what the run under way has placed; outside of runs it is room
	pool           *pool
	limit          *limit   // of its bucket, nil where there is none
	lists          [4]*list // of its pool
	place          [4]int32 // in those lists
}

// pool is purchases of which every unit of spend is worth the same: those with a
// worth of their own, or those of a bucket whose cap may cut them.
type pool struct {
	worth ratio  // of a fixed pool
	limit *limit // of a capped pool; nil for a fixed one
	// taken is what the run under way has placed on it, left what there is.
	taken, left int64
	number      int // of a capped pool, in field.capped
	passed      bool
}

// manner is what a claim goes by in a pass: the merchant, the kind, both, or
// neither.
type manner struct {
	pass           pass
	merchant, kind int32
}

// lists are those of all pools for one thing that claims go by: of the fixed ones
// by their worth, as field.fixed.
type lists struct{ fixed, capped []*list }

// of returns the list of a pool, a new one if there is none.
func (x *lists) of(f *field, p *pool, way int) *list {
	if p.limit != nil {
		for _, l := range x.capped {
			if l.pool == p {
				return l
			}
		}
		x.capped = append(x.capped, &list{field: f, pool: p, way: way})
		return x.capped[len(x.capped)-1]
	}
	at, found := slices.BinarySearchFunc(x.fixed, p.worth, func(l *list, w ratio) int { return w.cmp(l.pool.worth) })
	if !found {
		x.fixed = slices.Insert(x.fixed, at, &list{field: f, pool: p, way: way})
	}
	return x.fixed[at]
}

func newField() *field {
	return &field{
		at: make(map[*transaction]int32), limits: make(map[*bucket]*limit), lists: make(map[manner]*lists),
		names: map[string]int32{"": 0}, since: never,
	}
}

// always and never are before and after every event.
const (
	always Instant = -1 << 63
	never  Instant = 1<<63 - 1
)

// name gives a merchant or a kind a number.
func (f *field) name(s string) int32 {
	n, known := f.names[s]
	if !known {
		n = int32(len(f.names))
		f.names[s] = n
	}
	return n
}

// manners are what a purchase is listed under in its pool.
func (s *spot) manners() [4]manner {
	return [4]manner{{sameBoth, s.merchant, s.kind}, {sameMerchant, s.merchant, 0}, {sameKind, 0, s.kind}, {anywhere, 0, 0}}
}

// add puts a posted purchase on the field.
func (f *field) add(a *Account, t *transaction) {
	if _, there := f.at[t]; there {
		return
	}
	n := int32(len(f.spots))
	f.at[t] = n
	room := t.room()
	f.spots = append(f.spots, spot{on: t, settled: t.settledAt, merchant: f.name(t.merchant), kind: f.name(a.kindOf(t)), room: room, left: room})
	f.enlist(n)
}

// update has the field know what facts and firm places leave of a purchase, and
// what it is worth now.
func (f *field) update(t *transaction) {
	n, there := f.at[t]
	if !there {
		return
	}
	s := &f.spots[n]
	if room := t.room(); room != s.room {
		f.resize(n, room)
	}
	if worth, fixed := t.worthAlone(); fixed != (s.pool.limit == nil) || fixed && worth.cmp(s.pool.worth) != 0 {
		f.unlist(n)
		f.enlist(n)
	}
}

// enlist lists a spot in the pool that it belongs to.
func (f *field) enlist(n int32) {
	s := &f.spots[n]
	s.limit = f.limitOf(s.on.bucket)
	if worth, fixed := s.on.worthAlone(); fixed {
		s.pool = f.fixedPool(worth)
	} else {
		s.pool = f.cappedPool(s.limit)
	}
	s.pool.left += s.room
	for i, m := range s.manners() {
		x := f.lists[m]
		if x == nil {
			x = new(lists)
			f.lists[m] = x
		}
		l := x.of(f, s.pool, i)
		f.spots[n].lists[i] = l
		l.insert(n)
	}
}

// unlist takes a spot off its pool.
func (f *field) unlist(n int32) {
	s := &f.spots[n]
	s.pool.left -= s.room
	for _, l := range s.lists {
		l.remove(n)
	}
}

func (f *field) resize(n int32, room int64) {
	s := &f.spots[n]
	for _, l := range s.lists {
		l.resize(n, room)
	}
	s.pool.left += room - s.room
	s.room, s.left = room, room
}

func (f *field) limitOf(b *bucket) *limit {
	if b == nil || !b.capped() {
		return nil
	}
	l := f.limits[b]
	if l == nil {
		l = &limit{bucket: b}
		f.limits[b] = l
	}
	return l
}

func (f *field) fixedPool(worth ratio) *pool {
	at, found := slices.BinarySearchFunc(f.fixed, worth, func(p *pool, w ratio) int { return w.cmp(p.worth) })
	if !found {
		f.fixed = slices.Insert(f.fixed, at, &pool{worth: worth})
	}
	return f.fixed[at]
}

func (f *field) cappedPool(l *limit) *pool {
	if l.pool == nil {
		l.pool = &pool{limit: l}
		f.capped = append(f.capped, l.pool)
	}
	return l.pool
}

// worthAlone is the reward per unit of spend that reversing a purchase takes, and
// whether that is so whatever else is reversed. Where it is not, a cap decides.
func (t *transaction) worthAlone() (worth ratio, fixed bool) {
	b := t.bucket
	switch {
	case b == nil:
		return ratio{uint128{}, uint128{lo: 1}}, true
	case t.is(granted) && b.program.Method == Proportional && t.original != b.rule.Rate.Of(t.base):
		return newRatio(t.original, t.base), true
	case t.is(granted) && b.program.Method == Proportional, !b.capped():
		return newRatio(int64(b.rule.Rate), rateScale), true
	}
	return ratio{}, false
}

// gather has every posted purchase settled at or after a moment on the field.
func (a *Account) gather(from Instant) {
	f := a.field
	if from >= f.since {
		return
	}
	if a.kept == nil {
		from = always
	}
	var list []*transaction
	for t := range a.settledBetween(from, f.since) {
		list = append(list, t)
	}
	slices.SortFunc(list, bySettled) // so that lists grow at their ends
	for _, t := range list {
		f.add(a, t)
	}
	f.since = from
}

// bySettled orders transactions by settlement time, then id.
func bySettled(s, t *transaction) int {
	return cmp.Or(cmp.Compare(s.settledAt, t.settledAt), cmp.Compare(s.id, t.id))
}
