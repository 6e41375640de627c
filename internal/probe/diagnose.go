package probe

import (
	"slices"
	"strings"
	"time"

	"recoup/internal/flaw"
	"recoup/internal/lab/gaps"
	"recoup/internal/scenario"
	"recoup/reward"
)

// plain is what a target does about plain refunds: what is wrong with these is
// wrong in every scenario that has some, and no scenario can be blamed for it.
type plain struct {
	class flaw.Code // V1 or V2; empty for any other class
	// A full refund in the purchase's own cycle, in a later one, leaves reward.
	own, next bool
	// share is the flaw by which a full refund takes but a part of the reward.
	share flaw.Code
	// parts is the flaw of partial refunds.
	parts flaw.Code
	// over: partial refunds take too much.
	over bool
	// unlinked and chargebacks: these take nothing.
	unlinked, chargebacks bool
	// varies: what a purchase earns depends on the month, so that terms hold in
	// some months only.
	varies bool
}

// explains returns the flaw that alone explains a defect in a scenario, "" if
// none does. It explains no more than the reward of what was truly returned.
func (p *plain) explains(row string, a *adapted, d *gaps.Defect) flaw.Code {
	if p.varies && months(a.Scenario) > 1 {
		return flaw.CurrentRate
	}
	if row == string(flaw.G6) && d.Kind == gaps.PaysOut {
		return flaw.G10 // the row is about what is left, not about the window
	}
	returns := returnsOf(a.Scenario)
	total := int64(0)
	for _, x := range returns {
		total += a.Program.Rules[a.main].Rate.Of(x.amount) + 1
	}
	if d.Kind == gaps.PaysOut && asksFor(a.Scenario) || d.Kind != gaps.ShortPays && d.Amount > total {
		return ""
	}
	for _, x := range returns {
		switch {
		case d.Kind == gaps.ShortPays:
			if p.over && x.part {
				return flaw.OverClawed
			}
		case row == string(flaw.G6) && p.own && !p.next:
			return "" // this is what the row is about
		case p.class != "" && (x.ownCycle && p.own || !x.early && p.next):
			return p.class
		case p.share != "" && (x.ownCycle && p.own || !x.ownCycle && p.next):
			return p.share
		case p.parts != "" && x.part:
			return p.parts
		case p.unlinked && x.unlinked:
			return flaw.UnlinkedIgnored
		case p.chargebacks && x.chargeback && row != string(flaw.G9):
			return flaw.G9
		}
	}
	return ""
}

// months counts the months in which a scenario buys or returns something.
func months(s *scenario.Scenario) int {
	seen := map[reward.Cycle]bool{}
	for i := range s.Steps {
		switch s.Steps[i].Move.Kind {
		case scenario.Settle, scenario.Refund, scenario.Chargeback:
			seen[reward.CycleAt(reward.At(s.Steps[i].At))] = true
		}
	}
	return len(seen)
}

// asksFor reports whether a scenario asks for a redemption.
func asksFor(s *scenario.Scenario) bool {
	for i := range s.Steps {
		if s.Steps[i].Move.Kind == scenario.Redeem {
			return true
		}
	}
	return false
}

// returning is what a reversal brings back of one purchase in truth.
type returning struct {
	amount               int64
	ownCycle, part       bool
	early                bool // in the own cycle, as soon as the examination's refunds there
	unlinked, chargeback bool
}

func returnsOf(s *scenario.Scenario) []returning {
	type bought struct {
		amount int64
		at     time.Time
	}
	purchases := map[string]bought{}
	for i := range s.Steps {
		if step := &s.Steps[i]; step.Move.Kind == scenario.Settle {
			purchases[step.Move.ID] = bought{step.Move.Amount, step.At}
		}
	}
	var list []returning
	for i := range s.Steps {
		step := &s.Steps[i]
		m := &step.Move
		parts := m.Really
		switch {
		case m.Again, m.Kind != scenario.Refund && m.Kind != scenario.Chargeback:
			continue
		case parts == nil && m.Of != "":
			parts = []scenario.Part{{Purchase: m.Of, Amount: m.Amount}}
		}
		for _, part := range parts {
			p := purchases[part.Purchase]
			amount := part.Amount
			if m.Kind == scenario.Chargeback && m.Amount == 0 {
				amount = p.amount
			}
			own := p.at.IsZero() || scenario.FirstOfMonth(step.At, 0).Equal(scenario.FirstOfMonth(p.at, 0))
			list = append(list, returning{
				amount: amount, part: amount < p.amount, unlinked: m.Of == "", chargeback: m.Kind == scenario.Chargeback,
				ownCycle: own, early: own && (p.at.IsZero() || !step.At.After(p.at.AddDate(0, 0, 10))),
			})
		}
	}
	return list
}

