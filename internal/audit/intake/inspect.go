package intake

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// Inspection is a guess at how a file is laid out.
type Inspection struct {
	// Tables are those that the file seems to hold; of a ledger there are several.
	Tables []string
	// Mapping reads the file as guessed.
	Mapping *Mapping
	// YAML is the mapping as ParseMapping reads it, with comments that say what is
	// guessed and what has to be checked.
	YAML []byte
}

const (
	inspectedRows  = 2000
	surveyedRows   = 1_000_000 // that kinds are looked for in: some are rare
	inspectedLines = 40        // that a header is looked for in
	manyValues     = 50        // of a column: more than a person would read
)

// Inspect guesses from its head how a file is laid out. The error is an *Error
// where no header with columns of an export is found, besides what opening and
// reading a file returns.
func Inspect(path string) (*Inspection, error) {
	s := sample{path: path, layout: newLayout()}
	if _, content := formatOf(path); content != ".parquet" {
		if err := s.guessText(); err != nil {
			return nil, err
		}
	}
	if err := s.read(); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(s.header, func(c column) bool { return isKnown(c.name) }) {
		return nil, &Error{File: path, Reason: "expected a header with columns of an export, such as account, amount and date"}
	}
	text := s.guess()
	i := &Inspection{Tables: s.tables, YAML: text}
	var err error
	if i.Mapping, err = ParseMapping("the mapping guessed for "+path, text); err != nil {
		return nil, err
	}
	return i, nil
}

// sample is the head of a file.
type sample struct {
	path   string
	layout layout // as far as it says where rows and values begin
	header []column
	// rows are the first ones and, of those after them, each that has a kind, state
	// or side of its own. Values are without the spaces around them.
	rows     [][]string
	surveyed int // rows
	tables   []string
}

// guessText finds the header: the line that has the most columns with known
// names, by the delimiter that makes it so.
func (s *sample) guessText() error {
	text, err := openText(s.path, false, nil)
	if err != nil {
		return err
	}
	head, err := text.next()
	if err == nil || errors.Is(err, io.EOF) {
		s.guessHeader(string(head))
		err = nil
	}
	if closed := text.close(); err == nil {
		err = closed
	}
	return err
}

func (s *sample) guessHeader(head string) {
	if whole := strings.LastIndexByte(head, '\n') + 1; whole > 0 {
		head = head[:whole]
	}
	s.layout.latin1 = !utf8.ValidString(head)
	head = strings.TrimPrefix(head, byteOrderMark)
	most := 0
	for line := 0; line < inspectedLines && head != ""; line++ {
		text, rest, _ := strings.Cut(head, "\n")
		for _, delimiter := range []byte{',', ';', '\t', '|'} {
			known := 0
			for _, name := range strings.Split(strings.TrimSuffix(text, "\r"), string(delimiter)) {
				if known < maxColumns && isKnown(strings.Trim(strings.TrimSpace(name), `"`)) {
					known++
				}
			}
			if known > most {
				most, s.layout.delimiter, s.layout.skipLines = known, delimiter, line
			}
		}
		head = rest
	}
}

// isKnown reports whether any field may be called so.
func isKnown(name string) bool {
	return slices.ContainsFunc(synonyms[:], func(words string) bool { return isOneOf(name, words) })
}

// read reads the header and the first rows.
func (s *sample) read() error {
	from, err := open(s.path, &s.layout, nil)
	if err != nil {
		return err
	}
	defer from.close()
	s.header = from.columns()
	var readable []int
	for i := range s.header {
		if from.use([]int{i}) == nil {
			readable = append(readable, i)
		}
	}
	if err := from.use(readable); err != nil {
		return err
	}
	telling := s.telling()
	for ; s.surveyed < surveyedRows; s.surveyed++ {
		values, err := from.next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err == errBareQuote || err == errOpenQuote || err == nil && len(values) < len(s.header):
			continue
		case err != nil:
			return inFile(s.path, from.place()+1, err)
		}
		if tells := s.tells(telling, values); len(s.rows) >= inspectedRows && !tells {
			continue
		}
		row := make([]string, len(s.header))
		for i := range row {
			row[i] = strings.Clone(trim(values[i]))
		}
		s.rows = append(s.rows, row)
	}
	return nil
}

// telling returns the columns that say what kind of row it is, each with no
// values yet.
func (s *sample) telling() map[int]map[string]bool {
	columns := map[int]map[string]bool{}
	for _, words := range []string{synonyms[fieldKind], statusNames, sideNames} {
		if i := s.column(words, nil); i >= 0 {
			columns[i] = map[string]bool{}
		}
	}
	return columns
}

// tells reports whether a row has a value that no row before it had in one of
// these columns, and remembers it.
func (s *sample) tells(telling map[int]map[string]bool, row []string) (more bool) {
	for i, known := range telling {
		if value := trim(row[i]); !known[value] && len(known) < manyValues && len(value) <= maxText {
			known[strings.Clone(value)] = true
			more = true
		}
	}
	return more
}

// column returns the column whose name is the first among the words, -1 for
// none, those in taken aside.
func (s *sample) column(words string, taken map[int]bool) int {
	best, found := -1, -1
	for i, c := range s.header {
		if r := rank(c.name, words); r >= 0 && !taken[i] && (found < 0 || r < best) {
			best, found = r, i
		}
	}
	return found
}

// values returns the distinct values of a column in the order in which they come,
// but no more than a person would read.
func (s *sample) values(column int, rows [][]string) []string {
	var values []string
	for _, row := range rows {
		if v := row[column]; v != "" && len(v) <= maxText && len(values) < manyValues && !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	return values
}

// guess guesses the tables and writes the mapping.
func (s *sample) guess() []byte {
	var w mappingWriter
	w.line(0, fmt.Sprintf("# Guessed from the first %d rows of %s.", s.surveyed, oneLine(filepath.Base(s.path))), "")
	w.line(0, `# A line that says "check" may well be wrong; the others are likely right.`, "")
	parts := s.parts()
	if others := s.others(parts); len(others) > 0 {
		w.line(0, "# Check: no table has the rows of these kinds: "+oneLine(strings.Join(others, ", ")), "")
	}
	for _, part := range parts {
		s.tables = append(s.tables, part.table.String())
		part.write(&w)
	}
	return []byte(w.String())
}

// oneLine keeps a name from ending a comment.
func oneLine(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' {
			return '?'
		}
		return r
	}, name)
}
