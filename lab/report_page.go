package lab

import (
	"embed"
	"html/template"
	"io"
)

//go:embed report/report.html report/report.css
var reportFiles embed.FS

// reportTemplate escapes whatever it is given; only charts, which escape their
// own text, and the style sheet pass as they are.
var reportTemplate = template.Must(template.ParseFS(reportFiles, "report/report.html"))

// page is a report as its template wants it.
type page struct {
	Heading  string
	Style    template.CSS
	Lead     []string
	Tiles    []tile
	Sections []section
}

// tile is a figure that says it all.
type tile struct{ Figure, Text, Class string }

// section is a part of the page with a heading of its own.
type section struct {
	ID, Title string
	Blocks    []block
}

// block is text, then what shows it. All of it may be left out.
type block struct {
	Heading    string
	Paragraphs []string
	Moves      []labelled
	Key        []keyEntry
	Bars       *figure
	Multiples  []multiple
	Table      *sheet
	Note       string
}

// labelled explains a mark of a chart.
type labelled struct{ Label, Text string }

// keyEntry explains a line of a chart.
type keyEntry struct {
	Swatch template.HTML
	Text   string
}

// figure is a chart with what it says in words.
type figure struct {
	Chart   template.HTML
	Caption string
}

// multiple is one of several small charts of the same scale.
type multiple struct {
	Name, Verdict, Class string
	Chart                template.HTML
	Moves                []labelled // of this chart alone
}

// sheet is a table; the first cell of a row names the row.
type sheet struct {
	Caption string
	Columns []column
	Rows    []sheetRow
}

type column struct{ Name, Class string }

// sheetRow is a row; Ours is Recoup's, which tables set apart.
type sheetRow struct {
	Cells []cell
	Ours  bool
}

// cell is a cell. Of the classes, n is a number, c a mark, w must not break, and
// bad, part and good are what they say; no class says what the text does not.
type cell struct{ Text, Class string }

func (p *page) write(w io.Writer) error {
	style, err := reportFiles.ReadFile("report/report.css")
	if err != nil {
		return err
	}
	p.Style = template.CSS(style)
	return reportTemplate.Execute(w, p)
}
