package lab

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"recoup/program"
)

// comparisonSection shows what designs made of one stream of events.
func comparisonSection(c *Comparison) section {
	money := func(minor int64) string { return program.FormatAmount(minor, c.Currency) }
	chart := barChart{
		title: "Leakage and debt left, by design", money: money,
		parts: []barPart{{"kept above entitlement", "leaked"}, {"owed, and lost if the customer stays away", "owed"}},
	}
	table := sheet{
		Caption: "Net reward is balance and redeemed together. Leakage sums up what accounts have above what the published terms give on their net spend; what others lack is short-paid, and is not set off against it. Every design rounds the reward of each purchase down, which alone short-pays a little.",
		Columns: []column{{Name: "Design"}, {"Granted", "n"}, {"Clawed back", "n"}, {"Redeemed", "n"}, {"Net reward", "n"}, {"Leakage", "n"}, {"Accounts above", "n"}, {"Short-paid", "n"}, {"Debt left", "n"}},
	}
	for _, f := range c.Designs {
		chart.rows = append(chart.rows, barRow{f.Design, []int64{f.Leakage, f.Debt}})
		table.Rows = append(table.Rows, sheetRow{Ours: isRecoup(f.Design), Cells: []cell{
			{f.Design, ""}, {money(f.Granted), "n"}, {money(f.ClawedBack), "n"}, {money(f.Redeemed), "n"}, {money(f.NetReward), "n"},
			loss(f.Leakage, money), {grouped(f.AccountsAbove), "n"}, {money(f.ShortPaid), "n"}, {money(f.Debt), "n"},
		}})
	}
	const day = "2 January 2006"
	blocks := []block{{
		Paragraphs: []string{
			fmt.Sprintf("The same %s events of %s accounts, from %s to %s, went through every design. Customers bought for %s and kept %s of it, which entitles them to %s under the program “%s”. They redeem all that they can at the end of each month. Of %s refunds, %s did not say which purchase they were of.",
				grouped(c.Events), grouped(c.Accounts), c.From.Format(day), c.To.Format(day), money(c.Purchased), money(c.NetSpend), money(c.Entitlement), c.Program, grouped(c.Refunds), grouped(c.UnlinkedRefunds)),
		},
		Bars:  &figure{chart.svg(), "What customers keep above their entitlement after all closes, and what accounts with a negative balance still owe. Debts of customers who go on buying are repaid by their next rewards."},
		Table: &table,
	}}
	if lacks := c.lacks(); len(lacks) > 0 {
		blocks = append(blocks, block{Note: "Not every design takes every event. " + strings.Join(lacks, " ")})
	}
	return section{ID: "comparison", Title: "The same customers at every design", Blocks: blocks}
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
