package verify

import (
	"context"

	"recoup/internal/store"
	"recoup/internal/store/durable"
)

// accountRow is the row of an account, or why it cannot be read.
type accountRow struct {
	durable.AccountRow
	damage error
}

// readRows reads the rows of up to limit accounts after one. One that cannot be read
// keeps none of the others from being read.
func readRows(ctx context.Context, r durable.Reader, after string, limit int) ([]accountRow, error) {
	page, err := r.Rows(ctx, after, limit)
	if store.ReachOf(err) == store.OneAccount {
		return readRowsOneByOne(ctx, r, after, limit)
	}
	rows := make([]accountRow, len(page))
	for i := range page {
		rows[i].AccountRow = page[i]
	}
	return rows, err
}

func readRowsOneByOne(ctx context.Context, r durable.Reader, after string, limit int) ([]accountRow, error) {
	ids, err := r.Accounts(ctx, after, limit)
	if err != nil {
		return nil, err
	}
	rows := make([]accountRow, 0, len(ids))
	for _, id := range ids {
		row, err := readRow(ctx, r, id)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row...)
	}
	return rows, nil
}

// readRow reads the row of an account, of which there may be none.
func readRow(ctx context.Context, r durable.Reader, id string) ([]accountRow, error) {
	row, ok, err := r.Account(ctx, id)
	if store.ReachOf(err) == store.OneAccount {
		return []accountRow{{durable.AccountRow{Account: id}, err}}, nil
	}
	if err != nil || !ok {
		return nil, err
	}
	return []accountRow{{AccountRow: row}}, nil
}
