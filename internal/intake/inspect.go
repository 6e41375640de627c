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

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
)

const (
	inspectedRows  = 2000
	surveyedRows   = 1_000_000 // that kinds and signs are looked for in: some are rare
	inspectedLines = 40        // that a header is looked for in
	manyValues     = 50        // of a column: more than a person would read
)

// Inspect guesses from its head how a file is laid out, and returns the mapping as
// ParseMapping reads it, with comments that say what is guessed and what has to be
// checked. The error is an *Error where no header with columns of an export is found,
// besides what opening and reading a file returns.
func Inspect(path string) ([]byte, error) {
	s := sample{path: path, layout: newLayout()}
	if _, content := formatOf(path); isText(content) {
		if err := s.guessHeader(); err != nil {
			return nil, err
		}
	}
	if err := s.read(); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(s.header, isKnown) {
		return nil, &Error{File: path, Reason: "expected a header with columns of an export, such as account, amount and date"}
	}
	guess := s.write(s.parts())
	_, err := ParseMapping("the mapping guessed for "+path, guess)
	return guess, err
}

// sample is the head of a file.
type sample struct {
	path   string
	layout layout // as far as it says where rows and values begin
	header []string
	kinds  []columnKind // of its columns
	// rows are the first ones and, of those after them, each that has a kind, state,
	// side or sign that is rare. Values are without the spaces around them.
	rows     [][]string
	surveyed int // rows
}

// guessHeader finds the line that has the most columns with known names, by the
// delimiter that makes it so. What is wrong with the text shows when it is read.
func (s *sample) guessHeader() error {
	f, err := openDisk(s.path, nil)
	if err != nil {
		return err
	}
	defer f.close()
	text, err := f.text(encoding.Nop)
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
	lines := strings.SplitN(strings.TrimPrefix(string(head), byteOrderMark), "\n", inspectedLines+1)
	most := 0
	for at, line := range lines[:min(len(lines), inspectedLines)] {
		for _, delimiter := range []byte{',', ';', '\t', '|'} {
			known := 0
			for _, name := range strings.SplitN(strings.TrimSuffix(line, "\r"), string(delimiter), maxColumns) {
				if isKnown(strings.Trim(strings.TrimSpace(name), `"`)) {
					known++
				}
			}
			if known > most {
				most, s.layout.delimiter, s.layout.skipLines = known, delimiter, at
			}
		}
	}
	return nil
}

// read reads the header and the first rows.
func (s *sample) read() error {
	from, err := open(s.path, &s.layout, nil)
	if err != nil {
		return err
	}
	defer from.close()
	s.header, s.kinds = from.columns, from.kinds
	for i := range s.header {
		from.use(i) // what cannot be read is nobody's column
	}
	rare := s.rarity()
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
		if rare(values) || len(s.rows) < inspectedRows {
			s.rows = append(s.rows, each(values[:len(s.header)], strings.TrimSpace))
		}
	}
	return nil
}

// rarity returns what says of each row whether it has a kind, state, side or sign that was
// rare so far.
func (s *sample) rarity() func(values []string) bool {
	seen := map[int]map[string]int{}
	for _, words := range []string{synonyms[fieldKind], statusNames, sideNames, synonyms[fieldAmount], synonyms[fieldQuantity]} {
		if i := s.column(words, nil); i >= 0 {
			seen[i] = map[string]int{}
		}
	}
	signed := []int{s.column(synonyms[fieldAmount], nil), s.column(synonyms[fieldQuantity], nil)}
	return func(values []string) (rare bool) {
		for i, of := range seen {
			value := strings.TrimSpace(values[i])
			if slices.Contains(signed, i) {
				value = fmt.Sprint(strings.ContainsAny(value, "-("))
			}
			n, known := of[value]
			if n < manyValues && len(value) <= maxText && (known || len(of) < manyValues) {
				of[strings.Clone(value)]++
				rare = true
			}
		}
		return rare
	}
}

// column returns the column whose name is the first among the words, -1 for
// none, those in taken aside.
func (s *sample) column(words string, taken map[int]bool) int {
	best, found := -1, -1
	for i, name := range s.header {
		if r := rank(name, words); r >= 0 && !taken[i] && (found < 0 || r < best) {
			best, found = r, i
		}
	}
	return found
}

// has reports whether a column looks like the field.
func (s *sample) has(f field) bool { return s.column(synonyms[f], nil) >= 0 }

// values returns the distinct values of a column, if there is one, in the order in
// which they come, but no more than a person would read.
func values(rows [][]string, column int) (list []string) {
	for _, row := range rows {
		if column < 0 || len(list) == manyValues {
			break
		}
		if v := row[column]; v != "" && len(v) <= maxText && !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

// write writes the mapping of the parts.
func (s *sample) write(parts []*part) []byte {
	var d draft
	kinds := values(s.rows, s.column(synonyms[fieldKind], nil))
	for _, p := range parts {
		kinds = slices.DeleteFunc(kinds, func(kind string) bool { return p.kinds == nil || slices.Contains(p.kinds, kind) })
		p.write(&d)
	}
	lines, unsure := strings.Count(d.String(), "\n"), strings.Count(d.String(), "  # check")
	head := fmt.Sprintf("# Guessed from the first %d rows of %s.\n", s.surveyed, oneLine(filepath.Base(s.path))) +
		fmt.Sprintf("# %d of %d lines are likely right; those that say \"check\" may well be wrong.\n", lines-unsure, lines)
	if len(kinds) > 0 {
		head += fmt.Sprintf("# Check: no table has the rows of these kinds: %s\n", oneLine(strings.Join(kinds, ", ")))
	}
	return []byte(head + d.String())
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
