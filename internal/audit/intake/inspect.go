package intake

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
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
	surveyedRows   = 1_000_000 // that kinds and signs are looked for in: some are rare
	inspectedLines = 40        // that a header is looked for in
	manyValues     = 50        // of a column: more than a person would read
)

// Inspect guesses from its head how a file is laid out. The error is an *Error
// where no header with columns of an export is found, besides what opening and
// reading a file returns.
func Inspect(path string) (*Inspection, error) {
	s := sample{path: path, layout: newLayout()}
	if _, content := formatOf(path); content != ".parquet" && content != ".xlsx" {
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
	// rows are the first ones and, of those after them, each that has a kind, state,
	// side or sign of its own. Values are without the spaces around them.
	rows     [][]string
	surveyed int // rows
	tables   []string
}

// guessText finds the header: the line that has the most columns with known
// names, by the delimiter that makes it so.
func (s *sample) guessText() error {
	text, err := openText(s.path, nil)
	if err != nil {
		return err
	}
	head := make([]byte, readAhead)
	n := 0
	for n < len(head) && err == nil {
		var more int
		more, err = text.Read(head[n:])
		n += more
	}
	s.guessHeader(string(head[:n]))
	return text.close() // what is wrong with the text shows when it is read
}

func (s *sample) guessHeader(head string) {
	if whole := strings.LastIndexByte(head, '\n') + 1; whole > 0 {
		head = head[:whole]
	}
	if !utf8.ValidString(head) {
		s.layout.charset = charmap.Windows1252
	}
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
	telling := map[int]map[string]bool{} // columns that say what a row is, with the values so far
	for _, words := range []string{synonyms[fieldKind], statusNames, sideNames} {
		if i := s.column(words, nil); i >= 0 {
			telling[i] = map[string]bool{}
		}
	}
	for _, words := range []string{synonyms[fieldAmount], synonyms[fieldQuantity]} {
		if i := s.column(words, nil); i >= 0 {
			telling[i] = nil
		}
	}
	signs := map[string]int{}
	for ; s.surveyed < surveyedRows; s.surveyed++ {
		values, err := from.next()
		switch {
		case errors.Is(err, errBareQuote) || err == nil && len(values) < len(s.header):
			continue
		case err != nil && s.surveyed > 0 && !errors.Is(err, errLong): // the end, or what is for whoever reads all of it
			return nil
		case err != nil:
			return inFile(s.path, from.place()+1, err)
		}
		keep := len(s.rows) < inspectedRows
		for i, known := range telling {
			value := strings.TrimSpace(values[i])
			if known == nil { // a number: some of either sign
				sign := fmt.Sprint(i, strings.ContainsAny(value, "-("))
				signs[sign]++
				keep = keep || signs[sign] <= manyValues
			} else if !known[value] && len(known) < manyValues && len(value) <= maxText {
				known[strings.Clone(value)] = true
				keep = true
			}
		}
		if !keep {
			continue
		}
		row := make([]string, len(s.header))
		for i := range row {
			row[i] = strings.Clone(strings.TrimSpace(values[i]))
		}
		s.rows = append(s.rows, row)
	}
	return nil
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
	parts := s.parts()
	for _, part := range parts {
		s.tables = append(s.tables, part.table.String())
		part.write(&w)
	}
	body := w.String()
	w = mappingWriter{}
	w.line(0, fmt.Sprintf("# Guessed from the first %d rows of %s.", s.surveyed, oneLine(filepath.Base(s.path))), "")
	lines, unsure := strings.Count(body, "\n"), strings.Count(body, "check")
	w.line(0, fmt.Sprintf("# %d of %d lines are likely right; those that say \"check\" may well be wrong.", lines-unsure, lines), "")
	if others := s.others(parts); len(others) > 0 {
		w.line(0, "# Check: no table has the rows of these kinds: "+oneLine(strings.Join(others, ", ")), "")
	}
	return []byte(w.String() + body)
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
