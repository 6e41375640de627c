package postgres

import (
	"context"
	"fmt"
)

// page is how many rows of a result that may be a large one are in memory at a time.
const page = 500

// pages calls f with each row of a result, as read has made it out of the row. The server
// sorts it, on disk if there are many, and it is read page by page, so that f may ask
// other things in between. Results of one name have the same columns.
func pages[T any](ctx context.Context, r *reader, name, statement string, arguments []any, read func(v row, before *T) T, f func(*T) error) (err error) {
	x := unhurried()
	x.do(fmt.Sprintf("DECLARE %s NO SCROLL CURSOR FOR %s", name, statement), arguments...)
	if err := r.send(ctx, x); err != nil {
		return err
	}
	defer func() {
		if closing := r.read(ctx, nil, "CLOSE "+name); err == nil {
			err = closing
		}
	}()
	fetch := fmt.Sprintf("FETCH %d FROM %s", page, name)
	fetched := make([]T, 0, page)
	for {
		var last T
		fetched = fetched[:0]
		err := r.read(ctx, func(v row) {
			last = read(v, &last)
			fetched = append(fetched, last)
		}, fetch)
		if err != nil {
			return err
		}
		for i := range fetched {
			if err := f(&fetched[i]); err != nil {
				return err
			}
		}
		if len(fetched) < page {
			return nil
		}
	}
}

// unhurried prepares the transaction for statements that read all there is of something.
func unhurried() (x exchange) {
	x.do("SET LOCAL statement_timeout = 0")
	x.do("SET LOCAL work_mem = '64MB'")
	x.do("SET LOCAL cursor_tuple_fraction = 1") // all of it will be read
	return x
}
