package lab

import (
	"fmt"
	"strings"

	"recoup/program"
)

// impactSection is the paper's sensitivity table, and the same with what the
// best attacks take.
func impactSection(i *Impact) section {
	table := sheet{
		Caption: fmt.Sprintf("Millions of %s a year: share of users who abuse the program, times users, times what one takes.", i.Currency),
		Columns: []column{{Name: "Who loses it"}, {"One takes a year", "n"}, {"Share that abuses", "n"}},
	}
	for _, users := range i.Populations {
		table.Columns = append(table.Columns, column{grouped(users) + " users", "n"})
	}
	for _, l := range i.distinct() {
		for n, row := range l.Rows {
			cells := []cell{{"", ""}, {"", "n"}, {percent(row.Permille), "n"}}
			if n == 0 {
				cells[0].Text = strings.Join(i.losing(l.PerYear), ", ")
				cells[1].Text = program.FormatAmount(l.PerYear, i.Currency)
			}
			for _, minor := range row.Yearly {
				cells = append(cells, cell{millions(minor, i.Currency), "n"})
			}
			table.Rows = append(table.Rows, sheetRow{Cells: cells})
		}
	}
	return section{ID: "impact", Title: "What it may come to", Blocks: []block{{
		Paragraphs: []string{"These are bounds and no forecasts: neither the share of users who would abuse a program nor their number is estimated from data, in the paper or here."},
		Table:      &table,
	}}}
}
