package audit

import "slices"

// top keeps the first so many of a set, whatever the order in which they come. Its order
// has to be total, so that tops of parts merge to the top of all.
type top[T any] struct {
	most  int
	order func(a, b *T) int
}

// enters reports whether the candidate would be among the first.
func (t top[T]) enters(list []T, candidate *T) bool {
	return len(list) < t.most || t.order(candidate, &list[len(list)-1]) < 0
}

// add returns the first with an element among them.
func (t top[T]) add(list []T, element T) []T { return t.merge(list, []T{element}) }

// merge returns the first of two lists, which stay as they are.
func (t top[T]) merge(a, b []T) []T {
	list := slices.Concat(a, b)
	slices.SortFunc(list, func(a, b T) int { return t.order(&a, &b) })
	return list[:min(len(list), t.most)]
}
