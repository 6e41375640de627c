package accuracy

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"recoup/internal/kit/tabular"
)

// WriteTable writes the report for people at a terminal.
func (r *Report) WriteTable(w io.Writer) error {
	out := &tabular.Failing{To: w}
	for i := range r.Tools {
		r.write(out, &r.Tools[i], "", func(t tabular.Table) { t.Render() })
	}
	return out.Err
}

// writeMarkdown writes one tool's figures as a part of a document.
func (r *Report) writeMarkdown(w io.Writer, t *ToolReport) error {
	out := &tabular.Failing{To: w}
	r.write(out, t, "### ", func(t tabular.Table) {
		t.RenderMarkdown()
		fmt.Fprintln(out)
	})
	return out.Err
}

// write writes the tables of a tool.
func (r *Report) write(w io.Writer, t *ToolReport, heading string, render func(tabular.Table)) {
	title := func(text string, args ...any) { fmt.Fprintf(w, "%s%s\n\n", heading, fmt.Sprintf(text, args...)) }
	title("%s: class", t.Tool)
	fmt.Fprintf(w, "%d designs × %d seeds: %d of %d classes right, %d not enough to tell, %d wrong.\n\n",
		r.Designs, r.Seeds, t.Right, t.Trials, t.Untold, t.Trials-t.Right-t.Untold)
	render(t.matrix(w))
	title("%s: flaws", t.Tool)
	render(t.flaws(w))
	title("%s: misses", t.Tool)
	if len(t.Misses) == 0 {
		fmt.Fprint(w, "None.\n\n")
		return
	}
	render(t.misses(w))
}

// matrix has a row for each true class and a column for each that was found.
func (t *ToolReport) matrix(w io.Writer) tabular.Table {
	columns := []string{"true class"}
	for _, c := range classes {
		columns = append(columns, ">"+string(c))
	}
	table := tabular.New(w, append(columns, ">"+string(CannotTell))...)
	for _, m := range t.Matrix {
		row := tabular.Row{m.Truth}
		for _, c := range classes {
			row = append(row, count(m.Found[c]))
		}
		table.AppendRow(append(row, count(m.Untold)))
	}
	return table
}

// count leaves zeros out, so that what there is stands out.
func count(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

func (t *ToolReport) flaws(w io.Writer) tabular.Table {
	table := tabular.New(w, "flaw", "what goes wrong", ">present", ">found", ">occasional", ">not found", ">not enough to tell", ">absent", ">false alarms", ">occasional where absent", ">recall", ">precision")
	for i := range t.Flaws {
		f := &t.Flaws[i]
		table.AppendRow(tabular.Row{
			f.Code, f.Title, f.Present, count(f.Hits), count(f.Occasional), count(f.Missed), count(f.Untold),
			f.Absent, count(f.FalseAlarms), count(f.FalseOccasional), f.recall(), f.precision(),
		})
	}
	return table
}

// misses has one row for what is the same but for the seed.
func (t *ToolReport) misses(w io.Writer) tabular.Table {
	type group struct{ design, what, truth, found string }
	var order []group
	seeds := make(map[group][]string)
	for _, m := range t.Misses {
		g := group{m.Design, m.What, m.Truth, m.Found}
		if !slices.Contains(order, g) {
			order = append(order, g)
		}
		text := fmt.Sprint(m.Seed)
		if m.By != "" {
			text += fmt.Sprintf(" (%s)", m.By)
		}
		seeds[g] = append(seeds[g], text)
	}
	table := tabular.New(w, "design", "what", "truth", "found", "seeds, and what it rests on")
	for _, g := range order {
		table.AppendRow(tabular.Row{g.design, g.what, g.truth, g.found, strings.Join(seeds[g], ", ")})
	}
	return table
}

// writeSettings writes a table of the settings of the seeds, as part of a document.
func writeSettings(w io.Writer, seeds int) error {
	out := &tabular.Failing{To: w}
	table := tabular.New(out, ">seed", "exports", "sandbox")
	for seed := range uint64(seeds) {
		s := NewSetting(seed + 1)
		table.AppendRow(tabular.Row{s.Seed, s.words(Audit), s.words(Probe)})
	}
	table.RenderMarkdown()
	fmt.Fprintln(out)
	return out.Err
}
