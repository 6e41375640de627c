package shards_test

import (
	"context"
	"sync"

	"recoup/internal/store"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// dealt is a store whose units of work may have accounts of several lanes, as the
// conformance suite wants: one unit in each lane, one within the other.
type dealt struct {
	*durable.Store
	// several is held alone by who has a unit in several lanes: one that had to begin again
	// would find that others of it are committed.
	several sync.RWMutex
}

// joined is a unit of several lanes.
type joined struct {
	units []store.Unit
	of    []at // by event
}

// at is a place in a unit.
type at struct{ lane, place int }

func (j *joined) Sighting(i int) store.Sighting {
	return j.units[j.of[i].lane].Sighting(j.of[i].place)
}
func (j *joined) Account(i int) *reward.Account { return j.units[j.of[i].lane].Account(j.of[i].place) }
func (j *joined) Record(i int, by string, r reward.Result, postings []reward.Posting) {
	j.units[j.of[i].lane].Record(j.of[i].place, by, r, postings)
}

// broken ends a unit because one within it has failed.
type broken struct{ error }

func (d *dealt) Update(ctx context.Context, events []reward.Event, apply func(store.Unit)) (err error) {
	byLane := make([][]reward.Event, d.Lanes())
	j := &joined{units: make([]store.Unit, d.Lanes())}
	for i := range events {
		lane := d.LaneOf(events[i].Account)
		j.of = append(j.of, at{lane, len(byLane[lane])})
		byLane[lane] = append(byLane[lane], events[i])
	}
	defer func() {
		if p := recover(); p != nil {
			b, is := p.(broken)
			if !is {
				panic(p)
			}
			err = b.error
		}
	}()
	used := 0
	for _, list := range byLane {
		used += min(1, len(list))
	}
	if used > 1 {
		d.several.Lock()
		defer d.several.Unlock()
	} else {
		d.several.RLock()
		defer d.several.RUnlock()
	}
	return d.within(ctx, byLane, 0, j, apply)
}

func (d *dealt) within(ctx context.Context, byLane [][]reward.Event, lane int, j *joined, apply func(store.Unit)) error {
	for lane < len(byLane) && len(byLane[lane]) == 0 {
		lane++
	}
	if lane == len(byLane) {
		if len(j.of) > 0 {
			apply(j)
		}
		return nil
	}
	return d.Store.Update(ctx, byLane[lane], func(u store.Unit) {
		j.units[lane] = u
		if err := d.within(ctx, byLane, lane+1, j, apply); err != nil {
			panic(broken{err})
		}
	})
}
