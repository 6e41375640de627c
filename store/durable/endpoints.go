package durable

import (
	"context"
	"slices"
	"sync"
	"time"

	"recoup/store/outbox"
	"recoup/store/record"
)

// HomeGrace is how long events are applied while what is at home cannot be read, and with
// what was known of it last. Whether a shard may be written to is asked in the shard, with
// every commit. But an account must not be moved on under terms that are not in force any
// more, so it is less than ProgramNotice; see there.
const HomeGrace = 5 * time.Minute

const (
	homePatience = 5 * time.Second // that a unit of work has, once
	askHomeAgain = time.Second
)

// endpoints are those of webhooks that are not disabled, as they were read last: units
// of work write deliveries for them, and must not each ask the database for that.
type endpoints struct {
	records record.Store
	fresh   time.Duration // how old what is known may be, if it can be read

	mu      sync.Mutex
	read    time.Time // zero: never
	list    []outbox.Endpoint
	failing bool      // they could not be read when they were asked for last
	asked   time.Time // if so, when
	asking  bool
}

func newEndpoints(records record.Store, fresh time.Duration) *endpoints {
	return &endpoints{records: records, fresh: fresh}
}

// known returns the endpoints, read again if it is time. Where they cannot be read, nobody
// waits for that more than once.
func (e *endpoints) known(ctx context.Context) ([]outbox.Endpoint, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	within := func(d time.Duration) bool { return !e.read.IsZero() && time.Since(e.read) < d }
	switch {
	case within(e.fresh):
		return e.list, nil
	case e.failing && within(HomeGrace):
		if !e.asking && time.Since(e.asked) >= askHomeAgain {
			e.asking = true
			go func() {
				began := time.Now()
				list, err := e.ask(context.WithoutCancel(ctx))
				e.mu.Lock()
				defer e.mu.Unlock()
				e.asking = false
				e.take(list, began, err)
			}()
		}
		return e.list, nil
	}
	began := time.Now()
	list, err := e.ask(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if e.take(list, began, err); err != nil && !within(HomeGrace) {
		return nil, err
	}
	return e.list, nil
}

// take takes note of what was read.
func (e *endpoints) take(list []outbox.Endpoint, began time.Time, err error) {
	if e.failing, e.asked = err != nil, time.Now(); err == nil {
		e.list, e.read = list, began
	}
}

// ask reads the endpoints.
func (e *endpoints) ask(ctx context.Context) (list []outbox.Endpoint, err error) {
	ctx, cancel := context.WithTimeout(ctx, homePatience)
	defer cancel()
	err = e.records.Read(ctx, func(r record.Reader) error {
		all, err := outbox.Listed(ctx, r)
		list = slices.DeleteFunc(all, func(one outbox.Endpoint) bool { return one.Disabled != 0 })
		return err
	})
	return list, err
}
