package main

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"recoup/internal/service/verify"
	"recoup/internal/service/webhook"
	"recoup/internal/store/durable"
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

// collectEvery is how old a notice may be before it can be fetched.
const collectEvery = 500 * time.Millisecond

// feedOf is the notices of a database for those who fetch them.
func feedOf(db *durable.Database) *webhook.Feed {
	lanes := func() (list []webhook.Lane) {
		for place, lane := range db.Lanes() {
			list = append(list, webhook.Lane{Name: durable.LaneName(lane, place), Store: lane})
		}
		return list
	}
	return webhook.NewFeed(db, lanes, time.Now)
}
