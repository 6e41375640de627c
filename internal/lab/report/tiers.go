package report

import (
	"fmt"

	"recoup/internal/kit/page"
	"recoup/internal/lab/attack"
	"recoup/program"
)

// tierSection shows what the paper's tiers of defence are good for, a combination
// a row and an architecture a column.
func tierSection(r *attack.TierReport) page.Section {
	money := func(minor int64) string { return program.FormatAmount(minor, r.Currency) }
	table := page.Sheet{
		Caption: "Yearly loss to the best attack, and what walking away takes once. Tier 1, prevention: Algorithm 2 claws back in proportion. Tier 2, temporal: Algorithm 4 and the grace hold. Tier 3, recovery: balances below zero, which later rewards repay.",
		Columns: page.Columns("Tiers that are on"),
	}
	rows := make(map[string]int)
	architectures := make(map[string]bool)
	for i := range r.Tiers {
		t := &r.Tiers[i]
		if !architectures[t.Architecture] {
			architectures[t.Architecture] = true
			table.Columns = append(table.Columns, page.Column{Name: t.Architecture, Class: "n"})
		}
		at, ok := rows[t.InWords()]
		if !ok {
			at = len(table.Rows)
			rows[t.InWords()] = at
			table.Rows = append(table.Rows, page.Row{Cells: []page.Cell{page.Text(t.InWords())}})
		}
		c := loss(t.PerYear, money)
		c.Text += " a year"
		if t.WalkAway > 0 {
			c.Text += "; " + money(t.WalkAway) + " once"
		}
		table.Rows[at].Cells = append(table.Rows[at].Cells, c)
	}
	return page.Section{ID: "tiers", Title: "What each tier of defence is good for", Blocks: []page.Block{{
		Paragraphs: []string{fmt.Sprintf("The paper's algorithms, as printed, with its three tiers of defence switched on and off in every combination and a grace hold of %d days, under the same search for attacks.", r.GraceDays)},
		Table:      &table,
	}}}
}
