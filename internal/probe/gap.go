package probe

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"recoup/internal/flaw"
	"recoup/internal/lab/gaps"
	"recoup/internal/scenario"
	"recoup/reward"
)

// Outcome is what came of looking for a gap.
type Outcome string

// The outcomes.
const (
	Pass          Outcome = "pass"
	Fail          Outcome = "fail"
	NotApplicable Outcome = "not applicable"
	// NotTold: the target's answers were too uncertain to tell.
	NotTold Outcome = "could not be told"
)

// Gap is a row of docs/semantics.md, section 9, at a target: a gap of the published
// algorithms (G) or an attack on delivery and matching (M).
type Gap struct {
	Row     string  `json:"row"`
	Title   string  `json:"title"`
	Outcome Outcome `json:"outcome"`
	// Reason says why a row is not applicable or could not be told.
	Reason string `json:"reason,omitempty"`
	// ExplainedBy is the class or the other flaw that alone explains the failure, so
	// that the row says nothing of its own; empty if none does.
	ExplainedBy flaw.Code `json:"explained_by,omitempty"`
	Cases       []GapCase `json:"cases"`
}

// GapCase is one scenario of the catalogue, set under the target's terms. Amounts
// are in minor units.
type GapCase struct {
	Scenario string  `json:"scenario"`
	Title    string  `json:"title"`
	Outcome  Outcome `json:"outcome"`
	Reason   string  `json:"reason,omitempty"`
	// Defect is what a correct program under the same terms does not do, by kind
	// and amount; After is the step behind which it shows.
	Defect gaps.DefectKind `json:"defect,omitempty"`
	Amount int64           `json:"amount,omitzero"`
	After  string          `json:"after,omitempty"`
	// Trace has all steps of a scenario that failed.
	Trace []TraceStep `json:"trace,omitempty"`
	// Round is what such a course takes if its purchases fill the cap of their rule;
	// Capped whether there is one.
	Round  int64 `json:"round,omitzero"`
	Capped bool  `json:"capped,omitzero"`
	// Beside: the account that never bought what was returned shows that too.
	Beside bool `json:"beside_its_twin,omitzero"`
	// Once: a second course a month later takes nothing more.
	Once bool `json:"once,omitzero"`
	// ExplainedBy is the class or the other flaw that alone explains the failure.
	ExplainedBy flaw.Code `json:"explained_by,omitempty"`
	// Replays is how often the scenario had to be begun again.
	Replays int `json:"replays,omitzero"`
}

// gapTitles are those of the rows that package flaw does not know.
var gapTitles = map[string]string{
	"M1":  "a guess about an unlinked refund does not give way to a fact",
	"M2":  "one refund for two purchases",
	"M3":  "an unlinked refund is taken for the cheaper purchase",
	"M4":  "a decoy that earned nothing takes the refund",
	"M5":  "a refund from elsewhere, or under another category, is dropped",
	"M6":  "an unlinked refund that overtakes its purchase is dropped",
	"M7":  "an undo that overtakes its refund is dropped",
	"M8":  "announced refunds hold for ever, or not at all",
	"M9":  "a refund of a purchase that never comes is dropped",
	"M10": "a clearing that is withdrawn keeps its reward",
	"M11": "an unlinked refund sticks to the wrong purchase",
	"M12": "a guess is lost when its purchase goes back",
	"M13": "a lost dispute after a refund gives too much or too little",
	"M14": "one refund for two clearings",
	"M15": "a refund that says nothing is taken for the cheaper purchase",
	"M16": "refunds that are cheap one by one are not looked at together",
	"M17": "a refund is matched by the terms of its own month, not of the purchase's",
	"M18": "a reward can be redeemed while its refund waits",
	"M19": "a refund under a number that another shop has used is dropped",
	"M20": "a refund that is paid again after it bounced is dropped",
	"M21": "one chargeback for two clearings",
	"M22": "an unlinked refund is not believed what it says",
	"M23": "a late settlement counts in the month of its delivery",
}

func gapTitle(row string) string {
	if f, ok := flaw.Find(flaw.Code(row)); ok {
		return f.Title
	}
	return gapTitles[row]
}

// gaps plays the catalogue's scenarios of all rows.
func (r *run) gaps() ([]Gap, error) {
	var rows []Gap
	catalogue := scenario.Catalogue()
	for _, row := range gaps.Rows() {
		g := Gap{Row: row, Title: gapTitle(row)}
		for _, s := range catalogue {
			if gaps.RowOf(s) != row {
				continue
			}
			c, err := r.gapCase(row, s)
			if err != nil {
				return nil, err
			}
			g.Cases = append(g.Cases, *c)
		}
		if row == string(flaw.G13) {
			r.walkAway(&g)
		}
		g.conclude()
		rows = append(rows, g)
	}
	return rows, nil
}

