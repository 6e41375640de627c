package probe

import (
	"slices"
	"time"

	"recoup/internal/scenario"
)

// redeem replaces the amount of a redemption by what stands in the same relation
// to what Recoup shows under the target's terms, and reports whether there is
// anything to ask for. What the file has denied for a reason that the target's
// terms do not have, such as a grace period, is left out.
func (a *transposer) redeem(step *scenario.Step, own *scenario.Transcript, i int) (keep bool, err error) {
	var was scenario.Line
	if i > 0 {
		was = own.Lines[i-1]
	}
	shown, err := a.shownBefore(step.At)
	if err != nil {
		return false, err
	}
	m := &step.Move
	theirs, ours := &a.file.Program.Rules[a.fileMain], &a.program.Rules[a.main]
	switch asked := m.Amount; {
	case asked == 0:
	case was.Redeemable > 0 && asked == was.Redeemable:
		m.Amount = shown.Redeemable
	case was.Redeemable > 0 && asked == was.Redeemable+1:
		m.Amount = shown.Redeemable + 1
	case asked == was.Balance:
		m.Amount = shown.Balance
	default:
		negative := asked < 0
		m.Amount = divide(ours.Rate.Of(a.unit), max(asked, -asked), max(1, theirs.Rate.Of(a.gcd)))
		if theirs.Rate.Of(a.gcd) == 0 {
			m.Amount = max(asked, -asked)
		}
		if negative {
			m.Amount = -m.Amount
		}
	}
	if a.file.Steps[i].Move.Amount > 0 && m.Amount <= 0 {
		return false, nil
	}
	if own.Lines[i].Answer != scenario.Denied || a.file.Steps[i].Move.Amount <= 0 {
		return true, nil
	}
	trial := *a.out
	trial.Steps = append(slices.Clone(trial.Steps), *step)
	played, err := scenario.Play(&trial, a.recoup(trial.Program))
	if err != nil {
		return false, err
	}
	return played.Last().Answer == scenario.Denied, nil
}

// shownBefore is what Recoup shows just before a time, after all steps so far.
func (a *transposer) shownBefore(at time.Time) (scenario.Line, error) {
	if len(a.out.Steps) == 0 {
		return scenario.Line{}, nil
	}
	until := *a.out
	until.Steps = append(slices.Clone(until.Steps), scenario.Step{At: at, Move: scenario.Move{Kind: scenario.Wait}})
	played, err := scenario.Play(&until, a.recoup(until.Program))
	if err != nil {
		return scenario.Line{}, err
	}
	return *played.Last(), nil
}
