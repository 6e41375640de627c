package pebble

import (
	"bytes"
	"context"

	lsm "github.com/cockroachdb/pebble/v2"

	"recoup/internal/store/durable"
	"recoup/reward"
)

// row reads an account's row.
func (s *source) row(id string) (row durable.AccountRow, ok bool, err error) {
	v, ok, err := s.get(make(key, 0, 64).account(id, headTag))
	if err != nil || !ok {
		return row, false, err
	}
	row, err = readRow(id, v, -1)
	return row, err == nil, err
}

// readRow reads a row, without its head if its version is the one held.
func readRow(id string, v []byte, held int64) (durable.AccountRow, error) {
	row, err := readAccount(id, v, held)
	if err != nil {
		return row, damaged(id, &reward.CorruptError{Account: id, Problem: err.Error()})
	}
	return row, nil
}

// Account implements durable.Reader.
func (r *reader) Account(ctx context.Context, id string) (durable.AccountRow, bool, error) {
	if err := ctx.Err(); err != nil {
		return durable.AccountRow{}, false, err
	}
	return r.row(id)
}

// Accounts implements durable.Reader.
func (r *reader) Accounts(ctx context.Context, after string, limit int) ([]string, error) {
	var ids []string
	err := r.eachAccount(ctx, after+"\x00", limit, func(id string, _ []byte) error {
		ids = append(ids, id)
		return nil
	})
	return ids, err
}

// Rows implements durable.Reader.
func (r *reader) Rows(ctx context.Context, after string, limit int) ([]durable.AccountRow, error) {
	var rows []durable.AccountRow
	err := r.eachAccount(ctx, after+"\x00", limit, func(id string, v []byte) error {
		row, err := readRow(id, v, -1)
		rows = append(rows, row)
		return err
	})
	if err != nil {
		return nil, err
	}
	return rows, nil
}

// within is how many keys of an account are passed over one by one before the next
// account is sought: most have few besides their rows.
const within = 8

// eachAccount calls f with up to limit accounts from one on that have a row. It goes on
// from each to the next past all that the account has.
func (s *source) eachAccount(ctx context.Context, first string, limit int, f func(id string, row []byte) error) (err error) {
	if limit <= 0 {
		return nil
	}
	it, err := s.from.NewIter(&lsm.IterOptions{LowerBound: key{accountSpace}, UpperBound: key{accountSpace + 1}})
	if err != nil {
		return failure(err)
	}
	defer func() {
		if closing := it.Close(); err == nil {
			err = failure(closing)
		}
	}()
	next := make(key, 0, 64).byte(accountSpace).text(first)
	for ok := it.SeekGE(next); ok && limit > 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		k := keyOf(it.Key())
		id := k.text()
		if tag := k.Byte(); !k.Bad && tag == headTag {
			v, err := it.ValueAndErr()
			if err == nil {
				err = f(id, v)
			}
			if err != nil {
				return ofAccount(it.Key(), err)
			}
			limit--
		}
		next = next[:0].byte(accountSpace).text(id)
		passed := 0
		for ok = it.Next(); ok && passed < within && bytes.HasPrefix(it.Key(), next); ok = it.Next() {
			passed++
		}
		if passed == within {
			ok = it.SeekGE(next.after())
		}
	}
	return failure(it.Error())
}

// Due implements durable.Reader.
func (r *reader) Due(ctx context.Context, at reward.Instant, limit int) (ids []string, err error) {
	if limit <= 0 {
		return nil, ctx.Err()
	}
	from, before := key{dueSpace}, key{dueSpace}.int(int64(at)).after()
	err = r.scan(ctx, from, before, func(k, _ []byte) (bool, error) {
		s := keyOf(k)
		s.int()
		ids = append(ids, s.text())
		return len(ids) < limit, s.err()
	})
	return ids, err
}