// diagnose finds out about plain refunds, partial ones, unlinked ones and
// chargebacks, and makes rows of the flaws that no gap is named after.
func (r *run) diagnose() error {
	if !r.told() || r.plan.Quick {
		return nil
	}
	p := &r.plain
	p.varies = r.result.Terms.Varies
	b := r.result.Behaviour
	if b != nil {
		own, next := r.left("returned-in-its-cycle"), r.left("returned-in-the-next-cycle")
		p.own, p.next = own > 0, next > 0
		switch {
		case b.Class == flaw.V1 || b.Class == flaw.V2:
			p.class = flaw.CodeOf(b.Class)
		case p.next && !p.own && b.RefundAdjustment == "Partial":
			p.share = flaw.CurrentRate
		case p.own || p.next:
			p.share = flaw.BonusKept
		}
		if p.varies && p.share != "" {
			p.share = flaw.CurrentRate
		}
	}
	r.row(flaw.BonusKept, p.share == flaw.BonusKept, "returned-in-its-cycle")
	r.row(flaw.CurrentRate, p.share == flaw.CurrentRate, "returned-in-the-next-cycle")
	r.row(flaw.LateClawback, r.setting.late, "returned-in-the-next-cycle")
	r.partials()
	for _, check := range []struct {
		code  flaw.Code
		text  string
		fails *bool
	}{{flaw.UnlinkedIgnored, plainUnlinked, &p.unlinked}, {flaw.G9, plainChargeback, &p.chargebacks}} {
		s, err := scenario.Parse("plain-"+strings.ToLower(string(check.code))+".txt", []byte(check.text))
		if err != nil {
			return err
		}
		c, err := r.gapCase(string(check.code), s)
		if err != nil {
			return err
		}
		*check.fails = c.Outcome == Fail && c.ExplainedBy == ""
		if check.code != flaw.G9 { // which has a row already
			g := Gap{Row: string(check.code), Title: gapTitle(string(check.code)), Cases: []GapCase{*c}}
			g.conclude()
			r.result.Gaps = append(r.result.Gaps, g)
		}
	}
	return nil
}

const plainUnlinked = `title: A full refund that names no purchase
program:
  currency: USD
  rules:
    - {id: grocery, match: {category: [GROCERY]}, rate: 5%}
    - {id: base, rate: 1%}
2026-01-05 10:00  settle t1 100.00 at m1 GROCERY
2026-01-10 10:00  refund r1 100.00 at m1 GROCERY really t1
`

const plainChargeback = `title: A chargeback of the whole purchase
program:
  currency: USD
  rules:
    - {id: grocery, match: {category: [GROCERY]}, rate: 5%}
2026-01-05 10:00  settle t1 100.00 at m1 GROCERY
2026-01-10 10:00  chargeback c1 100.00 of t1
`

// left is the net reward at the end of a sequence of the examination.
func (r *run) left(sequence string) int64 {
	steps := r.traceOf(sequence)
	if len(steps) == 0 {
		return 0
	}
	return steps[len(steps)-1].Shown.NetReward()
}

// row adds a row about a flaw that the examination shows, or does not.
func (r *run) row(code flaw.Code, fails bool, sequence string) {
	g := Gap{Row: string(code), Title: gapTitle(string(code)), Outcome: Pass}
	switch {
	case r.result.Behaviour == nil:
		g.Outcome, g.Reason = NotApplicable, "needs the examination, and so a clock and statement closes"
	case fails:
		g.Outcome = Fail
		g.Cases = []GapCase{{Scenario: sequence, Title: strings.ReplaceAll(sequence, "-", " "), Outcome: Fail, Defect: gaps.Leaks, Amount: r.left(sequence), Trace: r.traceOf(sequence)}}
	}
	r.result.Gaps = append(r.result.Gaps, g)
}

// partials takes from the sweep what is wrong with returns in parts.
func (r *run) partials() {
	p := &r.plain
	for _, code := range []flaw.Code{flaw.Compounding, flaw.PartsIgnored, flaw.OverClawed} {
		g := Gap{Row: string(code), Title: gapTitle(string(code)), Outcome: Pass}
		finds := r.result.Sweep.Finds
		i := slices.IndexFunc(finds, func(f Find) bool { return f.Flaw == code })
		switch {
		case !r.target.Can.PartialRefunds:
			g.Outcome, g.Reason = NotApplicable, "needs partial refunds"
		case !r.setting.closes && r.setting.program.Timing != (reward.Timing{}):
			g.Outcome, g.Reason = NotApplicable, "needs statement closes, at which this target acts"
		case !slices.ContainsFunc(r.cases, func(c *sweepCase) bool { return c.axis == BySize }):
			g.Outcome, g.Reason = NotTold, "target flaky"
		case i >= 0:
			f := &finds[i]
			c := GapCase{Scenario: "sweep: " + string(f.Axis), Title: f.What, Outcome: Fail, Defect: gaps.Leaks, Amount: f.Round, Trace: f.Trace, Beside: true}
			if g.Outcome = Fail; f.Short {
				c.Defect, p.over = gaps.ShortPays, true
			} else {
				p.parts = code
			}
			g.Cases = []GapCase{c}
		}
		r.result.Gaps = append(r.result.Gaps, g)
	}
}
