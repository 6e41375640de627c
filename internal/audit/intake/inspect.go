package intake

import (
	"bytes"
	"errors"
	"fmt"
	"io"
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
		if err := s.guessHeader(); err != nil {
			return nil, err
		}
	}
	if err := s.read(); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(namesOf(s.header), isKnown) {
		return nil, &Error{File: path, Reason: "expected a header with columns of an export, such as account, amount and date"}
	}
	i := &Inspection{YAML: s.guess()}
	for _, p := range s.parts {
		i.Tables = append(i.Tables, p.table.String())
	}
	var err error
	i.Mapping, err = ParseMapping("the mapping guessed for "+path, i.YAML)
	return i, err
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
	parts    []*part
}

// guessHeader finds the line that has the most columns with known names, by the
// delimiter that makes it so. What is wrong with the text shows when it is read.
func (s *sample) guessHeader() error {
	f, err := openDisk(s.path, nil)
	if err != nil {
		return err
	}
	defer f.close()
	text, err := f.text()
	if err != nil {
		return f.fail(err)
	}
	head, _ := io.ReadAll(io.LimitReader(text, readAhead))
	if whole := bytes.LastIndexByte(head, '\n') + 1; whole > 0 {
		head = head[:whole]
	}
	if !utf8.Valid(head) {
		s.layout.charset = charmap.Windows1252
	}
	head = bytes.TrimPrefix(head, []byte(byteOrderMark))
	most := 0
	for at, line := range strings.SplitN(string(head), "\n", inspectedLines+1) {
		for _, delimiter := range []byte{',', ';', '\t', '|'} {
			known := 0
			for _, name := range strings.SplitN(strings.TrimSuffix(line, "\r"), string(delimiter), maxColumns) {
				if isKnown(strings.Trim(strings.TrimSpace(name), `"`)) {
					known++
				}
			}
			if known > most && at < inspectedLines {
				most, s.layout.delimiter, s.layout.skipLines = known, delimiter, at
			}
		}
	}
	return nil
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
	s.header = from.columns
	var readable []int
	for i := range s.header {
		if from.use([]int{i}) == nil {
			readable = append(readable, i)
		}
	}
	if err := from.use(readable); err != nil {
		return err
	}
	tells := s.telling()
	for ; s.surveyed < surveyedRows; s.surveyed++ {
		values, err := from.next()
		switch {
		case errors.Is(err, errBareQuote) || err == nil && len(values) < len(s.header):
			continue
		case err != nil && s.surveyed > 0 && !errors.Is(err, errLong): // the end, or what is for whoever reads all of it
			return nil
		case err != nil:
			return from.fail(err)
		}
		if new := tells(values); !new && len(s.rows) >= inspectedRows {
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

// telling returns what says of each row whether it has a kind, state, side or sign that was
// rare so far.
func (s *sample) telling() func(values []string) bool {
	var words, numbers []int
	for _, name := range []string{synonyms[fieldKind], statusNames, sideNames} {
		words = append(words, s.column(name, nil))
	}
	for _, name := range []string{synonyms[fieldAmount], synonyms[fieldQuantity]} {
		numbers = append(numbers, s.column(name, nil))
	}
	known := make([]map[string]int, len(s.header))
	for i := range known {
		known[i] = map[string]int{}
	}
	return func(values []string) (new bool) {
		for n, i := range slices.Concat(words, numbers) {
			if i < 0 {
				continue
			}
			value, most := strings.TrimSpace(values[i]), 1
			if n >= len(words) {
				value, most = fmt.Sprint(strings.ContainsAny(value, "-(")), manyValues
			}
			seen, is := known[i][value]
			if seen >= most || len(value) > maxText || !is && len(known[i]) == manyValues {
				continue
			}
			known[i][strings.Clone(value)]++
			new = true
		}
		return new
	}
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
func (s *sample) values(column int, rows [][]string) (values []string) {
	for _, row := range rows {
		if v := row[column]; v != "" && len(v) <= maxText && len(values) < manyValues && !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	return values
}

// guess guesses the tables and writes the mapping.
func (s *sample) guess() []byte {
	var body, all mappingWriter
	s.parts = s.guessParts()
	for _, part := range s.parts {
		part.write(&body)
	}
	lines, unsure := strings.Count(body.String(), "\n"), strings.Count(body.String(), "check")
	all.line(0, fmt.Sprintf("# Guessed from the first %d rows of %s.", s.surveyed, oneLine(filepath.Base(s.path))), "")
	all.line(0, fmt.Sprintf("# %d of %d lines are likely right; those that say \"check\" may well be wrong.", lines-unsure, lines), "")
	if others := s.others(); len(others) > 0 {
		all.line(0, "# Check: no table has the rows of these kinds: "+oneLine(strings.Join(others, ", ")), "")
	}
	return []byte(all.String() + body.String())
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
