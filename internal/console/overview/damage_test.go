package overview_test

import (
	"context"

	"recoup/internal/store/durable"
	"recoup/reward"
)

// damaged is a driver whose events are not what was logged any more.
type damaged struct {
	durable.Driver
	damage func(*durable.EventRow) // nil: none
}

func (d *damaged) View(ctx context.Context, f func(durable.Reader) error) error {
	return d.Driver.View(ctx, func(r durable.Reader) error {
		if d.damage != nil {
			r = &damagedReader{r, d.damage}
		}
		return f(r)
	})
}

type damagedReader struct {
	durable.Reader
	damage func(*durable.EventRow)
}

func (r *damagedReader) Events(ctx context.Context, from int64, limit int) ([]durable.EventRow, error) {
	list, err := r.Reader.Events(ctx, from, limit)
	for i := range list {
		r.damage(&list[i])
	}
	return list, err
}

func (r *damagedReader) LogBack(ctx context.Context, before, after int64, types []reward.Type, f func(*durable.EventRow) (bool, error)) error {
	return r.Reader.LogBack(ctx, before, after, types, func(row *durable.EventRow) (bool, error) {
		changed := *row
		r.damage(&changed)
		return f(&changed)
	})
}
