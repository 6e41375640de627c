package probe

import (
	"fmt"
	"strings"
	"time"

	"recoup/internal/flaw"
	"recoup/internal/issuer"
	"recoup/internal/lab/gaps"
	"recoup/internal/scenario"
	"recoup/program"
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
	if err := r.partials(); err != nil {
		return err
	}
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

// partials returns two fifths of the sample purchase and then the rest, within its
// cycle and after it, and says what is wrong with what is left then.
func (r *run) partials() error {
	p := &r.plain
	var ignored, compounds, over *GapCase
	reason := ""
	switch {
	case !r.target.Can.PartialRefunds:
		reason = "needs partial refunds"
	case !r.setting.closes && r.setting.program.Timing != (reward.Timing{}):
		reason = "needs statement closes, at which this target acts"
	}
	if reason == "" {
		for start, across := range r.partialCourses() {
			c, first, second, err := r.partial(start, across)
			r.result.Replays += c.Replays
			if flaky(err) {
				reason = "target flaky"
				continue
			}
			if err != nil {
				return fmt.Errorf("returning in parts: %w", err)
			}
			earned, tolerance := c.Trace[0].Shown.NetReward(), int64(2)
			kept := divide(earned, 6, 10)
			switch {
			case p.class != "" || p.share == flaw.BonusKept:
				// What is left of a full refund explains what is left of parts.
			case first < kept-tolerance:
				c.Defect, c.Amount = gaps.ShortPays, kept-first
				over = c
			case first >= earned-tolerance && second >= earned-tolerance:
				c.Defect, c.Amount = gaps.Leaks, second
				ignored = c
			case second > tolerance && !p.own && !p.next:
				c.Defect, c.Amount = gaps.Leaks, second
				compounds = c
			}
		}
	}
	p.over = over != nil
	for _, found := range []struct {
		code flaw.Code
		c    *GapCase
	}{{flaw.Compounding, compounds}, {flaw.PartsIgnored, ignored}, {flaw.OverClawed, over}} {
		g := Gap{Row: string(found.code), Title: gapTitle(string(found.code)), Outcome: Pass}
		switch {
		case reason == "target flaky":
			g.Outcome, g.Reason = NotTold, reason
		case reason != "":
			g.Outcome, g.Reason = NotApplicable, reason
		}
		if found.c != nil {
			g.Outcome = Fail
			found.c.Outcome = Fail
			g.Cases = []GapCase{*found.c}
			if found.code != flaw.OverClawed {
				p.parts = found.code
			}
		}
		r.result.Gaps = append(r.result.Gaps, g)
	}
	return nil
}

// partialCourses are when partials are played, and whether across a close.
func (r *run) partialCourses() map[time.Time]bool {
	january := time.Date(examinedFrom, time.January, 5, 10, 0, 0, 0, time.UTC)
	courses := map[time.Time]bool{}
	if r.setting.program.Timing.Grant == reward.GrantAtSettlement {
		courses[january] = false
	}
	if r.stage.canWait() {
		courses[january.Add(time.Hour)] = true
		courses[january.AddDate(0, 1, 0)] = true
	}
	return courses
}

// partial plays one course. The first step of the trace is when the reward is
// there; first and second are the net rewards after each part was taken in.
func (r *run) partial(start time.Time, across bool) (c *GapCase, first, second int64, err error) {
	c = &GapCase{Scenario: "returned-in-two-parts", Title: "Two fifths are returned, and then the rest"}
	c.Replays, err = again(func() error {
		years, err := r.stage.fresh(start)
		if err != nil {
			return err
		}
		w := &course{r: r, account: fmt.Sprintf("parts-%s", start.Format("2006-01-02-15")), now: start.AddDate(years, 0, 0)}
		c.Trace = nil
		w.open()
		w.buy()
		if across {
			w.closes(1)
		}
		c.Trace = append(c.Trace, w.look("purchase of "+w.money(r.sample.Amount)))
		wait := 0
		if r.setting.program.Timing.Clawback == reward.ClawbackAtStatement {
			wait = 1
			if r.setting.late {
				wait = 2
			}
		}
		part := divide(r.sample.Amount, 4, 10)
		for i, amount := range []int64{part, r.sample.Amount - part} {
			w.refund(i, amount)
			w.closes(wait)
			c.Trace = append(c.Trace, w.look("refund of "+w.money(amount)))
		}
		return w.err
	})
	if err != nil {
		return c, 0, 0, err
	}
	return c, c.Trace[1].Shown.NetReward(), c.Trace[2].Shown.NetReward(), nil
}

// course is an account in which something is done step by step. The first error
// ends it.
type course struct {
	r       *run
	account string
	now     time.Time
	left    int64 // bought and not returned
	err     error
}

func (w *course) money(minor int64) string {
	return program.FormatAmount(minor, w.r.target.Can.Currency)
}

func (w *course) do(f func(s *stage) error) {
	if w.err == nil {
		w.err = f(w.r.stage)
	}
}

func (w *course) open() {
	w.do(func(s *stage) error { return s.SetClock(w.now) })
	w.do(func(s *stage) error { return s.Open(w.account) })
}

func (w *course) buy() {
	sample := &w.r.sample
	w.left += sample.Amount
	w.do(func(s *stage) error {
		return s.Settle(issuer.Settlement{Account: w.account, Transaction: w.account + "-t", Amount: sample.Amount, Merchant: sample.Merchant, MCC: sample.MCC, Category: sample.Category})
	})
}

func (w *course) refund(i int, amount int64) {
	w.left -= amount
	w.do(func(s *stage) error {
		return s.Refund(issuer.Refund{Account: w.account, Refund: fmt.Sprintf("%s-r%d", w.account, i), Transaction: w.account + "-t", Amount: amount})
	})
}

// closes lets months end.
func (w *course) closes(n int) {
	for range n {
		w.now = scenario.FirstOfMonth(w.now, 1)
		w.do(func(s *stage) error { return s.SetClock(w.now) })
		w.do(func(s *stage) error { return s.CloseStatement(w.account) })
	}
}

func (w *course) look(done string) TraceStep {
	var shown issuer.Balance
	var paid int64
	w.do(func(s *stage) (err error) { shown, err = s.Balance(w.account); return err })
	w.do(func(s *stage) (err error) { paid, err = s.PaidOut(w.account); return err })
	entitled := w.r.result.Terms.Program.Rules[w.r.sampleRule()].Rate.Of(w.left)
	return TraceStep{At: w.now, Done: done, Shown: Shown{Balance: shown.Balance, Redeemable: shown.Redeemable, PaidOut: paid}, Entitlement: entitled}
}
