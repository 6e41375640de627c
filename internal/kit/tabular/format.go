package tabular

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Format is how a result is printed: as a "table" or as "json".
type Format string

// Check refuses what is no format.
func (f Format) Check() error {
	if f != "table" && f != "json" {
		return fmt.Errorf("--output %q: expected table or json", string(f))
	}
	return nil
}

// Write writes a result in its format. Tables do not tell of errors on the way; the
// buffer remembers the first.
func (f Format) Write(w io.Writer, asJSON, asTable func(io.Writer) error) error {
	out := bufio.NewWriterSize(w, 1<<16)
	render := asTable
	if f == "json" {
		render = asJSON
	}
	if err := render(out); err != nil {
		return err
	}
	return out.Flush()
}

// Listing is how a list of something is printed: as JSON under a name, and as a table.
type Listing[T any] struct {
	Name string
	// Columns are named as New has them; one that begins with "?" is left out where all its
	// cells are empty.
	Columns []string
	Cells   func(*T) Row
}

// Write writes a list in a format.
func (l *Listing[T]) Write(w io.Writer, f Format, list []T) error {
	if list == nil {
		list = []T{}
	}
	return f.Write(w, func(w io.Writer) error { return WriteJSON(w, map[string]any{l.Name: list}) }, func(w io.Writer) error {
		l.table(w, list)
		return nil
	})
}

func (l *Listing[T]) table(w io.Writer, list []T) {
	rows := make([]Row, len(list))
	for i := range list {
		rows[i] = l.Cells(&list[i])
	}
	columns := slices.Clone(l.Columns)
	for i := len(columns) - 1; i >= 0; i-- {
		name, optional := strings.CutPrefix(columns[i], "?")
		columns[i] = name
		if !optional || slices.ContainsFunc(rows, func(r Row) bool { return r[i] != "" }) {
			continue
		}
		columns = slices.Delete(columns, i, i+1)
		for j := range rows {
			rows[j] = slices.Delete(rows[j], i, i+1)
		}
	}
	t := New(w, columns...)
	t.AppendRows(rows)
	t.Render()
}
