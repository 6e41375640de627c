package present

import (
	"fmt"

	"recoup/internal/audit/intake"
	"recoup/internal/kit/page"
	"recoup/internal/kit/tabular"
	"recoup/program"
)

// files are the files that were read.
func (r report) files() page.Sheet {
	s := page.Sheet{Columns: page.Columns("File", "Table", ">Rows", ">Bad rows", ">Left out by the mapping", ">In another currency")}
	for i := range r.Input.Files {
		f := &r.Input.Files[i]
		bad := page.Number(program.FormatCount(f.Bad))
		if f.Bad > 0 {
			bad.Class = "n part"
		}
		s.Rows = append(s.Rows, page.Row{Cells: []page.Cell{{Text: tabular.Visible(f.Name), Class: "id"}, page.Text(tabular.Visible(f.Table)), page.Number(program.FormatCount(f.Rows)), bad,
			page.Number(program.FormatCount(f.Skipped)), page.Number(program.FormatCount(f.OtherCurrency))}})
	}
	return s
}

// reasons are why rows were left out, with where the first of each are.
func reasons(list []intake.BadReason) page.Sheet {
	s := page.Sheet{Columns: page.Columns("Reason", ">Rows", "The first of them")}
	for i := range list {
		b := &list[i]
		places := make([]string, len(b.First))
		for n, place := range b.First {
			places[n] = tabular.Visible(place)
		}
		s.Rows = append(s.Rows, page.Row{Cells: []page.Cell{page.Text(tabular.Visible(b.Reason)), page.Number(program.FormatCount(b.Rows)), page.Text(listed(places))}})
	}
	return s
}

// read says how much was read. A ledger that is given for several tables is read
// for each, and is one file.
func (r report) read() string {
	in := &r.Input
	names := map[string]bool{}
	for i := range in.Files {
		names[in.Files[i].Name] = true
	}
	text := fmt.Sprintf("%s from %s were read", count(in.Rows, "row"), count(int64(len(names)), "file"))
	if in.Bad == 0 {
		return text + "; none was bad."
	}
	of := percent(share(in.Bad, in.Bad+in.Rows))
	if of == percent(0) {
		of = "less than " + percent(1)
	}
	return fmt.Sprintf("%s; %s left out as bad, %s of all.", text, wasWere(in.Bad, "row"), of)
}

// leftOut says how many rows were not wanted.
func (r report) leftOut() string {
	return fmt.Sprintf("%s left out by the mapping, or for another currency than the program's; a file that is given for several tables counts for each.", wasWere(r.Input.Left, "row"))
}

func wasWere(n int64, noun string) string {
	if n == 1 {
		return count(n, noun) + " was"
	}
	return count(n, noun) + " were"
}
