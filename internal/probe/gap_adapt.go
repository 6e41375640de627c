package probe

import (
	"slices"
	"time"

	"recoup/internal/issuer"
	"recoup/internal/lab/design"
	"recoup/internal/scenario"
	"recoup/reward"
)

// setting is what scenarios of the catalogue are played under at a target: its
// terms, its timing and what it can be told. A file's categories, amounts and
// redemptions are replaced by those that stand in the same relation to the
// target's terms.
type setting struct {
	can     *Capabilities
	program *reward.Program
	// paysOut: the target pays out all that can be redeemed, at every close.
	paysOut bool
	// late: refunds take what they take some closes after the next.
	late bool
	// still: no clock, so nothing may depend on time but by closes that are called.
	still bool
	// closes: statements can be closed.
	closes bool
	// months is how much later than in the file everything happens, since the terms
	// do not hold in every month.
	months int
}

// version is how a scenario is set.
type version struct {
	// across: what follows the purchases is a month later, behind their close; so is
	// a purchase that follows its refund.
	across bool
	// full: the purchases of the main rule fill its cap.
	full bool
}

// adapted is a scenario as a target can be played.
type adapted struct {
	*scenario.Scenario
	// main is the rule that stands for the file's best; its place in the program.
	main int
	// spent is what is bought under it, at most in one month.
	spent int64
}

// notApplicable says why a scenario cannot be played at a target.
type notApplicable string

func (n notApplicable) Error() string { return string(n) }

// recoup is the correct program that the target is compared with.
func (g *setting) recoup(p *reward.Program) issuer.Issuer {
	if g.paysOut {
		return &paying{Issuer: design.NewRecoup(p), paid: map[string]int64{}}
	}
	return design.NewRecoup(p)
}

// adapt sets a scenario. An error is a notApplicable or a defect of ours.
func (g *setting) adapt(file *scenario.Scenario, v version) (*adapted, error) {
	a := &transposer{setting: g, file: file, version: v, to: map[int]int{}, spots: spotOf(g.program, g.can)}
	for _, step := range []func() error{a.checkMoves, a.mapRules, a.scale, a.steps} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return &adapted{a.out, a.main, a.mostSpent() * a.unit}, nil
}

// transposer sets one scenario.
type transposer struct {
	*setting
	version
	file *scenario.Scenario
	out  *scenario.Scenario

	to        map[int]int // the file's rules to the target's
	spots     map[int]Spot
	fileMain  int
	main      int
	needsCap  bool
	gcd, unit int64 // what the gcd of the file's amounts becomes
}

// checkMoves refuses what the target cannot be told of.
func (a *transposer) checkMoves() error {
	if a.file.Program.Earlier != nil {
		return notApplicable("needs terms that change from one month to the next")
	}
	prices := map[string]int64{}
	for i := range a.file.Steps {
		m := &a.file.Steps[i].Move
		if m.Another {
			return notApplicable("needs two refunds under one number")
		}
		switch m.Kind {
		case scenario.Settle:
			prices[m.ID] = m.Amount
		case scenario.Refund:
			if m.Of == "" && !a.can.unlinked() {
				return notApplicable("needs refunds that name no purchase")
			}
			if m.Of != "" && m.Amount < prices[m.Of] && !a.can.PartialRefunds {
				return notApplicable("needs partial refunds")
			}
		case scenario.Chargeback:
			if !a.can.Chargebacks {
				return notApplicable("needs chargebacks")
			}
			if _, settled := prices[m.Of]; m.Amount == 0 && !settled && !a.can.WholeChargebacks {
				return notApplicable("needs chargebacks without an amount")
			}
			if m.Amount > 0 && m.Amount < prices[m.Of] && !a.can.PartialRefunds {
				return notApplicable("needs partial chargebacks")
			}
		case scenario.Redeem, scenario.CloseStatement, scenario.Wait:
		default:
			return notApplicable("the protocol has no such call: " + m.Kind.String())
		}
	}
	if !a.closes {
		for i := range a.file.Steps {
			if a.file.Steps[i].Move.Kind == scenario.CloseStatement {
				return notApplicable("needs statement closes")
			}
		}
		if a.program.Timing.Grant == reward.GrantAtStatement || a.program.Timing.Clawback == reward.ClawbackAtStatement {
			return notApplicable("needs statement closes, at which this target acts")
		}
	}
	return nil
}

func terms(m *scenario.Move) reward.Terms {
	code, _ := reward.ParseMCC(m.MCC)
	return reward.Terms{Merchant: m.Merchant, MCC: code, Category: m.Category}
}

