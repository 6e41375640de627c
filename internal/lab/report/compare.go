package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"recoup/internal/kit/page"
	"recoup/internal/lab/compare"
	"recoup/internal/lab/design"
	"recoup/program"
)

// comparisonSection shows what designs made of one stream of events.
func comparisonSection(c *compare.Comparison) page.Section {
	money := func(minor int64) string { return program.FormatAmount(minor, c.Currency) }
	chart := page.BarChart{
		Title: "Leakage and debt left, by design", Format: money,
		Parts: []page.BarPart{{Name: "kept above entitlement", Class: "leaked"}, {Name: "owed, and lost if the customer stays away", Class: "owed"}},
	}
	table := page.Sheet{
		Caption: "Net reward is balance and redeemed together. Leakage sums up what accounts have above what the published terms give on their net spend. Shortfall is what others lack beyond the rounding down of each purchase's reward, and is not set off against it. Per cent are of the entitlement.",
		Columns: page.Columns("Design", ">Granted", ">Clawed back", ">Redeemed", ">Net reward", ">Leakage", ">%", ">Accounts above", ">Shortfall", ">%", ">Accounts short", ">Debt left"),
	}
	for _, f := range c.Designs {
		chart.Rows = append(chart.Rows, page.BarRow{Label: f.Design, Values: []int64{f.Leakage, f.Debt}})
		table.Rows = append(table.Rows, page.Row{SetApart: design.IsRecoup(f.Design), Cells: []page.Cell{
			page.Text(f.Design), page.Number(money(f.Granted)), page.Number(money(f.ClawedBack)), page.Number(money(f.Redeemed)), page.Number(money(f.NetReward)),
			loss(f.Leakage, money), page.Number(c.PerCent(f.Leakage)), page.Number(grouped(f.AccountsAbove)),
			loss(f.Shortfall, money), page.Number(c.PerCent(f.Shortfall)), page.Number(grouped(f.AccountsShort)), page.Number(money(f.Debt)),
		}})
	}
	const day = "2 January 2006"
	blocks := []page.Block{{
		Paragraphs: []string{
			fmt.Sprintf("The same %s events of %s accounts, from %s to %s, went through every design. Customers bought for %s and kept %s of it, which entitles them to %s under the program “%s”. They redeem all that they can at the end of each month. Of %s refunds, %s did not say which purchase they were of.",
				grouped(c.Events), grouped(c.Accounts), c.From.Format(day), c.To.Format(day), money(c.Purchased), money(c.NetSpend), money(c.Entitlement), c.Program, grouped(c.Refunds), grouped(c.UnlinkedRefunds)),
			strings.Join(c.Reckoning(money), " "),
		},
		Figures: []page.Figure{{Chart: chart.SVG(), Caption: "What customers keep above their entitlement after all closes, and what accounts with a negative balance still owe. Debts of customers who go on buying are repaid by their next rewards."}},
		Table:   &table,
	}}
	if lacks := c.Lacks(); len(lacks) > 0 {
		blocks = append(blocks, page.Block{Note: "Not every design takes every event. " + strings.Join(lacks, " ")})
	}
	return page.Section{ID: "comparison", Title: "The same customers at every design", Blocks: blocks}
}

// grouped writes a count with commas.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	var groups []string
	for ; len(s) > 3; s = s[:len(s)-3] {
		groups = append(groups, s[len(s)-3:])
	}
	groups = append(groups, s)
	slices.Reverse(groups)
	return strings.Join(groups, ",")
}
