package report

import (
	"fmt"
	"strings"

	"recoup/internal/kit/page"
	"recoup/internal/lab/attack"
	"recoup/program"
)

// impactSection is the paper's sensitivity table, and the same with what the
// best attacks take.
func impactSection(i *attack.Impact) page.Section {
	table := page.Sheet{
		Caption: fmt.Sprintf("Millions of %s a year: share of users who abuse the program, times users, times what one takes.", i.Currency),
		Columns: page.Columns("Who loses it", ">One takes a year", ">Share that abuses"),
	}
	for _, users := range i.Populations {
		table.Columns = append(table.Columns, page.Column{Name: grouped(users) + " users", Class: "n"})
	}
	for _, l := range i.Distinct() {
		for n, row := range l.Rows {
			cells := []page.Cell{page.Text(""), page.Number(""), page.Number(attack.Percent(row.Permille))}
			if n == 0 {
				cells[0].Text = strings.Join(i.Losing(l.PerYear), ", ")
				cells[1].Text = program.FormatAmount(l.PerYear, i.Currency)
			}
			for _, minor := range row.Yearly {
				cells = append(cells, page.Number(attack.Millions(minor, i.Currency)))
			}
			table.Rows = append(table.Rows, page.Row{Cells: cells})
		}
	}
	return page.Section{ID: "impact", Title: "What it may come to", Blocks: []page.Block{{
		Paragraphs: []string{"These are bounds and no forecasts: neither the share of users who would abuse a program nor their number is estimated from data, in the paper or here."},
		Table:      &table,
	}}}
}
