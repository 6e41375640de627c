package pebble

import (
	"context"

	lsm "github.com/cockroachdb/pebble/v2"

	"recoup/internal/store/durable"
	"recoup/internal/store/record"
)

// reader reads one snapshot.
type reader struct {
	source
	db *DB
}

var _ durable.Inspector = (*reader)(nil)

// View implements durable.Driver.
func (db *DB) View(ctx context.Context, f func(durable.Reader) error) error {
	return db.Inspect(ctx, func(r durable.Inspector) error { return f(r) })
}

// Inspect implements durable.Driver.
func (db *DB) Inspect(ctx context.Context, f func(durable.Inspector) error) error {
	return db.onSnapshot(ctx, func(snapshot *lsm.Snapshot) error {
		r := &reader{source{from: snapshot}, db}
		defer r.source.close()
		return f(r)
	})
}

// onSnapshot runs f on what is committed, and on the disk.
func (db *DB) onSnapshot(ctx context.Context, f func(*lsm.Snapshot) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := db.enter(); err != nil {
		return err
	}
	defer db.gate.leave()
	snapshot := db.tree.NewSnapshot()
	defer snapshot.Close()
	if err := db.settled(ctx); err != nil {
		return err
	}
	return f(snapshot)
}

// Get implements record.Reader.
func (r *reader) Get(ctx context.Context, table, name string) ([]byte, bool, error) {
	return records{r.from}.Get(ctx, table, name)
}

// Scan implements record.Reader.
func (r *reader) Scan(ctx context.Context, table string, s record.Span, f func(string, []byte) (bool, error)) error {
	return records{r.from}.Scan(ctx, table, s, f)
}
