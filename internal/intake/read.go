package intake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"recoup/internal/intake/history"
	"recoup/reward"
)

const (
	// defaultBadLimit is how many of a thousand rows of a file may be bad.
	defaultBadLimit = 10
	batchRows       = 1000
	// manyRows are enough to give a file up before its end.
	manyRows = 10_000
	// readers read tables at a time.
	readers = 2
)

// Options say what to read. Of each table there may be several files, named by
// path or by pattern as filepath.Match has them; a path that is there is taken
// as it is. They are read in the order given, those of a pattern in the order of
// their names, and each once.
type Options struct {
	Currency     string      // of purchases and refunds
	Reward       reward.Unit // of rewards and redemptions; zero: the currency
	Mapping      *Mapping    // nil: the files need none
	Transactions []string
	Refunds      []string
	Rewards      []string
	Redemptions  []string
	// BadLimit is how many of a thousand rows of a file may be bad: zero means
	// ten, below zero none.
	BadLimit int
	// Progress, if not nil, is told of bytes as they are read from the files, from
	// several goroutines at once. They add up to about Size.
	Progress func(bytes int64)
}

// Sink takes rows. It is safe for concurrent use. The slice and the strings in
// it are valid during the call only. Rows of one table come in the order of the
// files and of the rows in them.
type Sink interface {
	Add(rows []history.Row) error
}

// paths returns the files of each table.
func (o *Options) paths() (paths [tableCount][]string, err error) {
	for t, patterns := range [tableCount][]string{o.Transactions, o.Refunds, o.Rewards, o.Redemptions} {
		if paths[t], err = expand(patterns); err != nil {
			return paths, fmt.Errorf("%s: %w", table(t), err)
		}
	}
	return paths, nil
}

