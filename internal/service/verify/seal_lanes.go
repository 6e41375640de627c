package verify

import (
	"context"
	"errors"

	"golang.org/x/sync/errgroup"

	"recoup/internal/store/durable"
)

// LaneSealers seal the log of each lane of a database by itself.
type LaneSealers struct {
	db Laned
	of map[durable.Driver]*Sealer
}

// NewLaneSealers returns what seals the lanes of a database, as many as there are then.
func NewLaneSealers(db Laned) *LaneSealers { return &LaneSealers{db: db} }

// eventsSealed is up to how many events are sealed each time, in all lanes.
const eventsSealed = 1 << 18

// Seal follows the log of each lane, of some lanes at the same time. A lane that cannot be
// read keeps none of the others from being sealed.
func (s *LaneSealers) Seal(ctx context.Context) error {
	lanes := s.db.Lanes()
	now := make(map[durable.Driver]*Sealer, len(lanes))
	failed := make([]error, len(lanes))
	var some errgroup.Group
	some.SetLimit(4)
	for i, lane := range lanes {
		if now[lane] = s.of[lane]; now[lane] == nil {
			now[lane] = NewSealer(lane)
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
