package measure

import (
	"fmt"
	"io"
	"slices"

	"recoup/internal/kit/tabular"
	"recoup/program"
)

// WriteTable writes the report for people at a terminal.
func (r *Report) WriteTable(w io.Writer) error {
	out := &tabular.Failing{To: w}
	for _, tool := range r.Tools {
		fmt.Fprintf(out, "%s of designs that others wrote\n\n", tool)
		r.write(out, tool, func(t tabular.Table) { t.Render() })
	}
	return out.Err
}

// write writes one tool's counts and table.
func (r *Report) write(w io.Writer, tool Tool, render func(tabular.Table)) {
	fmt.Fprintf(w, "%d accounts, %d purchases, %d refunds and chargebacks.\n\n", r.Accounts, r.Purchases, r.Returns)
	for _, given := range []bool{true, false} {
		c := r.Count(tool, given)
		if c.Designs == 0 {
			continue
		}
		fmt.Fprintf(w, "%s: %d of %d classes right, %d of %d where the writer's class and the money say the same, %d not told; %d designs accused that are said to be sound, %d of which the money says so too, %d flawed ones called robust, %d flawed ones with exit code 0.",
			map[bool]string{true: "Terms given", false: "Terms found out"}[given], c.Right, c.Designs, c.AgreedRight, c.Agreed, c.Untold, c.Accused, c.AccusedAgreed, c.Cleared, c.Silent)
		if tool == Audit {
			fmt.Fprintf(w, " Figures exact, where the terms can be stated: %d of %d.", c.Exact, c.Stated)
		}
		fmt.Fprint(w, "\n\n")
	}
	table := r.auditTable
	if tool == Probe {
		table = r.probeTable
	}
	render(table(w))
	fmt.Fprintln(w)
}

func (r *Report) auditTable(w io.Writer) tabular.Table {
	t := tabular.New(w, append(slices.Clone(truthColumns), "terms stated", "said", ">leakage said", "figures exact", ">exit", "right")...)
	for i := range r.Rows {
		row := &r.Rows[i]
		cells := append(r.truth(row), stated(row.Terms))
		if s := row.by(Audit, true); s != nil {
			exact := "–"
			if s.Figures != nil {
				exact = fmt.Sprintf("%d of %d, %d within rounding", s.Figures.Exact, s.Figures.Named, s.Figures.Near)
			}
			cells = append(cells, said(s), ranged(s, row.Currency), exact, s.Exit, mark(s.Right(row.Class)))
		}
		t.AppendRow(cells)
	}
	return t
}

func (r *Report) probeTable(w io.Writer) tabular.Table {
	t := tabular.New(w, append(slices.Clone(truthColumns), "terms given", ">leak a round", ">exposed", ">exit", "right", "found out", ">leak a round", ">exposed", ">exit", "right")...)
	for i := range r.Rows {
		row := &r.Rows[i]
		cells := r.truth(row)
		for _, given := range []bool{true, false} {
			if s := row.by(Probe, given); s != nil {
				cells = append(cells, said(s), program.FormatAmount(s.Leak, row.Currency), program.FormatAmount(s.Exposed, row.Currency), s.Exit, mark(s.Right(row.Class)))
			} else {
				cells = append(cells, "–", "", "", "", "")
			}
		}
		t.AppendRow(cells)
	}
	return t
}

var truthColumns = []string{"design", "class", ">leaks", ">accounts", ">leaks if named", ">paid ahead"}

// truth are the cells of what is so. A class that the money contradicts is marked.
func (r *Report) truth(row *Row) tabular.Row {
	class := row.Class
	if !row.Agrees() {
		class += " (?)"
	}
	t := &row.Truth
	money := func(amount int64) string { return program.FormatAmount(amount, row.Currency) }
	return tabular.Row{row.Design, class, money(t.Leak), count(t.Accounts), money(t.Named), money(t.Ahead)}
}

func stated(t *Terms) string {
	switch {
	case t == nil:
		return "no"
	case t.Exact():
		return "yes"
	}
	return fmt.Sprintf("nearly (%d of %d)", t.Same, t.Of)
}

// ranged is the leakage that the auditor says, from and to where some of it is a guess.
func ranged(s *Said, currency string) string {
	most := program.FormatAmount(s.Leak, currency)
	if s.InQuestion == 0 {
		return most
	}
	return program.FormatAmount(s.Leak-s.InQuestion, currency) + " to " + most
}

func said(s *Said) string {
	switch {
	case s.Class != "":
		return string(s.Class)
	case s.Exit > 1:
		return "gave up"
	}
	return "not told"
}

func mark(right bool) string {
	if right {
		return "yes"
	}
	return "no"
}

// count leaves zeros out, so that what there is stands out.
func count(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}
