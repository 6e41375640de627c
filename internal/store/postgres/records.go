package postgres

import (
	"cmp"
	"context"
	"slices"

	"recoup/internal/store/record"
)

const (
	getRecord  = `SELECT value FROM records WHERE tab = $1 AND key = $2`
	putRecords = `INSERT INTO records (tab, key, value) SELECT tab, key, value::JSON FROM unnest($1::TEXT[], $2::BYTEA[], $3::TEXT[]) AS k (tab, key, value)
		ON CONFLICT (tab, key) DO UPDATE SET value = excluded.value`
	deleteRecords = `DELETE FROM records r USING unnest($1::TEXT[], $2::BYTEA[]) AS k (tab, key) WHERE r.tab = k.tab AND r.key = k.key`

	scanRecords         = `SELECT key, value FROM records WHERE tab = $1 AND key >= $2 ORDER BY tab, key LIMIT $3`
	scanRecordsBefore   = `SELECT key, value FROM records WHERE tab = $1 AND key >= $2 AND key < $4 ORDER BY tab, key LIMIT $3`
	scanRecordsBack     = `SELECT key, value FROM records WHERE tab = $1 AND key >= $2 ORDER BY tab DESC, key DESC LIMIT $3`
	scanRecordsBackFrom = `SELECT key, value FROM records WHERE tab = $1 AND key >= $2 AND key < $4 ORDER BY tab DESC, key DESC LIMIT $3`
)

// asker is a transaction that can be asked something.
type asker interface {
	ask(ctx context.Context, statement string, arguments []any, f func(row)) error
}

// records reads records in a transaction.
type records struct{ in asker }

// Get implements record.Reader.
func (r records) Get(ctx context.Context, table, key string) (value []byte, ok bool, err error) {
	err = r.in.ask(ctx, getRecord, []any{table, []byte(key)}, func(v row) { value, ok = data(v[0]), true })
	return value, ok, err
}

// How many records are in memory at a time: few at first, since most who look for some
// want the first ones only.
const (
	firstRecords = 64
	mostRecords  = 1024
)

// Scan implements record.Reader. It reads page by page, and f may read other things and
// write in between.
func (r records) Scan(ctx context.Context, table string, s record.Span, f func(key string, value []byte) (bool, error)) error {
	type found struct {
		key   string
		value []byte
	}
	for limit := firstRecords; ; limit = min(2*limit, mostRecords) {
		page := make([]found, 0, limit)
		statement, arguments := scan(table, s, limit)
		if err := r.in.ask(ctx, statement, arguments, func(v row) { page = append(page, found{text(v[0]), data(v[1])}) }); err != nil {
			return err
		}
		for _, one := range page {
			if more, err := f(one.key, one.value); err != nil || !more {
				return err
			}
		}
		if len(page) < limit {
			return nil
		}
		if last := page[len(page)-1].key; s.Reversed {
			s = s.Until(last)
		} else {
			s = s.After(last)
		}
	}
}

// scan is what reads the first records of a span.
func scan(table string, s record.Span, limit int) (statement string, arguments []any) {
	arguments = []any{table, []byte(s.From), limit}
	switch {
	case s.Before == "" && s.Reversed:
		return scanRecordsBack, arguments
	case s.Before == "":
		return scanRecords, arguments
	case s.Reversed:
		return scanRecordsBackFrom, append(arguments, []byte(s.Before))
	}
	return scanRecordsBefore, append(arguments, []byte(s.Before))
}

// writeRecords writes and deletes, in one order, so that those who write the same ones
// do not wait for each other in a circle.
func writeRecords(x *exchange, list []record.Record) {
	if len(list) == 0 {
		return
	}
	list = slices.SortedFunc(slices.Values(list), func(a, b record.Record) int {
		return cmp.Or(cmp.Compare(a.Table, b.Table), cmp.Compare(a.Key, b.Key))
	})
	type columns struct {
		tables, values []string
		keys           [][]byte
	}
	var puts, deletes columns
	for i := range list {
		c := &puts
		if list[i].Value == nil {
			c = &deletes
		}
		c.tables, c.keys = append(c.tables, list[i].Table), append(c.keys, []byte(list[i].Key))
		c.values = append(c.values, string(list[i].Value))
	}
	if len(deletes.keys) > 0 {
		x.do(deleteRecords, deletes.tables, deletes.keys)
	}
	if len(puts.keys) > 0 {
		x.do(putRecords, puts.tables, puts.keys, puts.values)
	}
}
