package traffic

import "recoup/reward"

// queue hands out what was put in by time, and at the same time in the order in
// which it was put in. It is a binary heap.
type queue[T any] struct {
	items []queued[T]
	put   uint64
}

type queued[T any] struct {
	at    reward.Instant
	order uint64
	what  T
}

func (a *queued[T]) before(b *queued[T]) bool {
	return a.at < b.at || a.at == b.at && a.order < b.order
}

// due reports whether something is to be had at or before that time.
func (q *queue[T]) due(at reward.Instant) bool { return len(q.items) > 0 && q.items[0].at <= at }

func (q *queue[T]) push(at reward.Instant, what T) {
	q.put++
	q.items = append(q.items, queued[T]{at, q.put, what})
	for i := len(q.items) - 1; i > 0; {
		parent := (i - 1) / 2
		if !q.items[i].before(&q.items[parent]) {
			return
		}
		q.items[i], q.items[parent] = q.items[parent], q.items[i]
		i = parent
	}
}

func (q *queue[T]) pop() (reward.Instant, T) {
	first := q.items[0]
	last := len(q.items) - 1
	q.items[0], q.items[last] = q.items[last], queued[T]{}
	q.items = q.items[:last]
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			break
		}
		if child+1 < last && q.items[child+1].before(&q.items[child]) {
			child++
		}
		if !q.items[child].before(&q.items[i]) {
			break
		}
		q.items[i], q.items[child] = q.items[child], q.items[i]
		i = child
	}
	return first.at, first.what
}
