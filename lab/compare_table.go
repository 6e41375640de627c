package lab

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"recoup/program"
	"recoup/tabular"
)

// WriteTable writes the comparison for people, a design a row.
func (c *Comparison) WriteTable(w io.Writer) error {
	money := func(minor int64) string { return program.FormatAmount(minor, c.Currency) }
	fmt.Fprintf(w, "Events %d, accounts %d, refunds %d (unlinked %d), %s to %s; purchases %s, net spend %s, entitlement %s.\n",
		c.Events, c.Accounts, c.Refunds, c.UnlinkedRefunds, c.From.Format("2006-01-02"), c.To.Format("2006-01-02"), money(c.Purchased), money(c.NetSpend), money(c.Entitlement))
	if len(c.LeftOut) > 0 {
		fmt.Fprintf(w, "Left out for everybody: %s. Customers redeem all they can at each month's end instead.\n", counts(c.LeftOut))
	}
	t := tabular.New(w, "design", ">granted", ">clawed back", ">redeemed", ">net reward", ">entitlement", ">leakage", ">accounts above", ">short paid", ">debt left")
	for i := range c.Designs {
		f := &c.Designs[i]
		t.AppendRow(tabular.Row{
			f.Design, money(f.Granted), money(f.ClawedBack), money(f.Redeemed), money(f.NetReward),
			money(c.Entitlement), money(f.Leakage), f.AccountsAbove, money(f.ShortPaid), money(f.Debt),
		})
	}
	t.Render()
	for _, lack := range c.lacks() {
		fmt.Fprintln(w, lack)
	}
	return nil
}

// lacks says what the designs had no move for, those that lack the same
// together.
func (c *Comparison) lacks() []string {
	var order []string
	names := make(map[string][]string)
	for i := range c.Designs {
		f := &c.Designs[i]
		if len(f.NoPath) == 0 {
			continue
		}
		lack := counts(f.NoPath)
		if names[lack] == nil {
			order = append(order, lack)
		}
		names[lack] = append(names[lack], f.Design)
	}
	for i, lack := range order {
		order[i] = fmt.Sprintf("No path for %s: %s.", lack, strings.Join(names[lack], ", "))
	}
	return order
}

// counts lists how many there are of each type.
func counts(byType map[string]int64) string {
	list := make([]string, 0, len(byType))
	for _, name := range slices.Sorted(maps.Keys(byType)) {
		list = append(list, fmt.Sprintf("%d %s", byType[name], name))
	}
	return strings.Join(list, ", ")
}
