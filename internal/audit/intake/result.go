package intake

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Input is what was read.
type Input struct {
	Files []File      `json:"files"`
	Rows  int64       `json:"rows"` // good ones
	Bad   int64       `json:"bad_rows"`
	ByWhy []BadReason `json:"bad_rows_by_reason,omitempty"` // the most frequent first
	// Left are the rows that are not bad but not wanted either: left out by the
	// mapping, or in another currency than the program's.
	Left      int64       `json:"rows_left_out"`
	LeftByWhy []BadReason `json:"rows_left_out_by_reason,omitempty"`
}

// File is one file of the exports.
type File struct {
	Name  string `json:"file"`
	Table string `json:"table"` // transactions, refunds, rewards or redemptions
	Rows  int64  `json:"rows"`
	Bad   int64  `json:"bad_rows"`
	// Skipped rows were left out by the mapping, OtherCurrency for their currency.
	Skipped       int64 `json:"skipped_rows"`
	OtherCurrency int64 `json:"other_currency_rows"`
}

// BadReason counts the rows that were left out for one reason, with where the
// first of them are, as "file:line", in Parquet files and workbooks as "file:row".
type BadReason struct {
	Reason string   `json:"reason"`
	Rows   int64    `json:"rows"`
	First  []string `json:"first"`
}

const maxPlaces = 5

// BadRowsError says that too many rows of a file are bad.
type BadRowsError struct {
	File    string
	Rows    int64 // that were read so far, bad ones among them
	Bad     int64
	Limit   int // per thousand
	Reasons []BadReason
}

// Error lists the reasons, the most frequent first.
func (e *BadRowsError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d of %d rows are bad, more than %d in a thousand", e.File, e.Bad, e.Rows, e.Limit)
	for _, r := range e.Reasons {
		fmt.Fprintf(&b, "\n  %d × %s (%s)", r.Rows, r.Reason, strings.Join(r.First, ", "))
	}
	return b.String()
}

// result is what was read of one file.
type result struct {
	table  table
	path   string
	rows   int64
	left   [otherCurrency + 1]int64 // rows, by why they were left out
	faults []*tally                 // in order of their first rows
}

// tally counts the rows of one file and reason.
type tally struct {
	*fault // the first
	BadReason
}

// leave counts a row that is left out.
func (r *result) leave(f *fault, place int64) {
	r.left[f.why]++
	i := slices.IndexFunc(r.faults, func(t *tally) bool { return t.field == f.field && t.reason == f.reason })
	if i < 0 {
		i = len(r.faults)
		t := &tally{f, BadReason{Reason: f.wanted()}}
		if f.found != "" {
			t.Reason += ", not " + quote(f.found)
		}
		r.faults = append(r.faults, t)
	}
	t := r.faults[i]
	if t.Rows++; len(t.First) < maxPlaces {
		t.First = append(t.First, fmt.Sprintf("%s:%d", r.path, place))
	}
}

// check refuses a file of which too many rows are bad, so far.
func (r *result) check(limit int) error {
	wrong := r.left[bad]
	if rows := wrong + r.rows; wrong*1000 > rows*int64(limit) {
		return &BadRowsError{File: r.path, Rows: rows, Bad: wrong, Limit: limit, Reasons: reasons([]*result{r}, true)}
	}
	return nil
}

// reasons adds up why rows of several files are bad, or are left out otherwise: the most
// frequent first, with the example and the first places of the first file.
func reasons(results []*result, wrong bool) (list []BadReason) {
	at := map[string]int{}
	for _, r := range results {
		for _, t := range r.faults {
			if (t.why == bad) != wrong {
				continue
			}
			i, known := at[t.wanted()]
			if !known {
				i = len(list)
				at[t.wanted()] = i
				list = append(list, BadReason{Reason: t.Reason})
			}
			list[i].Rows += t.Rows
			list[i].First = append(list[i].First, t.First[:min(len(t.First), maxPlaces-len(list[i].First))]...)
		}
	}
	slices.SortStableFunc(list, func(a, b BadReason) int { return cmp.Compare(b.Rows, a.Rows) })
	return list
}

// total adds the files up, which are in the order in which they count.
func total(results []*result) *Input {
	in := &Input{Files: []File{}, ByWhy: reasons(results, true), LeftByWhy: reasons(results, false)}
	for _, r := range results {
		n := r.left
		in.Files = append(in.Files, File{
			Name: r.path, Table: r.table.String(), Rows: r.rows, Bad: n[bad], Skipped: n[skipped], OtherCurrency: n[otherCurrency],
		})
		in.Rows += r.rows
		in.Bad += n[bad]
		in.Left += n[skipped] + n[otherCurrency]
	}
	return in
}
