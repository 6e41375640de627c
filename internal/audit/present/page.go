package present

import (
	"fmt"
	"io"
	"unicode/utf8"

	"recoup/internal/audit"
	"recoup/internal/kit/page"
	"recoup/internal/kit/tabular"
	"recoup/program"
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

// report is a report with the words for what is in it.
type report struct{ *audit.Report }

// money is an amount of rewards, and spend one of purchases and refunds.
func (r report) money(minor int64) string { return r.Money(minor) }
func (r report) spend(minor int64) string { return program.FormatAmount(minor, r.Currency) }

// short is an amount for a tile or an axis, in millions where it is long.
func (r report) short(minor int64) string {
	const room, million = 12, 1_000_000
	text := r.money(minor)
	if utf8.RuneCountInString(text) <= room {
		return text
	}
	return r.money(minor/million) + "M"
}

// weight is how much an amount weighs: red from a thousandth of all that was granted on,
// amber below. Colours go by money, whatever the number of cases.
func (r report) weight(amount int64) string {
	switch {
	case amount <= 0:
		return "good"
	case amount <= (r.Figures.Granted-1)/1000:
		return "part"
	}
	return "bad"
}

// weighed is an amount in the colour of its weight.
func (r report) weighed(amount int64) page.Cell {
	return page.Cell{Text: r.money(amount), Class: "n " + r.weight(amount)}
}

// id is a cell of an identifier.
func id(text string) page.Cell { return page.Cell{Text: tabular.Visible(text), Class: "id"} }

// percent writes a permille as a percentage.
func percent(permille int64) string { return fmt.Sprintf("%d.%d%%", permille/10, permille%10) }
