// Package play is the model behind the console's playground: two designs of the
// lab side by side, played through one course of purchases, refunds, redemptions
// and days. It knows the moves and what comes of them, and nothing of pages.
//
// A run is stateless. All of it is in a URL's query ([Parse], [Run.Values]), and
// every look at it plays it anew through the lab's designs ([Play]). A run is
// also a scenario as the catalogue has them ([Run.Scenario], [FromScenario]), so
// what the playground shows is what the scenario runner finds.
//
// The first day is 5 January 2026, and the clock moves in whole days: everything
// happens at ten in the morning, UTC. In links and files purchases are called t1, t2 and so on in
// the order of the run, refunds r1, chargebacks c1, redemptions d1. Amounts are
// minor units of [Currency].
package play

import (
	"slices"
	"time"

	"recoup/internal/console/locale"
)

// Limits of a run. A move's amount is at most MaxAmount minor units.
const (
	MaxMoves  = 60
	MaxAmount = 1_000_000_000
	MaxDays   = 3660 // from the first day to the last
)

// Currency is the one that is played in, the example program's.
const Currency = "USD"

// Start is when every run begins.
var Start = time.Date(2026, time.January, 5, 10, 0, 0, 0, time.UTC)

// Run is one course of moves, and the two designs that it is played against.
// Runs share what they are made of: treat one as a value.
type Run struct {
	Left, Right string // names of designs, as Designs has them
	Program     Program
	Moves       []Move
	// At is how many of the moves are shown; all of them at the end.
	At int
}

// New is where the playground opens: issuer A beside Recoup, under the example
// program, with nothing played.
func New() Run { return Run{Left: "A", Right: "Recoup", Program: Everyday()} }

// With adds a move to what is shown. What came after it is dropped: the run takes
// another turn there.
func (r Run) With(m Move) Run {
	r.Moves = append(slices.Clone(r.shown()), m)
	r.At = len(r.Moves)
	return r
}

func (r Run) shown() []Move { return r.Moves[:min(max(r.At, 0), len(r.Moves))] }

// Check says what of a run is out of its limits, naming the move.
func (r Run) Check() error {
	if _, err := choice(r.Left); err != nil {
		return locale.Errorf("left: %s", err)
	}
	if _, err := choice(r.Right); err != nil {
		return locale.Errorf("right: %s", err)
	}
	if err := r.Program.check(); err != nil {
		return err
	}
	terms := r.Program.Terms()
	for side, name := range map[string]string{"left": r.Left, "right": r.Right} {
		if !canSay(name, terms) {
			return locale.Errorf("%s: the design %s cannot say the terms of %s: expected one that knows more than rates and caps", side, name, terms.ID)
		}
	}
	if len(r.Moves) > MaxMoves {
		return locale.Errorf("%d moves: expected at most %d", len(r.Moves), MaxMoves)
	}
	if r.At < 0 || r.At > len(r.Moves) {
		return locale.Errorf("at %d: expected a number of moves from 0 to %d", r.At, len(r.Moves))
	}
	var bought int
	now := Start
	for i, m := range r.Moves {
		if err := m.check(bought); err != nil {
			return locale.Errorf("move %d, %s: %s", i+1, kindWords[m.Kind], err)
		}
		if m.Kind == Buy {
			bought++
		}
		if now = m.after(now); now.Sub(Start) > MaxDays*day {
			return locale.Errorf("move %d, %s: it goes beyond %s: expected at most %d days in all",
				i+1, kindWords[m.Kind], Start.Add(MaxDays*day).Format(time.DateOnly), MaxDays)
		}
	}
	return nil
}
