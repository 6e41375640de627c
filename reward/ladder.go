package reward

import "slices"

// ladder adds up the entries of a basket by posting order: a tree of sums, so that what
// is before an entry, and where a sum is reached, are found without looking at each.
// Stakes enter a basket in posting order, so the place of one never changes.
type ladder struct {
	leaves int     // a power of two
	nodes  []tally // 1 is the root, node i has 2i and 2i+1 below it, leaves are the last
}

// boundary is where the share of an entry changes: at the first entry with which a sum is
// above a limit.
type boundary struct {
	of    func(tally) int64
	above int64
}

func newLadder(entries int) *ladder {
	n := 1
	for n < entries {
		n *= 2
	}
	return &ladder{n, make([]tally, 2*n)}
}

// set puts an entry in a place, the zero one for none.
func (l *ladder) set(place int, e entry) {
	for place >= l.leaves { // one more storey: all there is becomes the left half
		taller := newLadder(2 * l.leaves)
		for i := range l.leaves {
			taller.nodes[taller.leaves+i] = l.nodes[l.leaves+i]
		}
		for i := taller.leaves - 1; i > 0; i-- {
			taller.nodes[i] = taller.nodes[2*i].and(taller.nodes[2*i+1])
		}
		*l = *taller
	}
	i := l.leaves + place
	l.nodes[i] = tally{}.plus(e)
	for i /= 2; i > 0; i /= 2 {
		l.nodes[i] = l.nodes[2*i].and(l.nodes[2*i+1])
	}
}

func (t tally) and(o tally) tally {
	return tally{t.count + o.count, t.spend + o.spend, t.floors + o.floors}
}

func (l *ladder) all() tally { return l.nodes[1] }

// at is the entry in a place.
func (l *ladder) at(place int) entry {
	if place >= l.leaves {
		return entry{}
	}
	x := l.nodes[l.leaves+place]
	return entry{x.spend, x.floors}
}

// before adds up what comes before a place.
func (l *ladder) before(place int) (sum tally) {
	if place >= l.leaves {
		return l.all()
	}
	for i := l.leaves + place; i > 1; i /= 2 {
		if i%2 == 1 {
			sum = sum.and(l.nodes[i-1])
		}
	}
	return sum
}

// first is the first place with which a sum is above a limit; beyond all leaves if
// there is none.
func (l *ladder) first(e boundary) int {
	if e.of(l.all()) <= e.above {
		return l.leaves
	}
	var before tally
	i := 1
	for i < l.leaves {
		i *= 2
		if with := before.and(l.nodes[i]); e.of(with) <= e.above {
			before = with
			i++
		}
	}
	return i - l.leaves
}

// change sets entries in places and returns all places, in order, whose share may be
// another now: those, and those that a boundary passed over.
func (l *ladder) change(edges []boundary, places []int, entries []entry) []int {
	was := make([]int, len(edges))
	for i, e := range edges {
		was[i] = l.first(e)
	}
	for i, place := range places {
		l.set(place, entries[i])
	}
	touched := slices.Clone(places)
	for i, e := range edges {
		is := l.first(e)
		for place := min(was[i], is); place <= max(was[i], is) && place < l.leaves && (was[i] != is || place == is); place++ {
			touched = append(touched, place)
		}
	}
	slices.Sort(touched)
	return slices.Compact(touched)
}
