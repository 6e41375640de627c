package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"recoup/reward"
)

// Due lists up to limit accounts that want their cycle closed as of a moment, the
// longest overdue first.
type Due func(ctx context.Context, at reward.Instant, limit int) ([]string, error)

// ClockSource is the source of the events by which a service closes cycles. The
// log of a service has them, so they may be replayed; from senders a service must
// refuse them, or they could use up their identities.
const ClockSource = "recoup:clock"

// ConsoleSource is the source of the events that people decide in the console of a
// service. It is kept from senders for the same reason.
const ConsoleSource = "recoup:console"

// APISource is the source of the events that a service makes of requests such as
// redemptions. Nobody else may use it, so nobody can forge what was decided under an
// idempotency key, or use up its identity.
const APISource = "api"

// ApprovalSource is the source of the events that say what people proposed. It is kept from
// senders for the same reason.
const ApprovalSource = "recoup:approval"

// closing is how long a commit that closes cycles may take to apply them: events
// and redemptions wait for it.
var closing = Budget{Commit: 5 * time.Millisecond}

// CloseDue closes the cycles that were over by a moment, on accounts for which
// there is something to do, and returns how many it closed. It appends
// cycle.closed to their events, dated at the boundary and under an identity that
// follows from it: however many processes do the same, the log gets one, and who
// replays the log needs no clock. Accounts that are set aside, or turn out to have to be,
// are left for another time.
func (en *Engine) CloseDue(ctx context.Context, by reward.Instant, due Due) (closed int, err error) {
	month := reward.CycleAt(by).Start()
	closed, err = en.closeAt(ctx, month, due)
	if err != nil || by == month {
		return closed, err
	}
	// What is left has cycles that begin on another day or in another zone, where every
	// day begins with a quarter of an hour.
	const quarter = reward.Day / (24 * 4)
	more, err := en.closeAt(ctx, by-by%quarter, due)
	return closed + more, err
}

// closeAt closes the cycles that are over by a boundary.
func (en *Engine) closeAt(ctx context.Context, boundary reward.Instant, due Due) (closed int, err error) {
	const batch = 1000
	var events []reward.Event
	var done portion
	passed := make(map[string]bool) // accounts that cannot be closed now
	next := func(limit int) ([]string, error) {
		ids, err := due(ctx, boundary, limit+len(passed))
		return slices.DeleteFunc(ids, func(id string) bool { return passed[id] }), err
	}
	for _, s := range en.aside.list() {
		passed[s.Account] = true
	}
	for {
		ids, err := next(batch)
		if err != nil || len(ids) == 0 {
			return closed, err
		}
		events = events[:0]
		for _, id := range ids {
			events = append(events, reward.Event{
				Source: ClockSource, ID: "close " + boundary.String(), Account: id, Time: boundary, Type: reward.CycleClosed,
			})
		}
		before := closed
		err = en.closeApart(ctx, events, &done, func(p *portion) {
			for i, is := range p.done { // those that are not done are due still
				if is && p.results[i].Outcome == reward.Applied {
					closed++
				}
			}
		})
		if why, of := atFault(err); len(of) > 0 && !passed[of[0]] {
			for _, account := range of {
				passed[account] = true
				en.aside.put(account, why, err)
			}
			continue
		}
		if err != nil {
			return closed, err
		}
		if closed == before {
			// Other processes were faster with all of them, or they would be due for ever.
			left, err := next(1)
			if err != nil || len(left) == 0 {
				return closed, err
			}
			if left[0] == ids[0] {
				return closed, fmt.Errorf("account %s is still due after its cycle was closed", left[0])
			}
		}
	}
}
