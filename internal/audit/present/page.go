package present

import (
	"io"

	"recoup/internal/audit"
	"recoup/internal/kit/page"
	"recoup/internal/kit/tabular"
)

// WriteHTML writes the report as one page that risk, audit and management can hand on. It
// needs nothing from elsewhere and runs no script.
func WriteHTML(w io.Writer, of *audit.Report) error { return pageOf(of).Write(w) }

// WriteTable writes the same page for a terminal.
func WriteTable(w io.Writer, of *audit.Report) error { return pageOf(of).WriteText(w) }

// pageOf is all that there is to say, in order: what was found, what to do about it and why,
// then what that rests on.
func pageOf(of *audit.Report) *page.Page {
	r := report{of}
	return &page.Page{
		Heading: "Audit of the reward program " + tabular.Visible(r.Program),
		Lead:    r.verdict(),
		Tiles:   r.tiles(),
		Sections: []page.Section{
			{ID: "changes", Title: "What to change", Blocks: r.changes()},
			{ID: "findings", Title: "What was found", Blocks: r.found()},
			{ID: "behaviour", Title: "How the program behaves", Blocks: r.behaviour()},
			{ID: "money", Title: "What it cost", Blocks: r.cost()},
			{ID: "arrival", Title: "When refunds come", Blocks: r.arrival()},
			{ID: "simulation", Title: "The same history under Recoup", Blocks: r.simulation()},
			{ID: "accounts", Title: "The accounts to look at", Blocks: r.accounts()},
			{ID: "input", Title: "What was read", Blocks: r.input()},
		},
	}
}
