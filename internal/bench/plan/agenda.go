package plan

import "container/heap"

// agenda is what happens next, the soonest first.
type agenda []entry

type entry struct {
	at   int64
	step step
	of   int // lane or server
}

func (a *agenda) add(at int64, s step, of int) { heap.Push(a, entry{at, s, of}) }

func (a agenda) Len() int           { return len(a) }
func (a agenda) Less(i, j int) bool { return a[i].at < a[j].at }
func (a agenda) Swap(i, j int)      { a[i], a[j] = a[j], a[i] }

// Push implements heap.Interface.
func (a *agenda) Push(x any) { *a = append(*a, x.(entry)) }

// Pop implements heap.Interface.
func (a *agenda) Pop() any {
	last := len(*a) - 1
	e := (*a)[last]
	*a = (*a)[:last]
	return e
}
