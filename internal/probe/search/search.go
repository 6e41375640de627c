package search

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"recoup/internal/lab/gaps"
	"recoup/internal/probe"
	"recoup/program"
	"recoup/reward"
)

// Target is a program to be searched.
type Target struct {
	// Target is the port to it. Where it cannot be reset, each sequence has an
	// account of its own and begins in a later month than the one before ended.
	probe.Target
	// Program has the terms that the target publishes, with the timing that was
	// told or observed: what it is compared under.
	Program *reward.Program
}

// DefaultCalls is how many calls of the port a search may make.
const DefaultCalls = 20_000

// Options bound a search. The zero Options are those to begin with.
type Options struct {
	// Seed makes the sequences. The same seed makes the same ones.
	Seed uint64
	// Sequences is how many are made and played at most; 0: 200. What shrinking
	// plays is not among them.
	Sequences int
	// Calls of the port are no more than this; 0: DefaultCalls.
	Calls int
	// MaxMoves is how many moves a sequence has at most, waits not counted; 0: 8.
	MaxMoves int
	// Shrinks is how many plays one find may take to shrink; 0: 250.
	Shrinks int
	// Finds ends the search as soon as there are so many that are not known; 0: 10.
	Finds int
	// Known are the flaws that were found before: scenarios of the catalogue that the
	// target fails, or what those show, such as "V1" or "G2". A find that shrinks to
	// the same as such a scenario is listed as known, in short.
	Known []string
	// From is when the first account is opened, at the earliest; zero: January
	// 2026. A target that cannot be reset has to begin where its clock is.
	From time.Time
	// Log is told of finds as they come. Nil: nobody is.
	Log io.Writer
}

func (o Options) withDefaults() Options {
	for _, d := range []struct {
		value  *int
		unless int
	}{{&o.Sequences, 200}, {&o.Calls, DefaultCalls}, {&o.MaxMoves, 8}, {&o.Shrinks, 250}, {&o.Finds, 10}} {
		if *d.value == 0 {
			*d.value = d.unless
		}
	}
	if o.From.IsZero() {
		o.From = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
	}
	return o
}

// maxMoves bounds what a caller may ask for, so that a sequence stays within the
// limits of a scenario file.
const maxMoves = 50

// check refuses options that make no sense or no end.
func (o *Options) check() error {
	for _, b := range []struct {
		what         string
		n, low, most int
	}{
		{"sequences", o.Sequences, 1, 10_000_000},
		{"calls", o.Calls, 1, 1_000_000_000},
		{"moves", o.MaxMoves, 2, maxMoves},
		{"plays to shrink a find", o.Shrinks, 1, 100_000},
		{"finds", o.Finds, 1, 1000},
	} {
		if b.n < b.low || b.n > b.most {
			return fmt.Errorf("search: %s %d: expected %d to %d", b.what, b.n, b.low, b.most)
		}
	}
	return nil
}

// Result is what a search found. Amounts are in minor units.
type Result struct {
	Seed     uint64 `json:"seed"`
	Currency string `json:"currency"`
	// Sequences is how many were made and judged, Plays how often the target was
	// played, shrinking included, and Calls how many calls of the port that took.
	Sequences int `json:"sequences"`
	Plays     int `json:"plays"`
	Calls     int `json:"calls"`
	// Defective is how many of the sequences showed a defect; the finds are what
	// they have in common.
	Defective int `json:"defective"`
	// Replays is how often a play was begun again since nobody could tell what the
	// target had done, GivenUp how many were given up for that, and Unrepeated how
	// many sequences showed a defect once and not again.
	Replays    int `json:"replays"`
	GivenUp    int `json:"given_up"`
	Unrepeated int `json:"unrepeated"`
	// Ended says why the search ended before its sequences were through, empty if it
	// did not.
	Ended string `json:"ended,omitempty"`
	// Finds are those that are not known, in the order in which they were found.
	Finds []Find `json:"finds"`
	// Known are the others.
	Known []Known `json:"known"`
}

// Find is a shortest sequence that shows a defect.
type Find struct {
	Title string `json:"title"`
	// Defect says what is wrong, and Amount how much of it a correct program does
	// not have, in minor units, at the end.
	Defect gaps.DefectKind `json:"defect"`
	Amount int64           `json:"amount"`
	// Signature has the moves of the sequence in words, and the defect. No two finds
	// have the same.
	Signature string `json:"signature"`
	// Like are the scenarios of the catalogue that shrink to the same at one of the
	// lab's designs. Empty: the catalogue has none.
	Like []string `json:"like,omitempty"`
	// Sequences is how many of those that were made come down to this.
	Sequences int `json:"sequences"`
	// Unshrunk says that the plays for shrinking were used up, so that a shorter
	// sequence may show the same.
	Unshrunk bool `json:"not_wholly_shrunk,omitzero"`
	// Trace has what was done, what the target then showed, and what a correct
	// program shows.
	Trace []probe.TraceStep `json:"trace"`
	// Scenario is the sequence as a scenario file, with what a correct program does
	// as its expectations.
	Scenario string `json:"scenario"`
	// Curl is a script for sh that makes the calls of the protocol one by one.
	Curl string `json:"curl"`
}

// Known is a find that is explained by what is known of the target.
type Known struct {
	Signature string          `json:"signature"`
	Like      []string        `json:"like"`
	Defect    gaps.DefectKind `json:"defect"`
	Amount    int64           `json:"amount"` // minor units
	Sequences int             `json:"sequences"`
}

// Run searches a target. A search that ends early, since the calls are used up or
// ctx is done, returns what it has found by then and says why.
func Run(ctx context.Context, t Target, o Options) (*Result, error) {
	o = o.withDefaults()
	if err := errors.Join(t.check(), o.check()); err != nil {
		return nil, err
	}
	h := newHunter(ctx, &t, o)
	if why := h.world.unfit(); why != "" {
		h.result.Ended = "search: " + why
		return h.result, nil
	}
	if err := h.hunt(); err != nil {
		return nil, err
	}
	h.tell()
	return h.result, nil
}

// check refuses what cannot be searched.
func (t *Target) check() error {
	switch {
	case t.Issuer == nil:
		return errors.New("search: expected a target")
	case t.Program == nil:
		return errors.New("search: expected the terms of the target")
	case t.Can.Currency != t.Program.Currency:
		return fmt.Errorf("search: the program is in %s, and the target in %s", t.Program.Currency, t.Can.Currency)
	case !t.Can.CanSetClock && t.Reset == nil:
		return errors.New("search: expected a target with a clock or one that can be reset")
	}
	if _, known := program.MinorUnits(t.Program.Currency); !known {
		return fmt.Errorf("search: currency %q: expected an ISO 4217 code in use, such as USD", t.Program.Currency)
	}
	return nil
}
