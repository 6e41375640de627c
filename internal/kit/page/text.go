package page

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"recoup/internal/kit/tabular"
)

// WriteText writes the page for a terminal: all but its tiles and charts, what explains a
// table, and what is folded away and not Plain. What a terminal might obey is spelled out.
func (p *Page) WriteText(w io.Writer) error {
	var b strings.Builder
	for _, sentence := range p.Lead {
		fmt.Fprintln(&b, sentence)
	}
	for i := range p.Sections {
		p.Sections[i].writeText(&b)
	}
	_, err := io.WriteString(w, tabular.VisibleLines(b.String()))
	return err
}

// writeText leaves out a section that has nothing for a terminal.
func (s *Section) writeText(b *strings.Builder) {
	var said strings.Builder
	writeBlocks(&said, s.Blocks)
	if said.Len() > 0 {
		fmt.Fprintf(b, "\n%s\n%s", s.Title, said.String())
	}
}

func writeBlocks(b *strings.Builder, blocks []Block) {
	for i := range blocks {
		blocks[i].writeText(b)
	}
}

// writeText leaves out a block that has no more for a terminal than its heading.
func (k *Block) writeText(b *strings.Builder) {
	var said strings.Builder
	for _, p := range k.Paragraphs {
		fmt.Fprintln(&said, p)
	}
	if k.Table != nil && k.Table.Rows != nil {
		k.Table.WriteText(&said)
	}
	if k.Pre != "" {
		const margin = "\n    "
		fmt.Fprintf(&said, "%s%s\n", margin, strings.ReplaceAll(strings.TrimRight(k.Pre, "\n"), "\n", margin))
	}
	if k.Note != "" {
		fmt.Fprintln(&said, k.Note)
	}
	for i := range k.Details {
		if d := &k.Details[i]; d.Plain {
			fmt.Fprintf(&said, "\n%s\n", d.Summary)
			writeBlocks(&said, d.Blocks)
		}
	}
	if k.Heading != "" && said.Len() > 0 {
		fmt.Fprintf(b, "\n%s\n", k.Heading)
	}
	b.WriteString(said.String())
}

// widestCell is in columns; what is wider is wrapped.
const widestCell = 44

// WriteText writes the table for a terminal. What it is written to remembers errors.
func (s *Sheet) WriteText(w io.Writer) {
	names := make([]string, len(s.Columns))
	for i, c := range s.Columns {
		names[i] = c.Name
		if c.Class == "n" {
			names[i] = ">" + c.Name
		}
	}
	table := tabular.New(w, names...)
	for _, r := range s.Rows {
		if r.SetApart {
			table.AppendSeparator()
		}
		row := make(tabular.Row, len(r.Cells))
		for i, c := range r.Cells {
			row[i] = text.WrapSoft(tabular.VisibleLines(c.Text), widestCell)
		}
		table.AppendRow(row)
	}
	table.Render()
}
