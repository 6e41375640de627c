package intake

import (
	"cmp"
	"fmt"
	"slices"
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

// total adds the files up, which are in the order in which they count.
func total(results []*result) *Input {
	in := &Input{Files: []File{}}
	var wrong, left reasons
	for _, r := range results {
		n := r.faults.rows
		in.Files = append(in.Files, File{
			Name: r.path, Table: r.table.String(), Rows: r.rows, Bad: n[bad], Skipped: n[skipped], OtherCurrency: n[otherCurrency],
		})
		in.Rows += r.rows
		in.Bad += n[bad]
		in.Left += n[skipped] + n[otherCurrency]
		wrong.add(r, true)
		left.add(r, false)
	}
	in.ByWhy, in.LeftByWhy = wrong.sorted(), left.sorted()
	return in
}

// check refuses a file of which too many rows are bad, so far.
func (r *result) check(limit int) error {
	wrong := r.faults.rows[bad]
	if rows := wrong + r.rows; wrong*1000 > rows*int64(limit) {
		var why reasons
		why.add(r, true)
		return &BadRowsError{File: r.path, Rows: rows, Bad: wrong, Limit: limit, Reasons: why.sorted()}
	}
	return nil
}

// reasons adds up what several files have in common. Rows are of one reason if
// the same was wanted; an example is that of the first.
type reasons struct {
	wanted []string
	list   []BadReason
}

func (r *reasons) add(from *result, wrong bool) {
	for _, t := range from.faults.list {
		if (t.why == bad) != wrong {
			continue
		}
		wanted := t.wanted()
		i := slices.Index(r.wanted, wanted)
		if i < 0 {
			i = len(r.wanted)
			reason := wanted
			if t.found != "" {
				reason += ", not " + quote(t.found)
			}
			r.wanted, r.list = append(r.wanted, wanted), append(r.list, BadReason{Reason: reason})
		}
		why := &r.list[i]
		why.Rows += t.rows
		for _, place := range t.places[:min(len(t.places), maxPlaces-len(why.First))] {
			why.First = append(why.First, fmt.Sprintf("%s:%d", from.path, place))
		}
	}
}

// sorted returns the reasons, the most frequent first.
func (r *reasons) sorted() []BadReason {
	slices.SortStableFunc(r.list, func(a, b BadReason) int { return cmp.Compare(b.Rows, a.Rows) })
	return r.list
}
