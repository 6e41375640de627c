package durable

import (
	"context"
	"fmt"
	"sync"
	"time"

	"recoup/internal/store/outbox"
	"recoup/internal/store/record"
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

// audience is who is to be told of what happens, as it was read last: units of work write
// notices for them, and must not each ask the database for that.
type audience struct {
	records record.Store
	fresh   time.Duration // how old what is known may be, if it can be read

	mu      sync.Mutex
	read    time.Time // zero: never
	now     outbox.Audience
	failing bool      // it could not be read when it was asked for last
	asked   time.Time // if so, when
	asking  bool
}

func newAudience(records record.Store, fresh time.Duration) *audience {
	return &audience{records: records, fresh: fresh}
}

// known returns it, read again if it is time. Where it cannot be read, nobody waits for
// that more than once.
func (a *audience) known(ctx context.Context) (outbox.Audience, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	within := func(d time.Duration) bool { return !a.read.IsZero() && time.Since(a.read) < d }
	switch {
	case within(a.fresh):
		return a.now, nil
	case a.failing && within(HomeGrace):
		if !a.asking && time.Since(a.asked) >= askHomeAgain {
			a.asking = true
			go func() {
				began := time.Now()
				now, err := a.ask(context.WithoutCancel(ctx))
				a.mu.Lock()
				defer a.mu.Unlock()
				a.asking = false
				a.take(now, began, err)
			}()
		}
		return a.now, nil
	}
	began := time.Now()
	now, err := a.ask(ctx)
	if ctx.Err() != nil {
		return outbox.Audience{}, ctx.Err()
	}
	if a.take(now, began, err); err != nil && !within(HomeGrace) {
		return outbox.Audience{}, fmt.Errorf("reading who is to be told of what happens: %w", err)
	}
	return a.now, nil
}

// take takes note of what was read.
func (a *audience) take(now outbox.Audience, began time.Time, err error) {
	if a.failing, a.asked = err != nil, time.Now(); err == nil {
		a.now, a.read = now, began
	}
}

// ask reads it.
func (a *audience) ask(ctx context.Context) (now outbox.Audience, err error) {
	ctx, cancel := context.WithTimeout(ctx, homePatience)
	defer cancel()
	err = a.records.Read(ctx, func(r record.Reader) (err error) {
		now, err = outbox.Hearing(ctx, r)
		return err
	})
	return now, err
}
