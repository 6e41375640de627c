package durable

import (
	"context"
	"fmt"
	"sync"
	"time"

	"recoup/store/outbox"
	"recoup/store/record"
)

// audience is who is to be told of what happens, as it was read last: units of work write
// notices for them, and must not each ask the database for that.
type audience struct {
	records record.Store
	fresh   time.Duration // how old what is known may be

	mu   sync.Mutex
	read time.Time // zero: never
	now  outbox.Audience
}

func newAudience(records record.Store, fresh time.Duration) *audience {
	return &audience{records: records, fresh: fresh}
}

// known returns it, read again if it is time.
func (a *audience) known(ctx context.Context) (outbox.Audience, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.read.IsZero() && time.Since(a.read) < a.fresh {
		return a.now, nil
	}
	began := time.Now()
	var now outbox.Audience
	err := a.records.Read(ctx, func(r record.Reader) (err error) {
		now, err = outbox.Hearing(ctx, r)
		return err
	})
	if err != nil {
		return outbox.Audience{}, fmt.Errorf("reading who is to be told of what happens: %w", err)
	}
	a.now, a.read = now, began
	return now, nil
}