// conclude sums the cases up: one that fails is enough, as is one that passes if
// none fails.
func (g *Gap) conclude() {
	for _, o := range []Outcome{Fail, Pass, NotTold, NotApplicable} {
		var reasons []string
		for i := range g.Cases {
			if c := &g.Cases[i]; c.Outcome == o {
				g.Outcome = o
				if c.Reason != "" && !slices.Contains(reasons, c.Reason) {
					reasons = append(reasons, c.Reason)
				}
			}
		}
		if g.Outcome != "" {
			g.Reason = strings.Join(reasons, "; ")
			break
		}
	}
	switch g.Outcome {
	case "":
		g.Outcome, g.Reason = NotApplicable, "no scenario shows it"
	case Fail:
		g.explain()
	}
}

// explain says of a row that fails whether all of it is explained.
func (g *Gap) explain() {
	for i := range g.Cases {
		c := &g.Cases[i]
		if c.Outcome != Fail {
			continue
		}
		if c.ExplainedBy == "" {
			g.ExplainedBy = ""
			return
		}
		if g.ExplainedBy == "" {
			g.ExplainedBy = c.ExplainedBy
		}
	}
}

// walkAway adds what the examination saw of customers who never come back.
func (r *run) walkAway(g *Gap) {
	b := r.result.Behaviour
	if b == nil || b.WalkAway <= 0 {
		return
	}
	c := GapCase{
		Scenario: "walked-away", Title: "Redeem at the first chance, return everything within 30 days, and never come back",
		Outcome: Fail, Defect: gaps.PaysOut, Amount: b.WalkAway, After: "a year", Trace: r.traceOf("walked-away"),
	}
	if last := c.Trace[len(c.Trace)-1]; last.Shown.Balance >= 0 && r.plain.class != "" {
		c.ExplainedBy = r.plain.class
	}
	g.Cases = append(g.Cases, c)
}

// gapCase plays one scenario and judges it. Where rewards come at the close, or
// refunds before it are forgotten, it is also played with its refunds after the
// close.
func (r *run) gapCase(row string, s *scenario.Scenario) (*GapCase, error) {
	c := &GapCase{Scenario: s.Name, Title: s.Title}
	versions := []version{{}}
	if r.setting.closes && (r.setting.program.Timing.Grant == reward.GrantAtStatement || r.plain.own) {
		versions = append(versions, version{across: true})
	}
	for _, v := range versions {
		err := r.playGap(c, row, s, v)
		if na := notApplicable(""); errors.As(err, &na) {
			c.Outcome, c.Reason = NotApplicable, string(na)
			return c, nil
		}
		if err != nil {
			return nil, err
		}
		if c.Outcome == NotApplicable || c.Outcome == NotTold || c.Outcome == Fail && c.ExplainedBy == "" {
			break
		}
	}
	return c, nil
}

// playGap plays one version of a scenario and judges it. A case that has failed
// already, in a way that something else explains, is only replaced by a failure
// of its own.
func (r *run) playGap(c *GapCase, row string, s *scenario.Scenario, v version) error {
	a, err := r.setting.adapt(s, v)
	if err != nil {
		return err
	}
	now := GapCase{Scenario: c.Scenario, Title: c.Title}
	at, defect, got, want, err := r.compare(a, row, &now)
	now.Replays += c.Replays
	if err != nil {
		return err
	}
	if now.Outcome == Pass && defect.Kind != "" {
		now.Outcome, now.Defect, now.Amount, now.After = Fail, defect.Kind, defect.Amount, a.Steps[at].Text
		now.Trace = traceOf(got, want)
		now.ExplainedBy = r.plain.explains(row, a, &defect)
		if err := r.corroborate(&now, row, a); err != nil {
			return err
		}
		if now.Outcome == Fail {
			if err := r.round(&now, row, s, v, a); err != nil {
				return err
			}
		}
	}
	if c.Outcome != Fail || now.Outcome == Fail && now.ExplainedBy == "" {
		*c = now
	}
	return nil
}

// round finds out what a course of moves takes if its purchases fill the cap.
func (r *run) round(c *GapCase, row string, s *scenario.Scenario, v version, a *adapted) error {
	c.Capped = r.setting.program.Rules[a.main].Cap != reward.NoCap
	if c.Defect != gaps.Leaks {
		return nil
	}
	c.Round = c.Amount
	if c.ExplainedBy != "" {
		return nil
	}
	if !c.Capped {
		return nil
	}
	v.full = true
	a, err := r.setting.adapt(s, v)
	if err != nil {
		return err
	}
	full := GapCase{}
	_, defect, _, _, err := r.compare(a, row, &full)
	if err == nil && full.Outcome == Pass && defect.Kind == gaps.Leaks {
		c.Round = max(c.Round, defect.Amount)
	}
	return err
}

