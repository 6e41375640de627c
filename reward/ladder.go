package reward

import "slices"

// ladder adds up the entries of a basket by posting order: a tree of sums, so that what
// is before an entry, and where a sum is reached, are found without looking at each.
// Purchases enter a basket in posting order, so the place of one never changes. Of an
// account on a shelf each rung is a part, and only those on the way are read.
type ladder struct {
	of     *basket
	places int
	top    *rung // nil: there is none, or it is not at hand
	kept   *kept // where rungs are that are not at hand; nil: all are
}

// rung is a node. One of storey s and number n has the places from n·32^(s+1) on that
// are below it, in up to 32 pieces.
type rung struct {
	storey, number int
	sums           []tally  // of each piece; on the ground, of each place
	below          []*rung  // not of the ground; nil where one is not at hand
	ids            []string // of the ground: whose transaction is in a place
	handed         bool     // it was handed out for change since it was last written down
}

const (
	rungBits = 5
	rungSize = 1 << rungBits
)

// boundary is where the share of an entry changes: at the first entry with which a sum is
// above a limit.
type boundary struct {
	of    func(tally) int64
	above int64
}

func (t tally) and(o tally) tally {
	return tally{t.count + o.count, t.spend + o.spend, t.floors + o.floors}
}

func (t tally) without(o tally) tally {
	return tally{t.count - o.count, t.spend - o.spend, t.floors - o.floors}
}

// all adds up everything below a rung.
func (r *rung) all() (sum tally) {
	for _, x := range r.sums {
		sum = sum.and(x)
	}
	return sum
}

// piece is in which piece of a rung a place is.
func (r *rung) piece(place int) int { return place >> (rungBits * r.storey) & (rungSize - 1) }

// root is the rung that has all places below it.
func (l *ladder) root() *rung {
	if l.top == nil {
		storey := 0
		for l.places > 1<<(rungBits*(storey+1)) {
			storey++
		}
		if l.places == 0 {
			l.top = &rung{}
		} else {
			l.top = l.read(storey, 0)
		}
	}
	return l.top
}

// down is the rung of a piece.
func (l *ladder) down(r *rung, piece int) *rung {
	if r.below[piece] == nil {
		r.below[piece] = l.read(r.storey-1, r.number<<rungBits+piece)
	}
	return r.below[piece]
}

// enter returns a new place, the last, for a stake of a transaction.
func (l *ladder) enter(id string) (place int) {
	r := l.root()
	if l.places == 1<<(rungBits*(r.storey+1)) { // one more storey: all there is becomes its first piece
		r = &rung{storey: r.storey + 1, sums: []tally{r.all()}, below: []*rung{r}}
		l.top = r
	}
	place = l.places
	for ; r.storey > 0; r = l.down(r, r.piece(place)) {
		if at := r.piece(place); at == len(r.sums) {
			r.sums = append(r.sums, tally{})
			r.below = append(r.below, &rung{storey: r.storey - 1, number: r.number<<rungBits + at})
			l.hand(r)
		}
	}
	r.sums, r.ids = append(r.sums, tally{}), append(r.ids, id)
	l.hand(r)
	l.places++
	return place
}

// id is whose transaction is in a place.
func (l *ladder) id(place int) string {
	r := l.root()
	for r.storey > 0 {
		r = l.down(r, r.piece(place))
	}
	return r.ids[r.piece(place)]
}

// put has another stake in a place, with its entry.
func (l *ladder) put(place int, id string, e entry) {
	l.set(place, e, false)
	r := l.root()
	for r.storey > 0 {
		r = l.down(r, r.piece(place))
	}
	r.ids[r.piece(place)] = id
	l.hand(r)
}

// set puts an entry in a place, the zero one for none. For a trial, which is undone, the
// rungs are not handed out.
func (l *ladder) set(place int, e entry, trial bool) {
	more := tally{}.plus(e).without(l.tallyAt(place))
	if more == (tally{}) {
		return
	}
	for r := l.root(); ; r = l.down(r, r.piece(place)) {
		at := r.piece(place)
		r.sums[at] = r.sums[at].and(more)
		if !trial {
			l.hand(r)
		}
		if r.storey == 0 {
			return
		}
	}
}

func (l *ladder) all() tally { return l.root().all() }

func (l *ladder) tallyAt(place int) tally {
	r := l.root()
	for r.storey > 0 {
		r = l.down(r, r.piece(place))
	}
	return r.sums[r.piece(place)]
}

// at is the entry in a place.
func (l *ladder) at(place int) entry {
	x := l.tallyAt(place)
	return entry{x.spend, x.floors}
}

// before adds up what comes before a place.
func (l *ladder) before(place int) (sum tally) {
	for r := l.root(); ; r = l.down(r, r.piece(place)) {
		at := r.piece(place)
		for _, x := range r.sums[:at] {
			sum = sum.and(x)
		}
		if r.storey == 0 {
			return sum
		}
	}
}

// first is the first place with which a sum is above a limit; beyond all places if
// there is none.
func (l *ladder) first(e boundary) (place int) {
	var before tally
	for r := l.root(); ; {
		at := 0
		for ; at < len(r.sums); at++ {
			with := before.and(r.sums[at])
			if e.of(with) > e.above {
				break
			}
			before = with
		}
		switch place = place<<rungBits + at; {
		case at == len(r.sums):
			return l.places
		case r.storey == 0:
			return place
		}
		r = l.down(r, at)
	}
}

// between appends the places from one to another, both included, in which there is
// something.
func (l *ladder) between(r *rung, from, to int, list []int) []int {
	for at, sum := range r.sums {
		begin := (r.number<<rungBits + at) << (rungBits * r.storey)
		end := begin + 1<<(rungBits*r.storey)
		switch {
		case sum == tally{} || end <= from || begin > to:
		case r.storey == 0:
			list = append(list, begin)
		default:
			list = l.between(l.down(r, at), from, to, list)
		}
	}
	return list
}

// change sets entries in places and returns all places, in order, whose share may be
// another now: those, and those that a boundary passed over and in which there is
// something.
func (l *ladder) change(edges []boundary, places []int, entries []entry, trial bool) []int {
	was := make([]int, len(edges))
	for i, e := range edges {
		was[i] = l.first(e)
	}
	for i, place := range places {
		l.set(place, entries[i], trial)
	}
	touched := slices.Clone(places)
	for i, e := range edges {
		is := l.first(e)
		from, to := min(was[i], is), max(was[i], is)
		touched = l.between(l.root(), from, to, touched)
	}
	slices.Sort(touched)
	return slices.Compact(touched)
}
