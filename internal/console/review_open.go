package console

import (
	"slices"
	"sync"

	"recoup/internal/console/overview"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// openList is what is open at a moment. It does not change: a reading and a decision make
// another, and the orders of one are made when they are first asked for, so that a page
// costs no sorting.
type openList struct {
	list    []overview.OpenReview
	figures *overview.Reviews

	mu     sync.Mutex
	orders map[string][]int32
	places map[openKind]int32
}

// openKind is one open review, at whatever state of its account.
type openKind struct {
	part durable.PartKey
	kind reward.ReviewKind
}

func kindOf(o *durable.ReviewView) openKind { return openKind{o.Part, o.Kind} }

// in calls f with all of the list in an order, until f returns false.
func (l *openList) in(order string, f func(*overview.OpenReview) bool) {
	for _, i := range l.sorted(order) {
		if !f(&l.list[i]) {
			return
		}
	}
}

func (l *openList) sorted(order string) []int32 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if at := l.orders[order]; at != nil {
		return at
	}
	at := make([]int32, len(l.list))
	for i := range at {
		at[i] = int32(i)
	}
	compare := orders[order]
	slices.SortStableFunc(at, func(i, j int32) int { return compare(&l.list[i], &l.list[j]) })
	if l.orders == nil {
		l.orders = make(map[string][]int32)
	}
	l.orders[order] = at
	return at
}

// find returns what the list has of a review; nil: nothing.
func (l *openList) find(v *durable.ReviewView) *overview.OpenReview {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.places == nil {
		l.places = make(map[openKind]int32, len(l.list))
		for i := range l.list {
			l.places[kindOf(&l.list[i].ReviewView)] = int32(i)
		}
	}
	if i, is := l.places[kindOf(v)]; is {
		return &l.list[i]
	}
	return nil
}
