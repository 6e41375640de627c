package search

import (
	"slices"

	"recoup/internal/lab/design"
	"recoup/internal/lab/gaps"
	"recoup/internal/scenario"
)

// verdict is what came of one play. Without a kind nothing is wrong.
type verdict struct {
	kind   gaps.DefectKind
	amount int64 // minor units, beyond what Recoup shows
	// until is how many steps it takes: from the last of them on the defect shows,
	// and stays as it is.
	until     int
	scenario  *scenario.Scenario
	got, want *scenario.Transcript
	// unsupported is a move that the target cannot be told of, nil if there is none.
	unsupported *scenario.Move
}

// judge compares what a target made of a scenario with what Recoup did, when all
// that waited is posted. paid is what the target had paid of its own accord, by
// step.
func judge(s *scenario.Scenario, got, want *scenario.Transcript, paid []int64) *verdict {
	v := &verdict{scenario: s, got: got, want: want}
	for i := range got.Lines {
		if got.Lines[i].NoSuchPath {
			v.unsupported = &s.Steps[i].Move
			return v
		}
	}
	last := len(s.Steps) - 1
	rounding := factsUntil(s, last)
	for _, m := range []struct {
		kind gaps.DefectKind
		of   func(k int) int64
	}{
		{gaps.Leaks, func(k int) int64 { return got.Lines[k].Leak() - want.Lines[k].Leak() }},
		{gaps.ShortPays, func(k int) int64 {
			return min(want.Lines[k].NetReward(), want.Lines[k].Entitlement) - got.Lines[k].NetReward()
		}},
		{gaps.PaysOut, func(k int) int64 {
			return unbacked(&got.Lines[k], paid[k]) - unbacked(&want.Lines[k], 0)
		}},
	} {
		if amount := m.of(last); amount > rounding {
			v.kind, v.amount = m.kind, amount
			v.until = last + 1
			for v.until > lastMove(s)+1 && m.of(v.until-2) == amount {
				v.until--
			}
			return v
		}
	}
	return v
}

// paysTheSame reports whether Recoup pays as much as the target did if it is asked
// only for what the target paid. Who denies one redemption may have more to pay at
// the next: that is no defect.
func paysTheSame(v *verdict, paid []int64) (bool, error) {
	asked := *v.scenario
	asked.Steps = nil
	for i := range v.scenario.Steps {
		if v.got.Lines[i].Answer != scenario.Denied {
			asked.Steps = append(asked.Steps, v.scenario.Steps[i])
		}
	}
	want, err := scenario.Play(&asked, design.NewRecoup(asked.Program))
	if err != nil {
		return false, err
	}
	last := len(v.scenario.Steps) - 1
	more := unbacked(v.got.Last(), paid[last]) - unbacked(want.Last(), 0)
	return more <= factsUntil(v.scenario, last), nil
}

// unbacked is what redemptions have taken in cash above what the cardholder is
// entitled to. What is owed for it stays owed if he never comes back. What a
// target pays of its own accord is not taken by anybody's move, and counts only
// where it leaks.
func unbacked(l *scenario.Line, paid int64) int64 {
	return max(0, l.Redeemed-paid-max(0, l.Entitlement))
}

// factsUntil is how many facts there are up to a step. Each may be rounded by a
// minor unit.
func factsUntil(s *scenario.Scenario, step int) (n int64) {
	for i := range s.Steps[:step+1] {
		switch s.Steps[i].Move.Kind {
		case scenario.Settle, scenario.Refund, scenario.Chargeback:
			n++
		}
	}
	return n
}

// lastMove is the index of the last step that is not a close.
func lastMove(s *scenario.Scenario) int {
	for i, step := range slices.Backward(s.Steps) {
		if step.Move.Kind != scenario.CloseStatement {
			return i
		}
	}
	return 0
}
