package gaps

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"recoup/internal/kit/tabular"
	"recoup/program"
)

// WriteTable writes the cases for people, row by row.
func (g *Table) WriteTable(w io.Writer) error {
	t := tabular.New(w, "row", "trace", "literal", ">net spend", ">entitled to", ">literal has", "defect", ">Recoup has", "right")
	for _, row := range g.Rows {
		label := row.ID
		for i := range row.Cases {
			c := &row.Cases[i]
			money := func(minor int64) string { return program.FormatAmount(minor, c.Currency) }
			right := "✓"
			if len(c.Mismatches) > 0 {
				right = "×"
			}
			t.AppendRow(tabular.Row{
				label, c.Title, strings.Trim(strings.TrimPrefix(c.Literal, "Literal "), "()"),
				money(c.NetSpend), money(c.Entitlement), money(c.Ends.NetReward), c.Describe(row.ID, money), money(c.Recoup.NetReward), right,
			})
			label = ""
		}
		t.AppendSeparator()
	}
	t.Render()
	fmt.Fprintln(w, "Amounts are net rewards at the end of the trace or, if all is well then, where the two were furthest apart.")
	fmt.Fprintln(w, "✓: Recoup does all that the scenario says of a correct program, at every step.")
	for _, failure := range g.Failures() {
		fmt.Fprintln(w, failure)
	}
	return nil
}

// Failures lists what Recoup did otherwise than the scenarios say: what the
// table exists to rule out.
func (g *Table) Failures() []string {
	var failures []string
	for _, row := range g.Rows {
		for i := range row.Cases {
			failures = append(failures, row.Cases[i].Mismatches...)
		}
	}
	return failures
}

// Describe says what is wrong at the literal algorithms.
func (c *Case) Describe(row string, money func(int64) string) string {
	var said []string
	if d := c.Defect; d.Kind != "" {
		text := fmt.Sprintf("%s %s", d.Kind, money(d.Amount))
		if d.Kind == PaysOut && c.Ends.Balance < 0 {
			text += ", owed now"
		}
		if !c.AtEnd {
			text += " after " + c.Step
		}
		said = append(said, text)
	}
	if row == "G7" || row == "G9" {
		said = append(said, c.wrongStates()...)
	}
	if len(c.Defect.NoPath) > 0 {
		said = append(said, "no path: "+strings.Join(c.Defect.NoPath, ", "))
	}
	if said == nil {
		return "none"
	}
	return strings.Join(said, "; ")
}

// wrongStates lists the purchases that are in another state than they should be.
// It is told of the rows that are about the state machine; elsewhere states
// differ because of what the money already tells.
func (c *Case) wrongStates() []string {
	var list []string
	for _, id := range slices.Sorted(maps.Keys(c.Ends.States)) {
		if is, should := c.Ends.States[id], c.Recoup.States[id]; is != should {
			list = append(list, fmt.Sprintf("%s %s, not %s", id, is, should))
		}
	}
	return list
}
