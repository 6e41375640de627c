package pebble

import (
	"bytes"
	"context"

	lsm "github.com/cockroachdb/pebble/v2"

	"recoup/internal/store/record"
)

// records reads records.
type records struct{ from lsm.Reader }

var _ record.Reader = records{}

// Get implements record.Reader.
func (r records) Get(ctx context.Context, table, name string) (value []byte, ok bool, err error) {
	if err := ctx.Err(); err != nil {
		return nil, false, err
	}
	v, closer, err := r.from.Get(make(key, 0, 64).record(table, name))
	if err == lsm.ErrNotFound {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, failure(err)
	}
	value = append([]byte{}, v...)
	return value, true, failure(closer.Close())
}

// Scan implements record.Reader.
func (r records) Scan(ctx context.Context, table string, s record.Span, f func(string, []byte) (bool, error)) (err error) {
	prefix := key{}.record(table, "")
	from, before := key{}.record(table, s.From), prefix.after()
	if s.Before != "" {
		before = key{}.record(table, s.Before)
	}
	if bytes.Compare(from, before) >= 0 {
		return ctx.Err()
	}
	it, err := r.from.NewIter(&lsm.IterOptions{LowerBound: from, UpperBound: before})
	if err != nil {
		return failure(err)
	}
	defer func() {
		if closing := it.Close(); err == nil {
			err = failure(closing)
		}
	}()
	first, next := it.First, it.Next
	if s.Reversed {
		first, next = it.Last, it.Prev
	}
	for ok := first(); ok; ok = next() {
		if err := ctx.Err(); err != nil {
			return err
		}
		v, err := it.ValueAndErr()
		if err != nil {
			return failure(err)
		}
		if more, err := f(string(it.Key()[len(prefix):]), v); err != nil || !more {
			return err
		}
	}
	return nil
}

// Read implements record.Store.
func (db *DB) Read(ctx context.Context, f func(record.Reader) error) error {
	return db.onSnapshot(ctx, func(snapshot *lsm.Snapshot) error { return f(records{snapshot}) })
}

// Change implements record.Store.
func (db *DB) Change(ctx context.Context, f func(record.Tx) error) error {
	if err := db.enter(); err != nil {
		return err
	}
	defer db.gate.leave()
	db.records.Lock()
	defer db.records.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	batch := db.tree.NewIndexedBatch()
	defer func() {
		if db.disk.failure() == nil {
			batch.Close()
		}
	}()
	if err := f(&change{records{batch}, batch}); err != nil {
		return err
	}
	if batch.Empty() {
		return nil
	}
	return db.apply(batch)
}

// change is a change of records.
type change struct {
	records
	batch *lsm.Batch
}

// Put implements record.Tx.
func (c *change) Put(table, name string, value []byte) {
	must(c.batch.Set(key{}.record(table, name), value, nil))
}

// Delete implements record.Tx.
func (c *change) Delete(table, name string) { must(c.batch.Delete(key{}.record(table, name), nil)) }
