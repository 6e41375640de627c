package overview

import (
	"cmp"
	"slices"
)

// top keeps the largest of many things, in memory for twice as many.
type top[T any] struct {
	limit int
	key   func(*T) (size int64, id string) // the larger first, then by id
	list  []T
	least int64 // what is smaller cannot be among the largest any more
}

func newTop[T any](limit int, key func(*T) (int64, string)) *top[T] {
	return &top[T]{limit: limit, key: key}
}

func (t *top[T]) add(x T) {
	if size, _ := t.key(&x); size < t.least {
		return
	}
	if t.list = append(t.list, x); len(t.list) == 2*t.limit {
		t.cut()
		t.least, _ = t.key(&t.list[t.limit-1])
	}
}

func (t *top[T]) cut() {
	slices.SortFunc(t.list, func(a, b T) int {
		x, p := t.key(&a)
		y, q := t.key(&b)
		return cmp.Or(cmp.Compare(y, x), cmp.Compare(p, q))
	})
	t.list = t.list[:min(len(t.list), t.limit)]
}

// sorted returns the largest, the largest first.
func (t *top[T]) sorted() []T {
	t.cut()
	return slices.Clip(t.list)
}
