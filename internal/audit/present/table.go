package present

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"recoup/internal/audit"
	"recoup/internal/kit/page"
	"recoup/internal/kit/tabular"
)

// How much of each kind a terminal shows. The page and the JSON have all.
const (
	examplesOnTerminal = 2
	suspectsOnTerminal = 10
	widestCell         = 44 // columns; what is wider is wrapped
)

// WriteTable writes the report for a terminal, the verdict first.
func WriteTable(w io.Writer, of *audit.Report) error {
	r := report{of}
	t := terminal{w}
	for _, sentence := range r.verdict() {
		t.line(sentence)
	}
	t.heading("How the program behaves")
	t.sheet(r.behaviour())
	if handled(&r.Verdict.SameCycle)+handled(&r.Verdict.LaterCycle) > 0 {
		t.line("Refunds of rewarded purchases, by the cycle they fell in:")
		t.sheet(r.handling())
	}
	t.heading("Figures")
	t.sheet(r.figures())
	t.findings(r)
	t.arrival(r)
	if r.simulated() {
		t.heading("The same history under Recoup")
		t.line(r.saving())
		t.sheet(r.simulation())
	}
	t.suspects(r)
	t.heading("What was read")
	t.line(r.read())
	if len(r.Input.ByWhy) > 0 {
		t.sheet(reasons(r.Input.ByWhy))
	}
	if len(r.Input.LeftByWhy) > 0 {
		t.line(r.leftOut())
		t.sheet(reasons(r.Input.LeftByWhy))
	}
	return nil
}

// terminal writes lines and tables. What is written to remembers errors.
type terminal struct{ io.Writer }

func (t terminal) line(text string)    { fmt.Fprintln(t, text) }
func (t terminal) heading(text string) { fmt.Fprintf(t, "\n%s\n", text) }

// sheet writes a table of a page as one of a terminal.
func (t terminal) sheet(s *page.Sheet) {
	names := make([]string, len(s.Columns))
	for i, c := range s.Columns {
		names[i] = c.Name
		if c.Class == "n" {
			names[i] = ">" + c.Name
		}
		if names[i] == "" {
			names[i] = " "
		}
	}
	table := tabular.New(t, names...)
	for _, r := range s.Rows {
		row := make(tabular.Row, len(r.Cells))
		for i, c := range r.Cells {
			row[i] = text.WrapSoft(c.Text, widestCell)
		}
		table.AppendRow(row)
	}
	table.Render()
}

// findings writes what was found with examples, and names what was not.
func (t terminal) findings(r report) {
	t.heading("Findings")
	shown := r.shown()
	if len(shown) > 0 {
		t.sheet(r.findings(shown, true))
	} else {
		t.line("None.")
	}
	if r.separated() {
		t.line("What sets the refunds apart that took nothing or too little:")
		t.sheet(r.separation())
		t.line(r.sampled())
	}
	t.named("Looked for and not found: ", r.with(audit.NotFound))
	t.named("Not enough refunds to tell: ", r.with(audit.TooFew))
	for _, f := range shown {
		examples := r.examples(f, examplesOnTerminal)
		if len(examples) == 0 {
			continue
		}
		t.heading(fmt.Sprintf("%s: %s", f.Code, f.Title))
		t.line(evidence(f))
		for _, e := range examples {
			t.line("  " + sentence(e.heading))
			for _, row := range e.steps.Rows {
				t.line(fmt.Sprintf("    %s  day %3s  %14s  %s", row.Cells[0].Text, row.Cells[1].Text, row.Cells[3].Text, row.Cells[2].Text))
			}
			t.line("    Expected: " + e.expected)
			t.line("    Found:    " + e.found)
		}
		if more := len(f.Examples) - len(examples); more > 0 {
			t.line(fmt.Sprintf("  %s with --output json or --html.", count(int64(more), "more example")))
		}
		t.line("  To change: " + f.Remedy)
	}
}

// named lists findings in a sentence, if there are any.
func (t terminal) named(prefix string, list []*audit.Finding) {
	if len(list) == 0 {
		return
	}
	words := make([]string, len(list))
	for i, f := range list {
		words[i] = fmt.Sprintf("%s (%s)", f.Code, ofAll(f.Shown, f.Could))
	}
	t.line(prefix + strings.Join(words, ", ") + ".")
}

func (t terminal) arrival(r report) {
	t.heading("When refunds come")
	if r.Arrival.Refunds == 0 {
		t.line(noPurchaseKnown)
		return
	}
	t.line(fmt.Sprintf("Of %s of %s the purchase is known.", count(r.Arrival.Refunds, "refund"), r.money(r.Arrival.Value)))
	t.sheet(r.calibration())
}

func (t terminal) suspects(r report) {
	t.heading("Accounts that buy, redeem, return and keep")
	if len(r.Suspects) == 0 {
		t.line("None.")
		return
	}
	shown := r.Suspects[:min(suspectsOnTerminal, len(r.Suspects))]
	t.sheet(r.suspects(shown))
	if more := r.Accounts.Suspected - int64(len(shown)); more > 0 {
		t.line(fmt.Sprintf("The clearest of %s; more with --output json or --html.", count(r.Accounts.Suspected, "account")))
	}
}
