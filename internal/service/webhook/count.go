package webhook

import (
	"context"
	"fmt"
	"strconv"

	"recoup/internal/store/outbox"
	"recoup/internal/store/record"
)

// MostCounted is how many deliveries and how many dead letters of an endpoint are
// counted: where it says so many, there may be more. Somebody who looks at the numbers
// wants to know whether there is something to do, and millions that wait for an endpoint
// that was disabled must not make each look at them take seconds.
const MostCounted = 10_000

// Counted is a number as people are shown it: one that may be larger says so.
func Counted(n int64) string {
	if n >= MostCounted {
		return fmt.Sprintf("%d or more", n)
	}
	return strconv.FormatInt(n, 10)
}

// Counts are what waits in an outbox as a whole.
type Counts struct {
	Endpoints, Disabled int64
	Due, Dead           int64 // of all endpoints; see MostCounted
}

// Counts counts what waits.
func (o *Outbox) Counts(ctx context.Context) (Counts, error) {
	list, err := o.List(ctx)
	c := Counts{Endpoints: int64(len(list))}
	for _, e := range list {
		if !e.Disabled.IsZero() {
			c.Disabled++
		}
		c.Due += e.Due
		c.Dead += e.Dead
	}
	return c, err
}

// count counts what waits for each of some endpoints.
func (o *Outbox) count(ctx context.Context, list []Endpoint) error {
	for _, lane := range o.lanes() {
		err := lane.Read(ctx, func(r record.Reader) error {
			for i := range list {
				e := &list[i]
				if err := countUp(ctx, r, outbox.Deliveries, e.ID, &e.Due); err != nil {
					return err
				}
				if err := countUp(ctx, r, outbox.DeadLetters, e.ID, &e.Dead); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// countUp adds what a table has for an endpoint to a number, up to MostCounted.
func countUp(ctx context.Context, r record.Reader, table record.Table[outbox.Delivery], endpoint string, n *int64) error {
	if *n >= MostCounted {
		return nil
	}
	return r.Scan(ctx, string(table), outbox.To(endpoint), func(string, []byte) (bool, error) {
		*n++
		return *n < MostCounted, nil
	})
}
