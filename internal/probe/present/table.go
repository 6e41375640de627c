// Package present shows what a probe has found out: as tables for terminals and
// as a page. As JSON, the result is shown as it is.
package present

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"recoup/internal/flaw"
	"recoup/internal/kit/tabular"
	"recoup/internal/probe"
	"recoup/program"
)

// WriteTable writes a result for people: the verdict first.
func WriteTable(w io.Writer, r *probe.Result) error {
	t := &tables{w: &visibleWriter{w: w}, r: r}
	t.verdict()
	t.paper()
	t.evidence()
	t.sweep()
	t.gaps()
	t.traces()
	t.losses()
	t.changes()
	t.search()
	t.terms()
	t.calls()
	return t.w.err
}

// visibleWriter passes on what a terminal may show.
type visibleWriter struct {
	w   io.Writer
	err error
}

func (v *visibleWriter) Write(p []byte) (int, error) {
	if v.err == nil {
		_, v.err = io.WriteString(v.w, tabular.VisibleLines(string(p)))
	}
	return len(p), v.err
}

type tables struct {
	w *visibleWriter
	r *probe.Result
}

func (t *tables) line(format string, args ...any) { fmt.Fprintf(t.w, format+"\n", args...) }

func (t *tables) verdict() {
	t.line("%s", t.r.Verdict())
	if m := t.r.Mapping; m.CWE != "" {
		owasp := ""
		if m.OWASP > 0 {
			owasp = fmt.Sprintf(", class %d of OWASP's Business Logic Abuse Top 10", m.OWASP)
		}
		t.line("%s%s; STRIDE: tampering %s, repudiation %s.", m.CWE, owasp, orNone(m.Tampering), orNone(m.Repudiation))
	}
	for _, what := range t.r.LeftOut {
		t.line("Left out: %s.", what)
	}
	t.line("")
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

func (t *tables) paper() {
	if t.r.PaperRow == nil {
		return
	}
	t.line("The paper's table, and this target:")
	table := tabular.New(t.w, "issuer", "reward timing", "refund adjustment", "neg. balance", "RI", "RRC", "class")
	for i := range t.r.PaperRow {
		p := &t.r.PaperRow[i]
		if i == len(t.r.PaperRow)-1 {
			table.AppendSeparator()
		}
		table.AppendRow(tabular.Row{p.Issuer, p.RewardTiming, p.RefundAdjustment, p.NegativeBalance, p.RewardIntegrity, p.RefundRewardConsistency, p.Class})
	}
	table.Render()
	if b := t.r.Behaviour; b != nil && len(b.Notes) > 0 {
		t.line("Target: %s.", strings.Join(b.Notes, "; "))
	}
	t.line("")
}

func (t *tables) evidence() {
	if t.r.Evidence == nil {
		return
	}
	t.line("How the class became clear:")
	WriteTrace(t.w, t.r.Evidence, t.r.Capabilities.Currency)
	t.line("")
}

// WriteTrace writes a course of moves step by step, with what a correct program
// shows where that is known.
func WriteTrace(w io.Writer, steps []probe.TraceStep, currency string) {
	money := func(minor int64) string { return program.FormatAmount(minor, currency) }
	compared := len(steps) > 0 && steps[0].Correct != nil
	columns := []string{"when", "what was done", ">balance", ">redeemable", ">paid out", ">entitled to"}
	if compared {
		columns = append(columns, ">correct balance", ">correct redeemable", ">correct paid out")
	}
	table := tabular.New(w, columns...)
	for i := range steps {
		s := &steps[i]
		row := tabular.Row{s.At.Format("2006-01-02 15:04"), s.Said(), money(s.Shown.Balance), money(s.Shown.Redeemable), money(s.Shown.PaidOut), money(s.Entitlement)}
		if compared {
			row = append(row, money(s.Correct.Balance), money(s.Correct.Redeemable), money(s.Correct.PaidOut))
		}
		table.AppendRow(row)
	}
	table.Render()
}

func (t *tables) gaps() {
	if len(t.r.Gaps) == 0 {
		return
	}
	t.line("Gaps of the published algorithms (G), attacks on delivery and matching (M), and other flaws:")
	table := tabular.New(t.w, "row", "what", "outcome", "shown by")
	for i := range t.r.Gaps {
		g := &t.r.Gaps[i]
		table.AppendRow(tabular.Row{g.Row, wrapped(g.Title), g.Outcome, wrapped(Shows(g, t.r.Money))})
	}
	table.Render()
	t.line("")
}

// Shows says in a few words what a row's outcome rests on.
func Shows(g *probe.Gap, money func(int64) string) string {
	if g.Outcome != probe.Fail {
		return g.Reason
	}
	text := ""
	if c := Worst(g); c != nil {
		text = fmt.Sprintf("%s: %s %s", c.Scenario, c.Defect, money(c.Amount))
	}
	if g.ExplainedBy != "" {
		text += fmt.Sprintf(" (%s alone explains it)", g.ExplainedBy)
	}
	return text
}

// Worst is the failing case to show of a row: one that nothing else explains, of
// these the largest.
func Worst(g *probe.Gap) *probe.GapCase {
	var worst *probe.GapCase
	for i := range g.Cases {
		c := &g.Cases[i]
		if c.Outcome != probe.Fail {
			continue
		}
		own, other := c.ExplainedBy == "", worst != nil && worst.ExplainedBy == ""
		if worst == nil || own && !other || own == other && c.Amount > worst.Amount {
			worst = c
		}
	}
	return worst
}

// really explains the word in traces.
const really = "After “really” stands what was returned in truth, which the target is not told."

// traces shows one failing course of each row that nothing else explains.
func (t *tables) traces() {
	own := t.r.Own()
	if len(own) > 0 {
		t.line("What fails for a reason of its own, step by step. %s\n", really)
	}
	for i := range own {
		g := &own[i]
		c := Worst(g)
		if c == nil || len(c.Trace) == 0 {
			continue
		}
		t.line("%s, %s: %s", g.Row, c.Scenario, c.Title)
		WriteTrace(t.w, c.Trace, t.r.Capabilities.Currency)
		t.line("")
	}
}

func (t *tables) losses() {
	if len(t.r.Losses) == 0 {
		return
	}
	t.line("What one account can take:")
	table := tabular.New(t.w, "flaw", "how", "what it is", ">one round", ">rounds a cycle", ">a year", "bound")
	for _, l := range t.r.Losses {
		rounds := fmt.Sprint(l.Rounds)
		if l.Once {
			rounds = "once"
		}
		table.AppendRow(tabular.Row{l.Flaw, l.Title, l.Kind(), t.r.Money(l.Round), rounds, t.r.Money(l.Year), Bound(&l)})
	}
	table.Render()
	t.line("")
}

// Bound says what bounds a loss.
func Bound(l *probe.Loss) string {
	if l.Capped {
		return "the cap"
	}
	return "none: larger purchases take more"
}

func (t *tables) changes() {
	if len(t.r.Changes) == 0 {
		return
	}
	t.line("What to change. The tier that ends the largest loss comes first:")
	last := ""
	for i := range t.r.Changes {
		c := &t.r.Changes[i]
		if tier := c.TierName(); tier != last {
			t.line("  %s", tier)
			last = tier
		}
		ends := "Ends " + strings.Join(c.Flaws, ", ")
		if c.Year > 0 {
			ends += fmt.Sprintf(": %s an account and year", t.r.Money(c.Year))
		}
		t.line("    - %s\n      %s.", c.Remedy, ends)
	}
	t.line("")
}

func (t *tables) terms() {
	terms := &t.r.Terms
	if terms.File == "" {
		t.line("The terms could not be told; here is what was seen:")
	}
	title := "The terms, as purchases show them; a file for --program:"
	if terms.Given {
		title = "The terms as given, with the timing that was observed:"
	}
	if terms.File != "" {
		t.line("%s\n\n%s\n", title, indent(terms.File))
	}
	if len(terms.Observed) > 0 {
		table := tabular.New(t.w, "what", "is", "how it was found")
		for _, o := range terms.Observed {
			table.AppendRow(tabular.Row{wrapped(o.What), wrapped(o.Is), wrapped(o.How)})
		}
		table.Render()
	}
	for _, why := range terms.Untold {
		t.line("Not told: %s.", why)
	}
}

// wrapped is a text as a cell of a table that a terminal has room for.
func wrapped(s string) string { return text.WrapSoft(s, 56) }

func indent(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    ")
}

func (t *tables) calls() {
	if t.r.Calls.Requests > 0 {
		t.line("%s", Requests(t.r))
	}
}

// Requests says how many requests a run took, and what became of those that were not
// simply answered.
func Requests(r *probe.Result) string {
	c := &r.Calls
	said := []string{fmt.Sprintf("%d requests", c.Requests)}
	for _, of := range []struct {
		count int
		what  string
	}{
		{c.Failures, "got no answer or a 5xx"}, {c.Throttled, "were throttled"}, {c.Retries, "had been sent before"},
		{c.Refusals, "the program refused"},
	} {
		if of.count > 0 {
			said = append(said, fmt.Sprintf("%d %s", of.count, of.what))
		}
	}
	text := said[0]
	if len(said) > 1 {
		text += ", of which " + strings.Join(said[1:], ", ")
	}
	if again := c.Replays + r.Replays; again > 0 {
		text += fmt.Sprintf("; accounts were played anew %d times", again)
	}
	return text + "."
}

// WriteComparison writes what became of one scenario.
func WriteComparison(w io.Writer, c *probe.Comparison) error {
	v := &visibleWriter{w: w}
	fmt.Fprintf(v, "%s: %s\n", c.Scenario, c.Title)
	WriteTrace(v, c.Trace, c.Currency)
	if c.Clockless {
		fmt.Fprintln(v, "The target has no clock: what it does after some time did not happen.")
	}
	for _, m := range c.Mismatches {
		fmt.Fprintln(v, m)
	}
	if c.Mismatches == nil {
		fmt.Fprintln(v, "The target does all that the scenario expects of a correct program.")
	}
	return v.err
}

// classOf is robust in good, anything else in bad, unknown in neither.
func classOf(c flaw.Class) string {
	switch c {
	case flaw.Robust:
		return "good"
	case "":
		return ""
	}
	return "bad"
}
