package durable

import (
	"context"
	"sync"
	"time"

	"recoup/store/outbox"
	"recoup/store/record"
)

// endpoints are those of webhooks that are not disabled, as they were read last: units
// of work write deliveries for them, and must not each ask the database for that.
type endpoints struct {
	records record.Store
	fresh   time.Duration // how old what is known may be

	mu   sync.Mutex
	read time.Time // zero: never
	list []outbox.Endpoint
}

func newEndpoints(records record.Store, fresh time.Duration) *endpoints {
	return &endpoints{records: records, fresh: fresh}
}

// known returns the endpoints, read again if it is time.
func (e *endpoints) known(ctx context.Context) ([]outbox.Endpoint, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.read.IsZero() && time.Since(e.read) < e.fresh {
		return e.list, nil
	}
	began := time.Now()
	var list []outbox.Endpoint
	err := e.records.Read(ctx, func(r record.Reader) error {
		all, err := outbox.Listed(ctx, r)
		list = nil
		for i := range all {
			if all[i].Disabled == 0 {
				list = append(list, all[i])
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	e.list, e.read = list, began
	return list, nil
}
