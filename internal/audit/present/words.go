package present

import (
	"fmt"
	"unicode/utf8"

	"recoup/internal/audit"
	"recoup/internal/kit/page"
	"recoup/internal/kit/tabular"
	"recoup/program"
)

// report is a report with the words for what is in it.
type report struct{ *audit.Report }

// money is an amount in the program's currency.
func (r report) money(minor int64) string { return program.FormatAmount(minor, r.Currency) }

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
