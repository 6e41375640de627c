// Package engine is the only way to change state: it takes a batch of events,
// has the store load what they touch, applies the rules of package reward to
// each, and has the store keep all of it or nothing.
package engine

import (
	"context"
	"errors"

	"recoup/internal/store"
	"recoup/reward"
)

// Engine applies events to a store.
type Engine struct {
	store store.Store
	aside aside
}

// New returns an engine over a store.
func New(s store.Store) *Engine {
	en := &Engine{store: s}
	en.aside.open(s)
	return en
}

// Apply applies well-formed events in order and returns a result for each. An
// error means that none of them was kept, or none of a lane of the store where that has
// several. Events of one account must be in one batch or in batches one after the other;
// accounts are independent.
func (en *Engine) Apply(ctx context.Context, events []reward.Event, results []reward.Result) ([]reward.Result, error) {
	if byLane := en.apart(events); byLane != nil {
		return en.applyApart(ctx, events, byLane, results)
	}
	start, by := len(results), principalOf(ctx)
	err := en.store.Update(ctx, events, func(u store.Unit) {
		results = results[:start]
		var journal []reward.Posting
		for i := range events {
			var r reward.Result
			r, journal, _ = applyOne(u, i, &events[i], origin{by, anyVersion}, journal[:0])
			results = append(results, r)
		}
	})
	if errors.Is(err, store.ErrDealt) && ctx.Err() == nil {
		return en.Apply(ctx, events, results[:start])
	}
	if err != nil {
		return results[:start], err
	}
	return results, nil
}

// applyOne answers a redelivery from the log and anything else by the rules, unless the
// account has moved on since the event was weighed: then nothing is done.
// Bad input is not logged, so that it does not use up its identity.
func applyOne(u store.Unit, i int, e *reward.Event, s origin, journal []reward.Posting) (r reward.Result, _ []reward.Posting, moved bool) {
	switch u.Sighting(i) {
	case store.SameContent:
		return reward.Result{Outcome: reward.Duplicate}, journal, false
	case store.OtherContent:
		return reward.Result{Outcome: reward.Rejected, Code: reward.IDReused}, journal, false
	}
	account := u.Account(i)
	if s.version != anyVersion {
		if at, is := u.(store.Versioned); !is || at.Version(i) != s.version {
			return r, journal, true
		}
	}
	r, journal = account.Apply(e, journal)
	if !r.LeavesNoTrace() {
		u.Record(i, s.by, r, journal)
	} else if keeper, is := u.(store.Refuser); is {
		keeper.Refuse(i, r)
	}
	return r, journal, false
}

// clockSource is the source of the events by which Advance moves accounts on. It
// is empty, which no sender's can be, so nobody can use up their identities.
const clockSource = ""

// Advance moves every account's time on to the given moment, which closes the
// cycles that are over. It does so by events, like everything else.
func (en *Engine) Advance(ctx context.Context, to reward.Instant) error {
	const batch = 1024
	var events []reward.Event
	var results []reward.Result
	flush := func() (err error) {
		results, err = en.Apply(ctx, events, results[:0])
		events = events[:0]
		return err
	}
	err := en.store.EachAccount(ctx, func(id string) error {
		events = append(events, reward.Event{Source: clockSource, ID: "clock " + to.String(), Account: id, Time: to, Type: reward.CycleClosed})
		if len(events) < batch {
			return nil
		}
		return flush()
	})
	if err != nil {
		return err
	}
	return flush()
}
