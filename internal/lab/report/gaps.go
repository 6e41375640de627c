package report

import (
	"fmt"

	"recoup/internal/kit/page"
	"recoup/internal/lab/gaps"
	"recoup/program"
)

// gapSection shows one trace of each row at the literal algorithms and Recoup.
func gapSection(g *gaps.Table) page.Section {
	table := page.Sheet{
		Caption: "Net rewards at the end of the trace or, if all is well then, where the two were furthest apart. G rows are gaps of the printed algorithms; M rows are attacks on delivery and matching, which the paper leaves out.",
		Columns: page.Columns("Row", "Trace", ">Entitled to", ">As printed", "What goes wrong", ">Recoup"),
	}
	traces, failures := 0, len(g.Failures())
	for _, row := range g.Rows {
		traces += len(row.Cases)
		if len(row.Cases) == 0 {
			continue
		}
		c := &row.Cases[0]
		money := func(minor int64) string { return program.FormatAmount(minor, c.Currency) }
		wrong := page.Cell{Text: c.Describe(row.ID, money), Class: "bad"}
		if wrong.Text == "none" {
			wrong = page.Cell{Text: "nothing", Class: "good"}
		}
		ours := page.Cell{Text: money(c.Recoup.NetReward), Class: "n good"}
		if len(c.Mismatches) > 0 {
			ours.Class = "n bad"
		}
		table.Rows = append(table.Rows, page.Row{Cells: []page.Cell{
			page.Text(row.ID), page.Text(c.Title), page.Number(money(c.Entitlement)), page.Number(money(c.Ends.NetReward)), wrong, ours,
		}})
	}
	verdict := "Recoup does in all of them, at every step, what a correct program does."
	if failures > 0 {
		verdict = fmt.Sprintf("Recoup does otherwise than a correct program would in %d places.", failures)
	}
	return page.Section{ID: "gaps", Title: "Where the published algorithms fall short", Blocks: []page.Block{{
		Paragraphs: []string{fmt.Sprintf(
			"The paper's four algorithms close its three cases, but not everything that card networks deliver. Of %d recorded traces this table shows one of each kind. %s", traces, verdict)},
		Table: &table,
	}}}
}
