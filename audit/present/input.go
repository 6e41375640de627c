package present

import (
	"fmt"

	"recoup/page"
	"recoup/program"
)

// files are the files that were read.
func (r report) files() page.Sheet {
	s := page.Sheet{Columns: page.Columns("File", "Table", ">Rows", ">Bad rows")}
	for i := range r.Input.Files {
		f := &r.Input.Files[i]
		bad := page.Number(program.FormatCount(f.Bad))
		if f.Bad > 0 {
			bad.Class = "n part"
		}
		s.Rows = append(s.Rows, page.Row{Cells: []page.Cell{{Text: Visible(f.Name), Class: "id"}, page.Text(Visible(f.Table)), page.Number(program.FormatCount(f.Rows)), bad}})
	}
	return s
}

// badRows are the rows left out, by reason, with where the first of each are.
func (r report) badRows() page.Sheet {
	s := page.Sheet{Columns: page.Columns("Reason", ">Rows", "The first of them")}
	for i := range r.Input.ByWhy {
		b := &r.Input.ByWhy[i]
		places := make([]string, len(b.First))
		for n, place := range b.First {
			places[n] = Visible(place)
		}
		s.Rows = append(s.Rows, page.Row{Cells: []page.Cell{page.Text(Visible(b.Reason)), page.Number(program.FormatCount(b.Rows)), page.Text(listed(places))}})
	}
	return s
}

// read says how much was read.
func (r report) read() string {
	in := &r.Input
	text := fmt.Sprintf("%s from %s were read", count(in.Rows, "row"), count(int64(len(in.Files)), "file"))
	if in.Bad == 0 {
		return text + "; all were good."
	}
	of := percent(share(in.Bad, in.Bad+in.Rows))
	if of == percent(0) {
		of = "less than " + percent(1)
	}
	return fmt.Sprintf("%s; %s left out as bad, %s of all.", text, wasWere(in.Bad, "row"), of)
}

func wasWere(n int64, noun string) string {
	if n == 1 {
		return count(n, noun) + " was"
	}
	return count(n, noun) + " were"
}
