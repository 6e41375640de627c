package main

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"recoup/store/durable"
	"recoup/verify"
	"recoup/webhook"
)

// sealers seal the log of each lane by itself.
type sealers struct {
	db *durable.Database
	of map[durable.Driver]*verify.Sealer
}

// eventsSealed is up to how many events are sealed each time, in all lanes.
const eventsSealed = 1 << 18

// seal follows the log of each lane, of some lanes at the same time. A lane that cannot be
// read keeps none of the others from being sealed.
func (s *sealers) seal(ctx context.Context) error {
	lanes := s.db.Lanes()
	now := make(map[durable.Driver]*verify.Sealer, len(lanes))
	failed := make([]error, len(lanes))
	var some errgroup.Group
	some.SetLimit(4)
	for i, lane := range lanes {
		if now[lane] = s.of[lane]; now[lane] == nil {
			now[lane] = verify.NewSealer(lane)
		}
		one := now[lane]
		some.Go(func() error {
			_, failed[i] = one.Seal(ctx, max(1, eventsSealed/len(lanes)))
			return nil
		})
	}
	_ = some.Wait() // nobody returns an error there
	s.of = now
	return errors.Join(failed...)
}

// dispatch sends webhooks from all lanes until the context ends. When a shard has been
// split there is one lane more, and it begins anew with that.
func (s *service) dispatch(ctx context.Context, o webhook.Options) {
	for ctx.Err() == nil {
		lanes := len(s.db.Lanes())
		sending, stop := context.WithCancel(ctx)
		go func() {
			defer stop()
			tick := time.NewTicker(time.Second)
			defer tick.Stop()
			for len(s.db.Lanes()) == lanes {
				select {
				case <-tick.C:
				case <-sending.Done():
					return
				}
			}
		}()
		webhook.Dispatch(sending, webhook.New(s.db, s.db.Records(), time.Now), o)
		stop()
	}
}
