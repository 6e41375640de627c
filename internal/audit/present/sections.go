package present

import (
	"fmt"
	"io"
	"slices"

	"github.com/jedib0t/go-pretty/v6/text"

	"recoup/internal/audit"
	"recoup/internal/kit/page"
	"recoup/internal/kit/tabular"
)

// sections are what there is to say below the first sentences: what to do and why, then what
// it rests on.
func (r report) sections() []page.Section {
	return slices.DeleteFunc([]page.Section{
		{ID: "changes", Title: "What to change", Blocks: r.changes()},
		{ID: "findings", Title: "What was found", Blocks: r.found()},
		{ID: "behaviour", Title: "How the program behaves", Blocks: r.behaviour()},
		{ID: "money", Title: "What it cost", Blocks: r.cost()},
		{ID: "arrival", Title: "When refunds come", Blocks: r.arrival()},
		{ID: "simulation", Title: "The same history under Recoup", Blocks: r.simulation()},
		{ID: "accounts", Title: "The accounts to look at", Blocks: r.accounts()},
		{ID: "input", Title: "What was read", Blocks: r.input()},
		{ID: "method", Title: "How to read this", Blocks: r.method()},
	}, func(s page.Section) bool { return s.Blocks == nil })
}

// WriteHTML writes the report as one page that risk, audit and management can hand on. It
// needs nothing from elsewhere and runs no script.
func WriteHTML(w io.Writer, of *audit.Report) error {
	r := report{of, true}
	p := page.Page{Heading: "Audit of the reward program " + tabular.Visible(r.Program), Lead: r.verdict(), Tiles: r.tiles(), Sections: r.sections()}
	return p.Write(w)
}

// WriteTable writes the report for a terminal: all but charts and what the page folds away.
// What is written to remembers errors.
func WriteTable(w io.Writer, of *audit.Report) error {
	r := report{of, false}
	for _, sentence := range r.verdict() {
		fmt.Fprintln(w, sentence)
	}
	for _, s := range r.sections() {
		fmt.Fprintf(w, "\n%s\n", s.Title)
		for i := range s.Blocks {
			writeBlock(w, &s.Blocks[i])
		}
	}
	return nil
}

func writeBlock(w io.Writer, b *page.Block) {
	if b.Paragraphs == nil && b.Table == nil {
		return
	}
	if b.Heading != "" {
		fmt.Fprintf(w, "\n%s\n", b.Heading)
	}
	for _, p := range b.Paragraphs {
		fmt.Fprintln(w, p)
	}
	if b.Table != nil {
		writeSheet(w, b.Table)
	}
	fmt.Fprint(w, b.Pre)
	if b.Note != "" {
		fmt.Fprintln(w, b.Note)
	}
}

// widestCell is in columns; what is wider is wrapped.
const widestCell = 44

func writeSheet(w io.Writer, s *page.Sheet) {
	names := make([]string, len(s.Columns))
	for i, c := range s.Columns {
		names[i] = c.Name
		if c.Class == "n" {
			names[i] = ">" + c.Name
		}
	}
	table := tabular.New(w, names...)
	for _, r := range s.Rows {
		row := make(tabular.Row, len(r.Cells))
		for i, c := range r.Cells {
			row[i] = text.WrapSoft(c.Text, widestCell)
		}
		table.AppendRow(row)
	}
	table.Render()
}
