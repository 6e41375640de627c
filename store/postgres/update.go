package postgres

import (
	"context"

	"recoup/store/durable"
)

// Update runs f in one transaction. See the package's documentation for what is
// tried again.
func (d *DB) Update(ctx context.Context, f func(durable.Tx) error) error {
	return d.writers.transact(ctx, d.writers.begin(begin), func(t *transaction) error {
		return f(&tx{transaction: t, records: records{t}, numbers: d.numbers, epoch: d.epoch})
	})
}

// tx is one transaction that changes accounts.
type tx struct {
	*transaction
	records
	numbers *numbers
	epoch   int64
	// absent are parts that were asked for and are not there. Since their account
	// is locked, or new, nobody else can make them.
	absent map[durable.PartKey]struct{}
}

var _ durable.Tx = (*tx)(nil)
