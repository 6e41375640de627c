package intake

import (
	"cmp"
	"fmt"
	"slices"
)

// why says in which way a row is left out.
type why uint8

const (
	bad           why = iota
	skipped           // as the mapping says
	otherCurrency     // than the program's
)

// fault is why a row is left out. A row without a reason is not.
type fault struct {
	why    why
	field  field // noField: of the row as a whole
	reason string
	found  string // what was there; "" where that would say nothing, or too much
}

// BadReason counts the rows that were left out for one reason, with where the
// first of them are, as "file:line", in Parquet files and workbooks as "file:row".
type BadReason struct {
	Reason string   `json:"reason"`
	Rows   int64    `json:"rows"`
	First  []string `json:"first"`
}

// tally counts the rows of one file and reason.
type tally struct {
	fault         // the first
	wanted string // what was expected, and where
	BadReason
}

const maxPlaces = 5

// leave counts a row that is left out; header is what the column of the field is called.
func (r *result) leave(f fault, header string, place int64) {
	i := slices.IndexFunc(r.faults, func(t *tally) bool { return t.field == f.field && t.reason == f.reason })
	if i < 0 {
		i = len(r.faults)
		wanted := f.reason
		switch {
		case f.field == noField:
		case header != "" && header != f.field.String():
			wanted = f.field.String() + " (column " + quote(header) + "): " + wanted
		default:
			wanted = f.field.String() + ": " + wanted
		}
		t := &tally{fault: f, wanted: wanted, BadReason: BadReason{Reason: wanted}}
		if f.found != "" {
			t.Reason += ", not " + quote(f.found)
		}
		r.faults = append(r.faults, t)
	}
	t := r.faults[i]
	t.Rows++
	r.left[f.why]++
	if len(t.First) < maxPlaces {
		t.First = append(t.First, fmt.Sprintf("%s:%d", r.path, place))
	}
}

// reasons adds up why rows of several files are bad, or are left out otherwise: the most
// frequent first, with the example and the first places of the first file.
func reasons(results []*result, wrong bool) (list []BadReason) {
	var wanted []string
	for _, r := range results {
		for _, t := range r.faults {
			if (t.why == bad) != wrong {
				continue
			}
			i := slices.Index(wanted, t.wanted)
			if i < 0 {
				i = len(wanted)
				wanted, list = append(wanted, t.wanted), append(list, BadReason{Reason: t.Reason})
			}
			b := &list[i]
			b.Rows += t.Rows
			b.First = append(b.First, t.First[:min(len(t.First), maxPlaces-len(b.First))]...)
		}
	}
	slices.SortStableFunc(list, func(a, b BadReason) int { return cmp.Compare(b.Rows, a.Rows) })
	return list
}
