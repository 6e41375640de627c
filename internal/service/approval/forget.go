package approval

import (
	"context"
	"fmt"

	"recoup/internal/store/record"
)

// ForgetAccount deletes what is listed of the proposals about an account, and what was done
// alone on it. The log has both, without what tells whose account it is. One that waits
// must have been decided before.
func (b *Book) ForgetAccount(ctx context.Context, account string) error {
	for {
		list, err := b.OfAccount(ctx, account)
		if err != nil {
			return err
		}
		if len(list) == 0 {
			break
		}
		for i := range list {
			if err := b.forget(ctx, list[i].Number); err != nil {
				return err
			}
		}
	}
	err := b.records.Change(ctx, func(tx record.Tx) error {
		for _, t := range [...]struct {
			table record.Table[spending]
			of    record.Span
		}{{spentBy, record.Under(account)}, {spent, record.Under(onAccount, account)}, {spent, record.Under(onAccountReversed, account)}} {
			err := t.table.Each(ctx, tx, t.of, func(key string, _ *spending) (bool, error) {
				t.table.Delete(tx, key)
				return true, nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("forgetting what was done alone on an account: %w", err)
	}
	return nil
}
