package probe

import (
	"time"

	"recoup/internal/lab/examine"
	"recoup/internal/scenario"
	"recoup/program"
)

// Shown is what an account shows, in minor units.
type Shown struct {
	Balance    int64 `json:"balance"`
	Redeemable int64 `json:"redeemable"`
	PaidOut    int64 `json:"paid_out"`
	// Answer is the answer to a redemption, empty after other moves.
	Answer string `json:"answer,omitempty"`
}

// NetReward is the balance and all that was paid out (paper, section 4.1).
func (s Shown) NetReward() int64 { return s.Balance + s.PaidOut }

// TraceStep is one thing that was done, what the target then showed, and what a
// correct program shows.
type TraceStep struct {
	At    time.Time `json:"at"`
	Done  string    `json:"done"`
	Shown Shown     `json:"shown"`
	// Correct is nil where only the entitlement is known.
	Correct *Shown `json:"correct,omitempty"`
	// Entitlement is what the published terms promise on what was bought and kept.
	Entitlement int64 `json:"entitlement"`
}

// Said is what was done, what the target answered, and what a correct program answers if
// that is something else.
func (s *TraceStep) Said() string {
	said := s.Done
	if s.Shown.Answer != "" {
		said += " → " + s.Shown.Answer
	}
	if s.Correct != nil && s.Correct.Answer != s.Shown.Answer {
		said += " (correct: " + s.Correct.Answer + ")"
	}
	return said
}

// traceOf puts a target's transcript beside that of a correct program. Of the
// closes in a row at which nothing happens at either, it has the last.
func traceOf(got, want *scenario.Transcript) []TraceStep {
	var steps []TraceStep
	idle := false // the step before was time that passed, and so was all since the last change
	for i := range got.Lines {
		line, correct := &got.Lines[i], shownIn(&want.Lines[i])
		done := line.Step.Text
		if done == "" {
			done = scenario.DescribeMove(line.Step, got.Scenario.Program.Currency)
		}
		step := TraceStep{line.Step.At, done, shownIn(line), &correct, line.Entitlement}
		if n := len(steps) - 1; n >= 0 && passes(line) && steps[n].showsTheSame(&step) {
			if idle {
				steps = steps[:n]
			}
			idle = true
		} else {
			idle = false
		}
		steps = append(steps, step)
	}
	return steps
}

// passes reports whether nothing but time happened.
func passes(l *scenario.Line) bool {
	return l.Step.Move.Kind == scenario.CloseStatement || l.Step.Move.Kind == scenario.Wait
}

// showsTheSame compares what two steps leave behind, answers aside.
func (s *TraceStep) showsTheSame(o *TraceStep) bool {
	standing := func(s Shown) Shown { s.Answer = ""; return s }
	return standing(s.Shown) == standing(o.Shown) && standing(*s.Correct) == standing(*o.Correct) && s.Entitlement == o.Entitlement
}

func shownIn(l *scenario.Line) Shown {
	answer := l.Answer.String()
	if l.NoSuchPath {
		answer = "no such path"
	}
	return Shown{l.Balance, l.Redeemable, l.Redeemed, answer}
}

// traceOf is one of the examination's sequences. What is kept of the sample
// purchases entitles to the same share of their reward.
func (r *run) traceOf(sequence string) []TraceStep {
	b := r.result.Behaviour
	if b == nil {
		return nil
	}
	for i := range b.Sequences {
		if b.Sequences[i].Name != sequence {
			continue
		}
		var steps []TraceStep
		for _, o := range b.Sequences[i].Moves {
			steps = append(steps, r.observed(&o))
		}
		return steps
	}
	return nil
}

func (r *run) observed(o *examine.Observation) TraceStep {
	done, answer := o.Move, ""
	if done == "statement" {
		done += " close"
	}
	if o.Amount != 0 {
		done += " of " + program.FormatAmount(o.Amount, r.target.Can.Currency)
	}
	if o.Accepted != nil {
		answer = scenario.Denied.String()
		if *o.Accepted {
			answer = scenario.Accepted.String()
		}
	}
	entitled := divide(max(0, o.NetSpend), r.result.Behaviour.Reward, r.sample.Amount)
	return TraceStep{o.At, done, Shown{o.Balance, o.Redeemable, o.PaidOut, answer}, nil, entitled}
}
