package engine

import (
	"context"

	"golang.org/x/sync/errgroup"

	"recoup/internal/store"
	"recoup/reward"
)

// apart returns the places of events by the store's lane that their accounts are in,
// nil if all are in one.
func (en *Engine) apart(events []reward.Event) (byLane [][]int) {
	laned, is := en.store.(store.Laned)
	if !is || laned.Lanes() == 1 || len(events) == 0 {
		return nil
	}
	lanes := make([]int, len(events))
	several := false
	for i := range events {
		lanes[i] = laned.LaneOf(events[i].Account)
		several = several || lanes[i] != lanes[0]
	}
	if !several {
		return nil
	}
	byLane = make([][]int, laned.Lanes())
	for i, lane := range lanes {
		byLane[lane] = append(byLane[lane], i)
	}
	return byLane
}

// applyApart is Apply for events of several lanes, one commit each, side by side. After an
// error those of some lanes may be kept.
func (en *Engine) applyApart(ctx context.Context, events []reward.Event, byLane [][]int, results []reward.Result) ([]reward.Result, error) {
	start := len(results)
	results = append(results, make([]reward.Result, len(events))...)
	var lanes errgroup.Group
	for _, places := range byLane {
		if len(places) == 0 {
			continue
		}
		lanes.Go(func() error {
			part := make([]reward.Event, len(places))
			for n, i := range places {
				part[n] = events[i]
			}
			of, err := en.Apply(ctx, part, nil)
			for n, i := range places[:len(of)] {
				results[start+i] = of[n]
			}
			return err
		})
	}
	if err := lanes.Wait(); err != nil {
		return results[:start], err
	}
	return results, nil
}

// closeApart has a portion of events that close cycles applied, one commit for each
// lane, and calls closed with what each has applied.
func (en *Engine) closeApart(ctx context.Context, events []reward.Event, p *portion, closed func(*portion)) error {
	byLane := en.apart(events)
	if byLane == nil {
		if err := en.applyPortion(ctx, events, closing, p); err != nil {
			return err
		}
		closed(p)
		return nil
	}
	var part []reward.Event
	for _, places := range byLane {
		part = part[:0]
		for _, i := range places {
			part = append(part, events[i])
		}
		if len(part) == 0 {
			continue
		}
		if err := en.applyPortion(ctx, part, closing, p); err != nil {
			return err
		}
		closed(p)
	}
	return nil
}
