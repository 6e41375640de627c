package present

import (
	"fmt"
	"strconv"

	"recoup/internal/kit/page"
	"recoup/internal/kit/tabular"
	"recoup/internal/probe"
)

// besides says what the sweep compares with.
const besides = "Every way was played beside an account of the same target that never bought what was returned."

// sweep says which ways of returning purchases pay, and which do not.
func (t *tables) sweep() {
	s := t.r.Sweep
	if s == nil {
		return
	}
	t.line("Ways to return a purchase. %s", besides)
	table := tabular.New(t.w, "by", ">played", ">pay", ">most", "which")
	for i := range s.Axes {
		a := &s.Axes[i]
		table.AppendRow(tabular.Row{a.Axis, a.Played, a.Leaks, t.r.Money(a.Most), wrapped(a.Rule)})
	}
	table.Render()
	if s.Unplayed > 0 {
		t.line("Not played: %d, which the target cannot be told of or answered too uncertainly.", s.Unplayed)
	}
	t.line("")
	for i := range s.Finds {
		f := &s.Finds[i]
		t.line("%s: %s", f.Flaw, Sentence(t.r, f))
		WriteTrace(t.w, f.Trace, t.r.Capabilities.Currency)
		t.line("")
	}
}

// Sentence says of a find what it does, in money, and how sure that is.
func Sentence(r *probe.Result, f *probe.Find) string {
	how := fmt.Sprintf("%s (%s) leaves %s", f.Axis, f.What, r.Money(f.Round))
	if f.Short {
		how = fmt.Sprintf("%s (%s) takes %s too much", f.Axis, f.What, r.Money(f.Round))
	}
	of := fmt.Sprintf("%d histories show it", f.Leaks)
	if f.Leaks == 1 {
		of = "one history shows it"
	}
	text := fmt.Sprintf("%s; %s, and it happened again when it was played a second time", how, of)
	switch {
	case f.Monthly:
		text += fmt.Sprintf("; two rounds leave %s", r.Money(f.Two))
	case !f.Short:
		text += "; a second round leaves no more"
	}
	return text + "."
}

// sweepSection is the page's decision list.
func (h *html) sweepSection() page.Section {
	s := page.Section{ID: "sweep", Title: "Ways to return a purchase"}
	if h.r.Sweep == nil {
		return s
	}
	sheet := &page.Sheet{Caption: besides + " A way pays if more is left than there.", Columns: page.Columns("By", "Played", "Pay", "Most", "Which")}
	for i := range h.r.Sweep.Axes {
		a := &h.r.Sweep.Axes[i]
		class := ""
		if a.Most > 0 {
			class = "bad"
		}
		sheet.Rows = append(sheet.Rows, page.Row{Cells: []page.Cell{
			page.Text(string(a.Axis)), page.Text(strconv.Itoa(a.Played)), page.Text(strconv.Itoa(a.Leaks)),
			{Text: h.r.Money(a.Most), Class: class}, page.Text(a.Rule),
		}})
	}
	s.Blocks = append(s.Blocks, page.Block{Table: sheet})
	for i := range h.r.Sweep.Finds {
		f := &h.r.Sweep.Finds[i]
		s.Blocks = append(s.Blocks, page.Block{
			Heading:    string(f.Flaw),
			Paragraphs: []string{tabular.Visible(Sentence(h.r, f))},
			Multiples:  []page.Multiple{h.chart("this target", f.Trace)},
			Details:    []page.Detail{{Summary: "Step by step", Blocks: []page.Block{{Table: h.trace(f.Trace)}}}},
		})
	}
	return s
}
