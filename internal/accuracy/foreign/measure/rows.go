package measure

import (
	"fmt"
	"io"
	"strings"

	"recoup/internal/accuracy/foreign/people"
)

// Quick are histories that tests can afford: fewer people, and a shorter time.
var Quick = people.Options{Each: 3, Seed: 1, Days: 500}

// WriteRows writes what each tool said of each design, a line each: what the kept lists
// of rows.go's test have.
func (r *Report) WriteRows(w io.Writer) error {
	for i := range r.Rows {
		row := &r.Rows[i]
		for k := range row.Said {
			if _, err := fmt.Fprintln(w, row.line(&row.Said[k])); err != nil {
				return err
			}
		}
	}
	return nil
}

// line is one answer: the row's name, and whether it is right.
func (r *Row) line(s *Said) string {
	return fmt.Sprintf("%s: %s, said %s", r.name(s), map[bool]string{true: "right", false: "wrong"}[s.Right(r.Class)], said(s))
}

func (r *Row) name(s *Said) string {
	terms := "given"
	if !s.Given {
		terms = "found out"
	}
	return fmt.Sprintf("%s of %s, terms %s", s.Tool, r.Design, terms)
}

// Worse names the rows of a kept list that are right in it and not in the report.
func (r *Report) Worse(kept string) (worse []string) {
	now := make(map[string]string)
	for i := range r.Rows {
		for k := range r.Rows[i].Said {
			line := r.Rows[i].line(&r.Rows[i].Said[k])
			name, _, _ := strings.Cut(line, ": ")
			now[name] = line
		}
	}
	for line := range strings.Lines(kept) {
		name, was, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if is, there := now[name]; strings.HasPrefix(was, "right") && (!there || !strings.Contains(is, ": right")) {
			worse = append(worse, fmt.Sprintf("%s (it was right)", is))
		}
	}
	return worse
}