// corroborate asks the target itself about a scenario that fails beside Recoup: what is
// left, or missing, must be so beside the account that never bought what was returned, too.
// Otherwise the terms are not the target's, and the scenario tells nothing. It is played in
// two rounds as well: what is lost every month must be lost twice.
func (r *run) corroborate(c *GapCase, row string, a *adapted) error {
	c.Once = true
	if c.ExplainedBy != "" || c.Defect == gaps.PaysOut || row == string(flaw.G11) || len(returnsOf(a.Scenario)) == 0 {
		return nil
	}
	if !r.stage.canWait() || r.target.Reset == nil { // no time for it
		return nil
	}
	h := &history{name: "gap", steps: slices.Clone(a.Steps)}
	h.watch(readings[0])
	one := &sweepCase{partial: true, h: h, twin: h.twin()}
	two := &sweepCase{partial: true, h: h.rounds(2)}
	two.twin = two.h.twin()
	replays, err := r.stage.playEach([]*history{one.h, one.twin, two.h, two.twin})
	c.Replays += replays
	if err != nil {
		return err
	}
	r.compareTwin(one)
	r.compareTwin(two)
	if err := cmp.Or(one.h.failed, one.twin.failed); err != nil {
		*c = GapCase{Scenario: c.Scenario, Title: c.Title, Outcome: NotTold, Replays: c.Replays, Reason: fmt.Sprintf("target flaky: %v", err)}
		return nil
	}
	if c.Defect == gaps.Leaks && one.leak <= 0 || c.Defect == gaps.ShortPays && one.leak >= 0 {
		*c = GapCase{Scenario: c.Scenario, Title: c.Title, Outcome: NotTold, Replays: c.Replays,
			Reason: "the terms do not hold here: the account shows what it shows without what was returned"}
		return nil
	}
	c.Beside, c.Once = true, two.leak < one.leak+one.leak/2
	return nil
}

// compare plays a scenario against the target and against Recoup under the same
// terms, and tells them apart. The case passes as long as nobody says otherwise.
func (r *run) compare(a *adapted, row string, c *GapCase) (at int, d gaps.Defect, got, want *scenario.Transcript, err error) {
	replays, err := again(func() error {
		years, err := r.stage.fresh(a.Steps[0].At)
		if err != nil {
			return err
		}
		s := later(a.Scenario, years)
		if want, err = scenario.Play(s, r.setting.recoup(s.Program)); err != nil {
			return err
		}
		got, err = scenario.Play(s, r.stage)
		return err
	})
	c.Replays += replays
	c.Outcome = Pass
	switch {
	case flaky(err):
		c.Outcome, c.Reason = NotTold, fmt.Sprintf("target flaky: begun %d times, and each time nobody could tell what the target had done (%v)", replays+1, err)
		return 0, d, got, want, nil
	case err != nil:
		return 0, d, got, want, fmt.Errorf("scenario %s: %w", a.Name, err)
	}
	for i := range got.Lines {
		if got.Lines[i].NoSuchPath {
			c.Outcome, c.Reason = NotApplicable, "the target has no way to be told: "+got.Lines[i].Step.Text
			return 0, d, got, want, nil
		}
	}
	d, at = gaps.FindDefect(got, want, r.setting.counts(got))
	if d.Kind == gaps.ShortPays && a.Program.Method == reward.Rerate && row != string(flaw.G11) {
		// That a cap's room is not given back is another row.
		s := *want.Scenario
		p := *s.Program
		p.Method = reward.Proportional
		s.Program = &p
		if want, err = scenario.Play(&s, r.setting.recoup(&p)); err != nil {
			return 0, d, got, want, err
		}
		d, at = gaps.FindDefect(got, want, r.setting.counts(got))
	}
	return at, d, got, want, nil
}

// counts says which differences are defects: those of more than a minor unit for
// each purchase and reversal so far, for a program may round otherwise. Where
// something waits for the close, the books are compared after closes only.
func (g *setting) counts(t *scenario.Transcript) func(gaps.DefectKind, int, int64) bool {
	waits := g.program.Timing.Grant == reward.GrantAtStatement || g.program.Timing.Clawback == reward.ClawbackAtStatement
	return func(kind gaps.DefectKind, k int, amount int64) bool {
		facts := int64(0)
		for i := range k + 1 {
			switch t.Lines[i].Step.Move.Kind {
			case scenario.Settle, scenario.Refund, scenario.Chargeback:
				facts++
			}
		}
		if kind == gaps.PaysOut {
			// What is paid out unasked is too much only if it leaks.
			return amount > facts && (!g.paysOut || asksFor(t.Scenario))
		}
		last := k == len(t.Lines)-1
		closed := t.Lines[k].Step.Move.Kind == scenario.CloseStatement
		return amount > facts && (last || !g.late && (!waits || closed))
	}
}

// later is the same scenario some years later.
func later(s *scenario.Scenario, years int) *scenario.Scenario {
	if years == 0 {
		return s
	}
	moved := *s
	moved.Steps = slices.Clone(s.Steps)
	for i := range moved.Steps {
		step := &moved.Steps[i]
		step.At = step.At.AddDate(years, 0, 0)
		if !step.Move.Happened.IsZero() {
			step.Move.Happened = step.Move.Happened.AddDate(years, 0, 0)
		}
	}
	return &moved
}
