// Package page writes reports as one file of HTML that needs nothing from
// elsewhere: headings, text, tables, charts in SVG and parts to fold out. It runs
// no script and fetches nothing, follows the reader's light or dark scheme, and
// prints. The same report can be written for a terminal.
//
// Reports show identifiers that others chose. Whatever is passed as a string is
// escaped, and what shows nothing by itself is spelled out; only charts and
// swatches, which this package draws and which escape their own text, are
// template.HTML. A class, where there is one, is a name from page.css.
package page

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"recoup/internal/kit/tabular"
)

//go:embed page.html
var layout string

// Palette is the style sheet of the colours, light and dark, as variables, and Charts
// that of what is drawn in SVG: for pages that show charts and are not reports.
//
//go:embed palette.css
var Palette string

//go:embed chart.css
var Charts string

// Icon is the picture that stands for Recoup, as SVG.
//
//go:embed icon.svg
var Icon []byte

//go:embed page.css
var report string

// document escapes all that it is given but the charts and the style sheet.
var document = template.Must(template.New("page").Parse(layout))

// Page is a report. All but the heading may be left out.
type Page struct {
	Heading  string
	Lead     []string // paragraphs
	Tiles    []Tile
	Sections []Section
}

// Tile is a figure that says it all. Its class is good, part, bad or none.
type Tile struct{ Figure, Text, Class string }

// Section is a part of the page with a heading of its own, to which the top of
// the page links; one without blocks is left out. Its ID is of letters, digits and
// hyphens, and unique.
type Section struct {
	ID, Title string
	Blocks    []Block
}

// Block is text, then what shows it, in the order of the fields. All of it may be
// left out.
type Block struct {
	Heading    string
	Paragraphs []string
	Moves      []Labelled // what the marks of all charts below stand for
	Key        []KeyEntry // what their lines stand for
	Figures    []Figure
	Multiples  []Multiple
	Table      *Sheet
	Pre        string // shown as it is: a scenario file, a command
	Note       string // in small print
	Details    []Detail
}

// Detail is what is folded away until the reader opens it. Paper shows what is
// open, and a terminal what is Plain there.
type Detail struct {
	Summary string
	Blocks  []Block
	Plain   bool
}

// Labelled explains the mark of a chart that has the label.
type Labelled struct{ Label, Text string }

// KeyEntry explains a line or an area of a chart.
type KeyEntry struct {
	Swatch template.HTML // from LineSwatch or ShadeSwatch
	Text   string
}

// Figure is a chart with what it says in words.
type Figure struct {
	Chart   template.HTML // from SVG
	Caption string
}

// Multiple is one of several small charts of the same scale. The class of its
// verdict is good, part, bad or none.
type Multiple struct {
	Name, Verdict, Class string
	Chart                template.HTML // from SVG
	Moves                []Labelled    // what the marks of this chart alone stand for
}

// Sheet is a table, which is not shown without rows; the first cell of a row names the row.
// Its caption explains it on the page alone.
type Sheet struct {
	Caption string
	Columns []Column
	Rows    []Row
}

// Column is the head of a column; its class is that of its cells.
type Column struct{ Name, Class string }

// Columns returns columns of these names; a name that begins with ">" is of a column
// of numbers, as in tabular.
func Columns(names ...string) []Column {
	columns := make([]Column, len(names))
	for i, name := range names {
		if name, numbers := strings.CutPrefix(name, ">"); numbers {
			columns[i] = Column{name, "n"}
		} else {
			columns[i].Name = name
		}
	}
	return columns
}

// NewSheet returns a table without rows, of columns as Columns names them.
func NewSheet(columns ...string) *Sheet { return &Sheet{Columns: Columns(columns...)} }

// Add adds a row. Each value is a Cell, or a text in a cell of its column's class.
func (s *Sheet) Add(cells ...any) {
	var row Row
	for i, c := range cells {
		cell, given := c.(Cell)
		if !given {
			cell = Cell{c.(string), s.Columns[i].Class}
		}
		row.Cells = append(row.Cells, cell)
	}
	s.Rows = append(s.Rows, row)
}

// Row is a row, set apart by a rule from those before it if it is marked so.
type Row struct {
	Cells    []Cell
	SetApart bool
}

// Cell is a cell. Of the classes, which spaces separate, n is a number, c a mark,
// w must not break, id is an identifier, and bad, part and good are what they
// say; no class may say what the text does not.
type Cell struct{ Text, Class string }

// Text is a cell of words.
func Text(text string) Cell { return Cell{Text: text} }

// Number is a cell of an amount or a count.
func Number(text string) Cell { return Cell{text, "n"} }

// Write writes the page.
func (p *Page) Write(w io.Writer) error {
	var html strings.Builder
	if err := document.Execute(&html, struct {
		*Page
		Style template.CSS
	}{p, template.CSS(Palette + Charts + report)}); err != nil {
		return err
	}
	_, err := io.WriteString(w, visible(html.String()))
	return err
}

// visible spells out what has no shape of its own and may turn a text around, as
// tabular.VisibleLines does for a terminal. A tab of a script stays, to be copied.
func visible(html string) string {
	var b strings.Builder
	for _, r := range html {
		if r == '\n' || r == '\t' || !tabular.Hidden(r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "&lt;U+%04X&gt;", r)
		}
	}
	return b.String()
}
