package postgres

import (
	"context"

	"recoup/internal/store/record"
)

// lockChanges has one Change at a time in a schema. Locks of this kind are of the whole
// database, which may have many schemas, so the schema's number is part of the name.
const lockChanges = `SELECT pg_advisory_xact_lock(` + changes + `, oid::INT4) FROM pg_namespace WHERE nspname = current_schema()`

// What locks are taken for. The numbers mean nothing but that they are unlikely to be
// somebody else's.
const (
	changes  = "1380270928"
	schemata = "1380270929"
)

// Change runs f in one transaction, when no other Change runs. See the package's
// documentation for what is tried again.
//
// Each statement sees what is committed when it begins, and the lock is taken by one of
// its own before the first, so f reads what the one before it has left.
func (d *DB) Change(ctx context.Context, f func(record.Tx) error) error {
	select {
	case d.changing <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-d.changing }()
	start := d.writers.begin(begin)
	start.do(`SET LOCAL lock_timeout = ` + milliseconds(recordsPatience))
	start.do(lockChanges)
	return d.writers.transact(ctx, start, func(t *transaction) error {
		c := &change{records: records{t}, t: t, written: make(map[place][]byte)}
		if err := f(c); err != nil {
			return err
		}
		c.flush()
		return nil
	})
}

// change is one transaction that changes records.
type change struct {
	records
	t       *transaction
	written map[place][]byte // but not pending yet; nil: deleted
}

// place is where a record lies.
type place struct{ table, key string }

// Get implements record.Reader.
func (c *change) Get(ctx context.Context, table, key string) (value []byte, ok bool, err error) {
	if value, ok := c.written[place{table, key}]; ok {
		return append([]byte(nil), value...), value != nil, c.t.failed
	}
	return c.records.Get(ctx, table, key)
}

// Scan implements record.Reader. It comes upon what was written before it began: what f
// writes stays here until another scan begins.
func (c *change) Scan(ctx context.Context, table string, s record.Span, f func(key string, value []byte) (bool, error)) error {
	c.flush()
	return c.records.Scan(ctx, table, s, f)
}

// Put implements record.Tx.
func (c *change) Put(table, key string, value []byte) { c.written[place{table, key}] = value }

// Delete implements record.Tx.
func (c *change) Delete(table, key string) { c.written[place{table, key}] = nil }

// flush has what was written go to the server next.
func (c *change) flush() {
	list := make([]record.Record, 0, len(c.written))
	for at, value := range c.written {
		list = append(list, record.Record{Table: at.table, Key: at.key, Value: value})
	}
	clear(c.written)
	writeRecords(&c.t.pending, list)
}
