package audit

import "slices"

// top keeps the first so many of a set in the order of less, whatever the order
// in which they come. The order has to be total, so that tops of parts merge to
// the top of all.
type top[T any] struct {
	most  int
	order func(a, b *T) int
}

// enters reports whether the candidate would be among the first.
func (t top[T]) enters(list []T, candidate *T) bool {
	return len(list) < t.most || t.order(candidate, &list[len(list)-1]) < 0
}

// add puts an element into its place, which must be among the first, and drops
// what falls out.
func (t top[T]) add(list []T, element T) []T {
	i, _ := slices.BinarySearchFunc(list, element, func(a, b T) int { return t.order(&a, &b) })
	list = slices.Insert(list, i, element)
	return list[:min(len(list), t.most)]
}

// merge returns the first of two lists.
func (t top[T]) merge(a, b []T) []T {
	for i := range b {
		if !t.enters(a, &b[i]) {
			break
		}
		a = t.add(a, b[i])
	}
	return a
}