// steps writes the scenario anew.
func (a *transposer) steps() error {
	own, err := scenario.Play(a.file, design.NewRecoup(a.file.Program))
	if err != nil {
		return err
	}
	p := *a.program
	p.Method, p.Refunds = a.file.Program.Method, a.file.Program.Refunds
	if len(returnsOf(a.file)) > 0 { // else there is nothing that maturity would be for
		p.MaturityDays = max(p.MaturityDays, a.file.Program.MaturityDays)
	}
	a.out = &scenario.Scenario{File: a.file.File, Name: a.file.Name, Title: a.file.Title, Shows: a.file.Shows, Program: &p}
	var bought, returned, shift, shifted bool
	closes := 0
	var before time.Time // of the file
	for i := range a.file.Steps {
		step := a.file.Steps[i]
		step.Expect = nil
		settles := step.Move.Kind == scenario.Settle
		shift = shift || a.across && i > 0 && (settles && returned || !settles && bought)
		bought, returned = bought || settles, returned || !settles
		if a.still && i > 0 && reward.CycleAt(reward.At(step.At)) != reward.CycleAt(reward.At(before)) && step.Move.Kind != scenario.CloseStatement {
			return notApplicable("needs a clock")
		}
		before = step.At
		step.At, step.Move.Happened = a.inMonth(step.At), a.inMonth(step.Move.Happened)
		late := step.At.Sub(step.Move.Happened)
		switch {
		case a.still:
			if shift && !shifted {
				closes++
				a.add(scenario.Step{At: stillAt(a.inMonth(a.file.Steps[0].At), closes), Move: scenario.Move{Kind: scenario.CloseStatement}})
				shifted = true
			}
			if step.Move.Kind == scenario.CloseStatement {
				closes++
			}
			step.At = stillAt(a.inMonth(a.file.Steps[0].At), closes)
		case shift:
			step.At = monthsLater(step.At, 1)
		}
		if !step.Move.Happened.IsZero() {
			step.Move.Happened = step.At
			if a.can.Dates && !a.still {
				step.Move.Happened = step.At.Add(-late)
			}
		}
		if step.Move.Kind == scenario.Redeem {
			keep, err := a.redeem(&step, own, i)
			if err != nil {
				return err
			}
			if !keep {
				continue
			}
		} else {
			a.move(&step.Move)
		}
		a.closeUntil(step.At)
		a.add(step)
	}
	a.finish()
	return nil
}

// inMonth moves a file's time to months in which the terms hold.
func (a *transposer) inMonth(at time.Time) time.Time {
	if at.IsZero() {
		return at
	}
	return monthsLater(at, a.months)
}

// monthsLater is the same day so many months later. A day that the month lacks is its
// last, so that nothing passes the close which comes after it.
func monthsLater(at time.Time, months int) time.Time {
	later := at.AddDate(0, months, 0)
	if later.Day() != at.Day() {
		later = later.AddDate(0, 0, -later.Day())
	}
	return later
}

// stillAt is the time that stands for that of a target without a clock, after so
// many closes.
func stillAt(first time.Time, closes int) time.Time {
	if closes == 0 {
		return first
	}
	return scenario.FirstOfMonth(first, closes)
}

// move replaces amounts and categories.
func (a *transposer) move(m *scenario.Move) {
	rule := a.file.Program.RuleFor(terms(m))
	m.Amount = a.amount(m.Amount)
	if m.Really != nil {
		m.Really = slices.Clone(m.Really)
		for i := range m.Really {
			m.Really[i].Amount = a.amount(m.Really[i].Amount)
		}
	}
	named := m.Category != "" || m.MCC != ""
	at, known := a.spots[a.to[rule]]
	if _, mapped := a.to[rule]; !mapped {
		known = false
	}
	switch {
	case m.Kind == scenario.Settle:
		m.Category, m.MCC = at.Category, at.MCC
	case !named:
	case !a.can.RefundCategory:
		m.Category, m.MCC = "", ""
	case known:
		m.Category, m.MCC = at.Category, at.MCC
	}
	if !a.can.MCC {
		m.MCC = ""
	}
	if m.Merchant != "" && known && at.Merchant != "m1" {
		m.Merchant = at.Merchant
	}
}

func (a *transposer) add(step scenario.Step) {
	step.Line = len(a.out.Steps) + 1
	step.Text = scenario.DescribeMove(&step, a.program.Currency)
	a.out.Steps = append(a.out.Steps, step)
}

// closeUntil adds the closes that are due before a time and are no steps.
func (a *transposer) closeUntil(at time.Time) {
	if len(a.out.Steps) == 0 || a.still || !a.closes {
		return
	}
	last := &a.out.Steps[len(a.out.Steps)-1]
	for due := scenario.FirstOfMonth(last.At, 1); due.Before(at); due = scenario.FirstOfMonth(due, 1) {
		a.add(scenario.Step{At: due, Move: scenario.Move{Kind: scenario.CloseStatement}})
	}
}

// finish lets everything happen that waits for a close.
func (a *transposer) finish() {
	if !a.closes {
		return
	}
	closes := 2
	if a.late {
		closes = 4
	}
	for range closes {
		last := &a.out.Steps[len(a.out.Steps)-1]
		a.add(scenario.Step{At: scenario.FirstOfMonth(last.At, 1), Move: scenario.Move{Kind: scenario.CloseStatement}})
	}
}
