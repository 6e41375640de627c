package truth

import (
	"fmt"
	"io"
	"strconv"

	"recoup/internal/kit/tabular"
	"recoup/program"
)

// WriteTable writes the report for people at a terminal.
func (r *Report) WriteTable(w io.Writer) error {
	out := &tabular.Failing{To: w}
	r.write(out, "", func(t tabular.Table) { t.Render() })
	return out.Err
}

// writeMarkdown writes the report as a part of a document.
func (r *Report) writeMarkdown(w io.Writer) error {
	out := &tabular.Failing{To: w}
	r.write(out, "### ", func(t tabular.Table) { t.RenderMarkdown() })
	return out.Err
}

// write writes the tables: the totals, of each customer the rows against the promise and against
// the linked twin, then the settings.
func (r *Report) write(w io.Writer, heading string, render func(tabular.Table)) {
	show := func(title string, t tabular.Table) {
		fmt.Fprintf(w, "%s%s\n\n", heading, title)
		render(t)
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "%d accounts a row, seed %d; a dishonest customer tries %d histories.\n\n", r.Accounts, r.Seed, r.Tries)
	show("in all, without the control", r.totals(w))
	for _, c := range Customers {
		show(fmt.Sprintf("%s customers, against the promise", c), r.promised(w, c))
		show(fmt.Sprintf("%s customers, against the same design with every link", c), r.linked(w, c))
	}
	show("by setting, where the refunds say what is true", r.bySetting(w))
}

// data says in words whether the refunds' data are true: whether the figures are held
// to the promise, or exposure.
func data(isTrue bool) string {
	if isTrue {
		return "true"
	}
	return "untrue"
}

// count leaves zeros out, so that what there is stands out.
func count(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// money rounds an amount to whole minor units, for people.
func money(a *Amount) string {
	minor, err := strconv.ParseInt(a.sum.FloatString(0), 10, 64)
	if err != nil {
		return a.sum.FloatString(0) // more than there is money
	}
	return program.FormatAmount(minor, currency)
}

// currency is that of all programs here.
const currency = "USD"

func (r *Report) totals(w io.Writer) tabular.Table {
	table := tabular.New(w, "customers", "data", "method", ">accounts", ">promised", ">leakage", ">of the promise", ">accounts above", ">shortfall", ">of the promise", ">accounts below")
	for i := range r.Totals {
		row := &r.Totals[i]
		table.AppendRow(append(tabular.Row{row.Customer, data(row.True), row.Method, row.Accounts}, row.against()...))
	}
	return table
}

// against are the columns of a tally against the promise.
func (t *Tally) against() tabular.Row {
	return tabular.Row{
		money(&t.Promised), money(&t.Leakage), percent(&t.Leakage, &t.Promised), count(t.Above),
		money(&t.Shortfall), percent(&t.Shortfall, &t.Promised), count(t.Below),
	}
}

func (r *Report) promised(w io.Writer, c Customer) tabular.Table {
	table := tabular.New(w, "refunds", "data", "method", ">promised", ">leakage", ">of the promise", ">accounts above", ">shortfall", ">of the promise", ">accounts below")
	for i := range r.Rows {
		if row := &r.Rows[i]; row.Customer == c {
			table.AppendRow(append(tabular.Row{row.Distortion, data(row.True), row.Method}, row.against()...))
		}
	}
	return table
}

func (r *Report) linked(w io.Writer, c Customer) tabular.Table {
	table := tabular.New(w, "refunds", "data", "method", ">kept above linked", ">of the promise", ">kept below linked", ">of the promise", ">walk-away", ">walk-away if linked")
	for i := range r.Rows {
		if row := &r.Rows[i]; row.Customer == c {
			table.AppendRow(tabular.Row{
				row.Distortion, data(row.True), row.Method,
				money(&row.AboveLinked), percent(&row.AboveLinked, &row.Promised),
				money(&row.BelowLinked), percent(&row.BelowLinked, &row.Promised),
				money(&row.WalkAway), money(&row.WalkAwayLinked),
			})
		}
	}
	return table
}

func (r *Report) bySetting(w io.Writer) tabular.Table {
	table := tabular.New(w, "customers", "method", "program", "timing", ">accounts", ">leakage", ">accounts above", ">shortfall", ">below linked")
	for i := range r.Settings {
		row := &r.Settings[i]
		table.AppendRow(tabular.Row{
			row.Customer, row.Method, row.Program, row.Timing, row.Accounts, percent(&row.Leakage, &row.Promised), count(row.Above),
			percent(&row.Shortfall, &row.Promised), percent(&row.BelowLinked, &row.Promised),
		})
	}
	return table
}
