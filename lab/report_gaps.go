package lab

import (
	"fmt"

	"recoup/program"
)

// gapSection shows one trace of each row at the literal algorithms and Recoup.
func gapSection(g *Gaps) section {
	table := sheet{
		Caption: "Net rewards at the end of the trace or, if all is well then, where the two were furthest apart. G rows are gaps of the printed algorithms; M rows are attacks on delivery and matching, which the paper leaves out.",
		Columns: []column{{Name: "Row"}, {Name: "Trace"}, {"Entitled to", "n"}, {"As printed", "n"}, {Name: "What goes wrong"}, {"Recoup", "n"}},
	}
	traces, failures := 0, len(g.Failures())
	for _, row := range g.Rows {
		traces += len(row.Cases)
		if len(row.Cases) == 0 {
			continue
		}
		c := &row.Cases[0]
		money := func(minor int64) string { return program.FormatAmount(minor, c.Currency) }
		wrong := cell{c.describe(row.Row, money), "bad"}
		if wrong.Text == "none" {
			wrong = cell{"nothing", "good"}
		}
		ours := cell{money(c.Recoup.NetReward), "n good"}
		if len(c.Mismatches) > 0 {
			ours.Class = "n bad"
		}
		table.Rows = append(table.Rows, sheetRow{Cells: []cell{
			{row.Row, ""}, {c.Title, ""}, {money(c.Entitlement), "n"}, {money(c.Ends.NetReward), "n"}, wrong, ours,
		}})
	}
	verdict := "Recoup does in all of them, at every step, what a correct program does."
	if failures > 0 {
		verdict = fmt.Sprintf("Recoup does otherwise than a correct program would in %d places.", failures)
	}
	return section{ID: "gaps", Title: "Where the published algorithms fall short", Blocks: []block{{
		Paragraphs: []string{fmt.Sprintf(
			"The paper's four algorithms close its three cases, but not everything that card networks deliver. Of %d recorded traces this table shows one of each kind. %s", traces, verdict)},
		Table: &table,
	}}}
}
