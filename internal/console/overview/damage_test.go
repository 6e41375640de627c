package overview_test

import (
	"context"

	"recoup/internal/store/durable"
	"recoup/reward"
)

// damaged is a driver whose events are not what was logged any more. It notes whose logs
// are read.
type damaged struct {
	durable.Driver
	damage func(*durable.EventRow) // nil: none
	logs   [][2]string             // the first and the last account
}

func (d *damaged) View(ctx context.Context, f func(durable.Reader) error) error {
	return d.Driver.View(ctx, func(r durable.Reader) error {
		damage := d.damage
		if damage == nil {
			damage = func(*durable.EventRow) {}
		}
		return f(&damagedReader{r, d, damage})
	})
}

type damagedReader struct {
	durable.Reader
	driver *damaged
	damage func(*durable.EventRow)
}

func (r *damagedReader) EventsOf(ctx context.Context, first, last string, f func(*durable.EventRow) error) error {
	r.driver.logs = append(r.driver.logs, [2]string{first, last})
	return r.Reader.EventsOf(ctx, first, last, func(row *durable.EventRow) error {
		changed := *row
		r.damage(&changed)
		return f(&changed)
	})
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
