package judge

import (
	"cmp"
	"slices"
)

// window has, in order of rows, what clawbacks wait for.
type window struct{ changes []change }

// change is a refund that waits from a row on, or its clawback.
type change struct {
	row    int32
	amount int64
	same   bool // it came in the cycle of its purchase
	refund int32
}

func (w *window) sort() {
	slices.SortFunc(w.changes, func(a, b change) int { return cmp.Compare(a.row, b.row) })
}

func byTime(steps []Step) {
	slices.SortStableFunc(steps, func(a, b Step) int { return cmp.Compare(a.At, b.At) })
}
