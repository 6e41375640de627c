// Package tabular prints results for people, as tables, and for programs, as
// JSON.
package tabular

import (
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Row is one row of a table.
type Row = table.Row

// Table collects rows and prints them.
type Table struct{ table.Writer }

// New returns a table that prints to w, with the given columns; a name that
// begins with ">" is of a column of numbers, which stand to the right.
func New(w io.Writer, columns ...string) Table {
	t := Table{table.NewWriter()}
	t.SetOutputMirror(w)
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = text.FormatDefault
	t.Style().Format.Footer = text.FormatDefault
	header := make(Row, len(columns))
	configs := make([]table.ColumnConfig, len(columns))
	for i, name := range columns {
		align := text.AlignLeft
		if name[0] == '>' {
			name, align = name[1:], text.AlignRight
		}
		header[i] = name
		configs[i] = table.ColumnConfig{Number: i + 1, Align: align, AlignHeader: align, AlignFooter: align}
	}
	t.AppendHeader(header)
	t.SetColumnConfigs(configs)
	return t
}

// WriteJSON writes a value as indented JSON with a newline. Members keep the
// order of their struct fields, and maps are in order of their keys.
func WriteJSON(w io.Writer, v any) error {
	if err := json.MarshalWrite(w, v, json.Deterministic(true), jsontext.WithIndent("  ")); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