// expand returns the files that the patterns name.
func expand(patterns []string) (paths []string, err error) {
	for _, pattern := range patterns {
		found := []string{pattern}
		if _, missing := os.Stat(pattern); missing != nil {
			if found, err = filepath.Glob(pattern); err != nil {
				return nil, fmt.Errorf("%s: %w", quote(pattern), err)
			}
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("no file is named %s", pattern)
		}
		for _, path := range found {
			if path = filepath.Clean(path); !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
	}
	return paths, nil
}

// Size returns how large the files are together, in bytes as they lie on the
// disk.
func (o *Options) Size() (int64, error) {
	paths, err := o.paths()
	if err != nil {
		return 0, err
	}
	var size int64
	for _, path := range slices.Concat(paths[:]...) {
		info, err := os.Stat(path)
		if err != nil {
			return 0, err
		}
		size += info.Size()
	}
	return size, nil
}

// Read reads all rows of all files into the sink: the files of a table one after
// the other, two tables at a time. Rows that are bad are counted and left out,
// up to the limit (*BadRowsError). Other errors are *Error where a mapping or a
// file is at fault, and what opening and reading files, the sink and the context
// return.
func Read(ctx context.Context, o Options, to Sink) (*Input, error) {
	paths, err := o.paths()
	if err != nil {
		return nil, err
	}
	if o.Mapping == nil {
		l := newLayout()
		o.Mapping = &Mapping{tables: [tableCount]layout{l, l, l, l}}
	}
	var results [tableCount][]*result
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(readers)
	for t, files := range paths {
		group.Go(func() error {
			if len(files) > 0 && o.Mapping.tables[t].receipts != NoReceipts {
				return errors.New("receipts in the mapping: an audit takes each row for a purchase; recoup import csv adds up what is on one receipt")
			}
			for _, path := range files {
				r, err := readRows(ctx, &o, table(t), path, to)
				if err != nil {
					return err
				}
				results[t] = append(results[t], r)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return total(slices.Concat(results[:]...)), nil
}

// ReadLines hands out the rows of purchases and refunds that the mapping tells
// apart in the files, each file for either table that the mapping has a section
// for: first all purchases, then all refunds. The line is the callee's until the
// next; its strings are for good.
func ReadLines(ctx context.Context, o Options, to func(*Line) error) (*Input, error) {
	paths, err := expand(o.Transactions)
	if err != nil {
		return nil, err
	}
	var results []*result
	for _, t := range []table{transactions, refunds} {
		if !o.Mapping.given[t] {
			continue
		}
		for _, path := range paths {
			r, err := readFile(ctx, &o, t, path, to)
			if err != nil {
				return nil, err
			}
			results = append(results, r)
		}
	}
	if len(results) == 0 {
		return nil, errors.New("the mapping has neither transactions nor refunds; expected a section for each that the files hold")
	}
	return total(results), nil
}

// readRows reads a file into the sink.
func readRows(ctx context.Context, o *Options, t table, path string, to Sink) (*result, error) {
	batch := make([]history.Row, 0, batchRows)
	r, err := readFile(ctx, o, t, path, func(l *Line) (err error) {
		if batch = append(batch, l.Row); len(batch) == batchRows {
			err = to.Add(batch)
			batch = batch[:0]
		}
		return err
	})
	if err == nil && len(batch) > 0 {
		err = to.Add(batch)
	}
	return r, err
}

// unit is what the amounts of a table are in.
func (o *Options) unit(t table) reward.Unit {
	if (t == rewards || t == redemptions) && o.Reward.Name != "" {
		return o.Reward
	}
	return reward.Unit{Name: o.Currency}
}

// readFile hands out the good rows of a file.
func readFile(ctx context.Context, o *Options, t table, path string, to func(*Line) error) (*result, error) {
	l := &o.Mapping.tables[t]
	from, err := open(path, l, o.Progress)
	if err != nil {
		return nil, err
	}
	defer from.close()
	reader, err := newRowReader(from, t, l, o.unit(t))
	if err != nil {
		return nil, err
	}
	r := &result{File: File{Name: path, Table: t.String()}, limit: max(cmp.Or(o.BadLimit, defaultBadLimit), 0)}
	for n := 0; ; n++ {
		if n%batchRows == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		values, err := from.next()
		var f *fault
		switch {
		case errors.Is(err, io.EOF):
			return r, r.check()
		case errors.Is(err, errBareQuote):
			f, err = &fault{wanted: err.Error()}, nil
		case err != nil:
			return nil, from.fail(err)
		default:
			f = reader.read(values)
		}
		if f == nil {
			r.Rows++
			err = to(&reader.line)
		} else if r.leave(f, from.place); f.why == bad && r.Rows+r.Bad >= manyRows {
			err = r.check()
		}
		if err != nil {
			return nil, err
		}
	}
}

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
	File
	limit int // bad rows of a thousand
	tallies
}

// tally counts the rows that are left out for one reason.
type tally struct {
	*fault // the first
	BadReason
}

// tallies are in order of their first rows.
type tallies []*tally

// of is the tally for a fault, with the fault as its example if it is new.
func (list *tallies) of(f *fault) *tally {
	for _, t := range *list {
		if t.wanted == f.wanted {
			return t
		}
	}
	t := &tally{f, BadReason{Reason: f.wanted}}
	if f.found != "" {
		t.Reason += ", not " + quote(f.found)
	}
	*list = append(*list, t)
	return t
}

// leave counts a row that is left out.
func (r *result) leave(f *fault, place int64) {
	count := [...]*int64{bad: &r.Bad, skipped: &r.Skipped, otherCurrency: &r.OtherCurrency}
	*count[f.why]++
	t := r.of(f)
	if t.Rows++; len(t.First) < maxPlaces {
		t.First = append(t.First, fmt.Sprintf("%s:%d", r.Name, place))
	}
}

// check refuses a file of which too many rows are bad, so far.
func (r *result) check() error {
	if rows := r.Bad + r.Rows; r.Bad*1000 > rows*int64(r.limit) {
		return &BadRowsError{File: r.Name, Rows: rows, Bad: r.Bad, Limit: r.limit, Reasons: reasons([]*result{r}, true)}
	}
	return nil
}

// reasons adds up why rows of several files are bad, or are left out otherwise: the most
// frequent first, with the example and the first places of the first file.
func reasons(results []*result, wrong bool) (list []BadReason) {
	var sums tallies
	for _, r := range results {
		for _, t := range r.tallies {
			if (t.why == bad) == wrong {
				sum := sums.of(t.fault)
				sum.Rows += t.Rows
				sum.First = append(sum.First, t.First[:min(len(t.First), maxPlaces-len(sum.First))]...)
			}
		}
	}
	slices.SortStableFunc(sums, func(a, b *tally) int { return cmp.Compare(b.Rows, a.Rows) })
	for _, sum := range sums {
		list = append(list, sum.BadReason)
	}
	return list
}

// total adds the files up, which are in the order in which they count.
func total(results []*result) *Input {
	in := &Input{Files: []File{}, ByWhy: reasons(results, true), LeftByWhy: reasons(results, false)}
	for _, r := range results {
		in.Files = append(in.Files, r.File)
		in.Rows += r.Rows
		in.Bad += r.Bad
		in.Left += r.Skipped + r.OtherCurrency
	}
	return in
}
