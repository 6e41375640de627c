package intake

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"recoup/internal/audit/history"
	"recoup/reward"
)

// DefaultBadLimit is how many of a thousand rows of a file may be bad.
const DefaultBadLimit = 10

const (
	batchRows = 1000
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
	Program      *reward.Program
	Mapping      *Mapping // nil: the files need none
	Transactions []string
	Refunds      []string
	Rewards      []string
	Redemptions  []string
	// BadLimit is how many of a thousand rows of a file may be bad: zero means
	// DefaultBadLimit, below zero none.
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

// paths returns the files of each table.
func (o *Options) paths() (paths [tableCount][]string, err error) {
	for t, patterns := range [tableCount][]string{
		transactions: o.Transactions, refunds: o.Refunds, rewards: o.Rewards, redemptions: o.Redemptions,
	} {
		if paths[t], err = expand(patterns); err != nil {
			return paths, fmt.Errorf("%s: %w", table(t), err)
		}
	}
	return paths, nil
}

// expand returns the files that the patterns name.
func expand(patterns []string) ([]string, error) {
	var paths []string
	for _, pattern := range patterns {
		found := []string{pattern}
		if _, err := os.Stat(pattern); err != nil {
			if found, err = filepath.Glob(pattern); err != nil {
				return nil, fmt.Errorf("%s: %w", quote(pattern), err)
			}
			if len(found) == 0 {
				return nil, fmt.Errorf("no file is named %s", pattern)
			}
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
		o.Mapping = native()
	}
	switch {
	case o.BadLimit == 0:
		o.BadLimit = DefaultBadLimit
	case o.BadLimit < 0:
		o.BadLimit = 0
	}
	var results [tableCount][]*result
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(readers)
	for t, files := range paths {
		group.Go(func() error {
			for _, path := range files {
				r := result{table: table(t), path: path}
				if err := r.read(ctx, &o, to); err != nil {
					return err
				}
				results[t] = append(results[t], &r)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return total(slices.Concat(results[:]...)), nil
}

// result is what was read of one file.
type result struct {
	table  table
	path   string
	rows   int64
	faults faults
}

// read reads the file into the sink.
func (r *result) read(ctx context.Context, o *Options, to Sink) error {
	l := &o.Mapping.tables[r.table]
	from, err := open(r.path, l, o.Progress)
	if err != nil {
		return err
	}
	defer from.close()
	reader, wanted, err := newRowReader(r.path, r.table, from.columns(), l, o.Program.Currency)
	if err != nil {
		return err
	}
	if err := from.use(wanted); err != nil {
		return err
	}
	batch := make([]history.Row, batchRows)
	n := 0
	deliver := func() error {
		if n == 0 {
			return nil
		}
		err := to.Add(batch[:n])
		n = 0
		return err
	}
	for read := 0; ; read++ {
		if read%batchRows == 0 {
			if err := context.Cause(ctx); err != nil {
				return err
			}
		}
		values, err := from.next()
		var f fault
		switch {
		case err == nil:
			f = reader.read(values, &batch[n])
		case err == errBareQuote:
			f = fault{class: classBareQuote, field: noField}
		case err == errOpenQuote:
			f = fault{class: classOpenQuote, field: noField}
		case errors.Is(err, io.EOF):
			if err := deliver(); err != nil {
				return err
			}
			return r.check(o.BadLimit)
		default:
			return inFile(r.path, from.place()+1, err)
		}
		if f.class != good {
			r.faults.add(reader, f, from.place())
			if f.class.isBad() && r.rows+r.faults.bad >= manyRows {
				if err := r.check(o.BadLimit); err != nil {
					return err
				}
			}
			continue
		}
		r.rows++
		if n++; n == len(batch) {
			if err := deliver(); err != nil {
				return err
			}
		}
	}
}
