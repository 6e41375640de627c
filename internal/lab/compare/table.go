package compare

import (
	"fmt"
	"io"
	"maps"
	"math/big"
	"slices"
	"strings"

	"recoup/internal/kit/tabular"
	"recoup/program"
)

// WriteTable writes the comparison for people: by whose reckoning, a design a row,
// and what withheld links cost and reviews bring back.
func (c *Comparison) WriteTable(w io.Writer) error {
	money := func(minor int64) string { return program.FormatAmount(minor, c.Currency) }
	fmt.Fprintf(w, "Events %d, accounts %d, refunds %d (unlinked %d), %s to %s; purchases %s, net spend %s, entitlement %s.\n",
		c.Events, c.Accounts, c.Refunds, c.UnlinkedRefunds, c.From.Format("2006-01-02"), c.To.Format("2006-01-02"), money(c.Purchased), money(c.NetSpend), money(c.Entitlement))
	for _, sentence := range c.Reckoning(money) {
		fmt.Fprintln(w, sentence)
	}
	if len(c.LeftOut) > 0 {
		fmt.Fprintf(w, "Left out for everybody: %s. Customers redeem all they can at each month's end instead.\n", counts(c.LeftOut))
	}
	t := tabular.New(w, "design", ">granted", ">clawed back", ">redeemed", ">net reward", ">leakage", ">%", ">accounts above", ">shortfall", ">%", ">accounts short", ">debt left")
	for i := range c.Designs {
		f := &c.Designs[i]
		t.AppendRow(tabular.Row{
			f.Design, money(f.Granted), money(f.ClawedBack), money(f.Redeemed), money(f.NetReward),
			money(f.Leakage), c.PerCent(f.Leakage), f.AccountsAbove, money(f.Shortfall), c.PerCent(f.Shortfall), f.AccountsShort, money(f.Debt),
		})
	}
	t.Render()
	fmt.Fprintln(w, "Leakage is what accounts have above their entitlement, shortfall what they lack beyond the rounding down of each purchase's reward; % of the entitlement.")
	if len(c.NotSupported) > 0 {
		fmt.Fprintf(w, "Not supported, since the program's terms cannot be said there: %s.\n", strings.Join(c.NotSupported, ", "))
	}
	for _, lack := range c.Lacks() {
		fmt.Fprintln(w, lack)
	}
	if c.Told != nil {
		c.writePrice(w, money)
	}
	return nil
}

// Reckoning says by whose reckoning designs have too much or too little.
func (c *Comparison) Reckoning(money func(int64) string) []string {
	j := &c.Judged
	linked := j.Refunds - j.Unlinked
	var said []string
	switch {
	case j.Refunds == 0:
		return []string{"There are no refunds; what is due is beyond dispute."}
	case j.LinksWithheld:
		said = append(said, fmt.Sprintf("Everybody is judged by links that they were not told: by those of %d of %d refunds.", linked, j.Refunds))
	case linked > 0:
		said = append(said, fmt.Sprintf("Everybody is judged by the links that they were told: by those of %d of %d refunds.", linked, j.Refunds))
	default:
		return append(said, fmt.Sprintf("No refund names its purchase: nobody knows what was returned, and all are judged by what Recoup takes it for, which takes %s off the entitlement.", money(j.ByReckoning)),
			"What Recoup has above or below is then by its own reckoning. 'recoup lab compare --truth' judges by links.")
	}
	switch {
	case j.Unlinked > 0:
		said = append(said, fmt.Sprintf("The other %d, of %s, name none in the truth either. There Recoup's own reckoning stands, told all the links; it takes %s off the entitlement.",
			j.Unlinked, money(j.UnlinkedAmount), money(j.ByReckoning)))
	case j.ByReckoning > 0:
		said = append(said, fmt.Sprintf("What refunds exceed their purchase by is taken for another's by Recoup's own reckoning, which takes %s off the entitlement.", money(j.ByReckoning)))
	}
	return said
}

// writePrice writes what it costs honest customers that links are withheld, and
// what of it comes back when reviews are resolved.
func (c *Comparison) writePrice(w io.Writer, money func(int64) string) {
	fmt.Fprintln(w, "\nWhat pessimism costs honest customers at Recoup, and what comes back when somebody with the receipts resolves reviews:")
	t := tabular.New(w, "Recoup", ">reviews resolved", ">leakage", ">accounts above", ">shortfall", ">%", ">accounts short", ">given back", ">a review")
	add := func(name string, f *Figures, reviews, back, each string) {
		t.AppendRow(tabular.Row{name, reviews, money(f.Leakage), f.AccountsAbove, money(f.Shortfall), c.PerCent(f.Shortfall), f.AccountsShort, back, each})
	}
	add("not told the links", &c.Designs[len(c.Designs)-1], "0", "", "")
	for i := range c.Resolutions {
		r := &c.Resolutions[i]
		if r.Reviews > 0 {
			add(resolutionNames[r.Which], &r.Figures, fmt.Sprint(r.Reviews), money(r.GivenBack), money(r.GivenBack/r.Reviews))
		}
	}
	add("told the links from the start", c.Told, "–", money(c.Designs[len(c.Designs)-1].Shortfall-c.Told.Shortfall), "")
	t.Render()
	for i := range c.Resolutions {
		if r := &c.Resolutions[i]; r.NoReceipt > 0 {
			fmt.Fprintf(w, "%s: %d more cannot be, since the truth has no link under their name.\n", resolutionNames[r.Which], r.NoReceipt)
		}
	}
}

var resolutionNames = map[string]string{doubtful: "doubtful refunds linked", every: "all refunds linked"}

// PerCent is an amount in per cent of the entitlement, with two decimals.
func (c *Comparison) PerCent(amount int64) string {
	if c.Entitlement == 0 {
		return "–"
	}
	return new(big.Rat).Mul(big.NewRat(amount, c.Entitlement), big.NewRat(100, 1)).FloatString(2)
}

// Lacks says what the designs had no move for, those that lack the same
// together.
func (c *Comparison) Lacks() []string {
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
