// Package command decides commands: what somebody wants done or refused at once, such as a
// redemption, an adjustment, or what becomes of a review.
//
// A command becomes one event, whose id follows from what asked for it: an idempotency
// key, a form, a proposal. So the log of events, which recognises a redelivery by its
// identity, recognises a command that is given again, in whichever process and however
// long after; and the answer, which follows from what was logged, is the same again.
package command

import (
	"context"
	"errors"
	"fmt"

	"recoup/internal/store/durable"
	"recoup/reward"
)

// Applier applies one event, and returns its result with the postings that it caused once
// it is kept durably; engine.Group is one.
type Applier interface {
	Decide(ctx context.Context, e reward.Event) (reward.Result, []reward.Posting, error)
}

// Log returns the event that was logged under an identity; durable.Store is one. Where ok
// is false there is none.
type Log interface {
	Logged(ctx context.Context, account, source, id string) (v durable.LoggedView, ok bool, err error)
}

// ErrReused says that another command was given under the same identity.
var ErrReused = errors.New("another command was given under the same id")

// Desk decides commands.
type Desk struct {
	Applier Applier
	Log     Log
}

// Decided is what became of a command. Of one that left no trace, which the log does not
// have, the event and the result are all that there is.
type Decided struct {
	durable.LoggedView
	Replayed bool // it was decided when it was given before
}

// Decide applies the event of a command, or finds what became of it when it was given
// before. undated: its time is when it came, which differs when it comes again. The error
// is ErrReused, or the applier's or the log's.
func (d *Desk) Decide(ctx context.Context, e reward.Event, undated bool) (Decided, error) {
	result, postings, err := d.Applier.Decide(ctx, e)
	if err != nil {
		return Decided{}, err
	}
	now := Decided{LoggedView: durable.LoggedView{Event: e, Result: result, Postings: postings}}
	if result.Outcome != reward.Duplicate && result.Code != reward.IDReused {
		return now, nil
	}
	// Its identity was logged before, or the rules know what it is about by another.
	logged, ok, err := d.Log.Logged(ctx, e.Account, e.Source, e.ID)
	switch {
	case err != nil:
		return Decided{}, err
	case !ok && result.LeavesNoTrace():
		return now, nil
	case !ok:
		return Decided{}, fmt.Errorf("a command was answered with %v and is not in the log", result.Outcome)
	case !Same(logged.Event, e, undated):
		return Decided{}, ErrReused
	}
	return Decided{logged, logged.Result != result}, nil
}

// Same reports whether two events are of the same command; see Decide.
func Same(a, b reward.Event, undated bool) bool {
	if undated {
		a.Time = b.Time
	}
	return a == b
}
