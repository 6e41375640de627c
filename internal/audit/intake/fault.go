package intake

import "slices"

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

// tally counts the rows of one reason.
type tally struct {
	fault         // the first
	name   string // of its column, where it is not called like the field
	rows   int64
	places []int64 // lines or rows of the first
}

const maxPlaces = 5

// faults counts the rows of one file that were left out, by reason.
type faults struct {
	rows [otherCurrency + 1]int64
	list []*tally // in order of their first rows
}

// add counts a row.
func (f *faults) add(what fault, header string, place int64) {
	i := slices.IndexFunc(f.list, func(t *tally) bool { return t.field == what.field && t.reason == what.reason })
	if i < 0 {
		i = len(f.list)
		f.list = append(f.list, &tally{fault: what, name: header})
	}
	t := f.list[i]
	t.rows++
	f.rows[what.why]++
	if len(t.places) < maxPlaces {
		t.places = append(t.places, place)
	}
}

// wanted says what was expected, and where.
func (t *tally) wanted() string {
	switch {
	case t.field == noField:
		return t.reason
	case t.name != "" && t.name != t.field.String():
		return t.field.String() + " (column " + quote(t.name) + "): " + t.reason
	}
	return t.field.String() + ": " + t.reason
}
