package reward

import (
	"cmp"
	"slices"
)

// list is purchases of a pool in the order in which they settled, with sums over
// blocks of them, so that what is in a stretch of it, and the latest of it that
// covers an amount, are found without looking at each.
type list struct {
	field *field
	pool  *pool
	way   int // which of a spot's places is the one in this list
	spots []int32
	sum   []int64 // of a block: what is left of its purchases
	most  []int64 // of a block: the most that there was room for on one of them
	total int64   // of all blocks

	sought int64 // scratch: what claims bid for all of it

	// exact has the purchases by their room, in the same order; nil until somebody
	// asks.
	exact map[int64][]int32
}

const blockLength = 32

// bySpot orders spots by settlement time, then id.
func bySpot(spots []spot, x, y int32) int {
	s, t := &spots[x], &spots[y]
	return cmp.Or(cmp.Compare(s.settled, t.settled), cmp.Compare(s.on.id, t.on.id))
}

func (l *list) insert(n int32) {
	spots := l.field.spots
	at := len(l.spots)
	if at > 0 && bySpot(spots, l.spots[at-1], n) > 0 {
		at, _ = slices.BinarySearchFunc(l.spots, n, func(x, y int32) int { return bySpot(spots, x, y) })
	}
	l.spots = slices.Insert(l.spots, at, n)
	l.renumber(at)
	l.total += spots[n].room
	l.enter(n)
}

func (l *list) remove(n int32) {
	spots := l.field.spots
	at := int(spots[n].place[l.way])
	l.leave(n)
	l.spots = slices.Delete(l.spots, at, at+1)
	l.renumber(at)
	l.total -= spots[n].room
}

// renumber brings places and blocks up to date from a place on.
func (l *list) renumber(from int) {
	spots := l.field.spots
	for i := from; i < len(l.spots); i++ {
		spots[l.spots[i]].place[l.way] = int32(i)
	}
	blocks := (len(l.spots) + blockLength - 1) / blockLength
	l.sum = slices.Grow(l.sum[:min(len(l.sum), blocks)], blocks)[:blocks]
	l.most = slices.Grow(l.most[:min(len(l.most), blocks)], blocks)[:blocks]
	for b := from / blockLength; b < blocks; b++ {
		l.count(b)
	}
}

// count adds up a block.
func (l *list) count(b int) {
	spots := l.field.spots
	var sum, most int64
	for _, n := range l.spots[b*blockLength : min((b+1)*blockLength, len(l.spots))] {
		sum += spots[n].room
		most = max(most, spots[n].room)
	}
	l.sum[b], l.most[b] = sum, most
}

// resize is for a spot whose room is about to change.
func (l *list) resize(n int32, room int64) {
	spots := l.field.spots
	l.leave(n)
	more := room - spots[n].room
	b := int(spots[n].place[l.way]) / blockLength
	l.sum[b] += more
	l.total += more
	was := spots[n].room
	spots[n].room = room
	if room >= l.most[b] {
		l.most[b] = room
	} else if was == l.most[b] {
		l.count(b)
	}
	l.enter(n)
	spots[n].room = was
}

// enter and leave keep exact up to date.
func (l *list) enter(n int32) {
	spots := l.field.spots
	if l.exact == nil {
		return
	}
	same := l.exact[spots[n].room]
	at, _ := slices.BinarySearchFunc(same, n, func(x, y int32) int { return bySpot(spots, x, y) })
	l.exact[spots[n].room] = slices.Insert(same, at, n)
}

func (l *list) leave(n int32) {
	spots := l.field.spots
	if l.exact == nil {
		return
	}
	same := l.exact[spots[n].room]
	at, _ := slices.BinarySearchFunc(same, n, func(x, y int32) int { return bySpot(spots, x, y) })
	if same = slices.Delete(same, at, at+1); len(same) > 0 {
		l.exact[spots[n].room] = same
	} else {
		delete(l.exact, spots[n].room)
	}
}

// withRoom returns the purchases with just that room, in order.
func (l *list) withRoom(room int64) []int32 {
	spots := l.field.spots
	if l.exact == nil {
		l.exact = make(map[int64][]int32)
		for _, n := range l.spots {
			l.exact[spots[n].room] = append(l.exact[spots[n].room], n)
		}
	}
	return l.exact[room]
}

// within returns the stretch of purchases settled at or after from and before to.
func (l *list) within(from, to Instant) (low, high int32) {
	spots := l.field.spots
	n := len(l.spots)
	if n == 0 || spots[l.spots[0]].settled >= to || spots[l.spots[n-1]].settled < from {
		return 0, 0
	}
	first := func(i Instant) int32 {
		at, _ := slices.BinarySearchFunc(l.spots, i, func(x int32, i Instant) int { return cmp.Compare(spots[x].settled, i) })
		return int32(at)
	}
	low, high = 0, int32(n)
	if spots[l.spots[0]].settled < from {
		low = first(from)
	}
	if spots[l.spots[n-1]].settled >= to {
		high = first(to)
	}
	return low, max(low, high)
}
