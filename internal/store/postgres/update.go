package postgres

import (
	"context"

	"recoup/internal/store/durable"
)

// Update runs f in one transaction. See the package's documentation for what is
// tried again.
func (d *DB) Update(ctx context.Context, f func(durable.Tx) error) error {
	var t *tx
	return d.patiently(ctx, func(start exchange) error {
		return d.writers.transact(ctx, start, func(own *transaction) error {
			t = &tx{transaction: own, records: records{own}, numbers: d.numbers, epoch: d.epoch}
			return f(t)
		})
	}, func() []string { return t.wanted })
}

// tx is one transaction that changes accounts.
type tx struct {
	*transaction
	records
	numbers *numbers
	epoch   int64
	wanted  []string // accounts that it locks
	// absent are parts that were asked for and are not there. Since their account
	// is locked, or new, nobody else can make them.
	absent map[durable.PartKey]struct{}
}

var _ durable.Tx = (*tx)(nil)
