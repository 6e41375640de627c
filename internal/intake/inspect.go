package intake

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"

	"recoup/internal/intake/history"
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
	var err error
	if _, content := formatOf(path); isText(content) {
		err = s.guessHeader()
	} else if content == ".xlsx" {
		err = s.guessHeaderOfSheet()
	}
	if err == nil {
		err = s.read()
	}
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(s.header, isKnown) {
		return nil, &Error{File: path, Reason: "expected a header with columns of an export, such as account, amount and date"}
	}
	guess := s.write(s.parts())
	_, err = ParseMapping("the mapping guessed for "+path, guess)
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
			names := strings.SplitN(strings.TrimSuffix(line, "\r"), string(delimiter), maxColumns)
			if known := countKnown(each(names, func(name string) string { return strings.Trim(strings.TrimSpace(name), `"`) })); known > most {
				most, s.layout.delimiter, s.layout.skipLines = known, delimiter, at
			}
		}
	}
	return nil
}

// guessHeaderOfSheet does so in a workbook.
func (s *sample) guessHeaderOfSheet() error {
	f, err := open(s.path, &s.layout, nil)
	if err != nil {
		return err
	}
	defer f.close()
	most := 0
	for row := f.columns; err == nil && f.place <= inspectedLines; row, err = f.next() {
		if known := countKnown(row); known > most {
			most, s.layout.skipLines = known, int(f.place-1)
		}
	}
	return nil // of what is wrong with a row whoever reads it is told
}

// countKnown counts the names that a field may have.
func countKnown(names []string) int {
	return len(names) - len(slices.DeleteFunc(slices.Clone(names), isKnown))
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

// draft is a mapping that is being written.
type draft struct{ strings.Builder }

// add adds a line if it is needed, with a comment behind it.
func (d *draft) add(needed bool, line, comment string) {
	if comment != "" {
		line += "  # " + comment
	}
	if needed {
		d.WriteString(line + "\n")
	}
}

// write writes the part of the mapping that is for the table.
func (p *part) write(d *draft) {
	kind, status, side := p.column(synonyms[fieldKind], nil), p.column(statusNames, nil), p.column(sideNames, nil)
	words := values(p.rows, kind)
	open := oneOf(values(p.rows, status), openWords)
	p.keep(func(row []string) bool { return len(open) == 0 || !slices.Contains(open, row[status]) })
	p.guessAmounts() // by the rows that are left

	d.add(true, p.table.String()+":", "")
	d.add(p.layout.delimiter != 0, fmt.Sprintf("  delimiter: %q", string(p.layout.delimiter)), "")
	d.add(p.layout.charset != encoding.Nop, "  encoding: windows-1252", "it is not UTF-8")
	d.add(p.layout.skipLines > 0, fmt.Sprintf("  skip_lines: %d", p.layout.skipLines), "before the header")
	p.writeColumns(d)
	p.writeIDs(d)
	var clawbacks []string
	if p.at[fieldKind] != nil {
		d.add(len(words) > 0, "  kinds:", "")
		for _, word := range words {
			is, unsure := kindOf(word), ""
			if !p.table.takes(is) {
				is, unsure = specs[p.table].kind, "check"
			}
			d.add(true, fmt.Sprintf("    %q: %s", word, is), unsure)
			if is == history.Reward && isOneOf(word, clawbackWords) {
				clawbacks = append(clawbacks, word)
			}
		}
	}
	unknown := slices.ContainsFunc(words, func(word string) bool { return kindOf(word) == 0 })
	d.add(p.kinds == nil && p.table == transactions && len(words) > 1 && unknown, "  # only: "+p.with(kind, "values", words), "check: leave those that are purchases; all are taken for that")
	d.add(p.kinds != nil, "  only: "+p.with(kind, "values", p.kinds), "check")
	d.add(p.sign != "", fmt.Sprintf("  only: {column: %s, %s: 0}", p.named(p.signed()), p.sign), p.signNote)
	d.add(len(open) > 0, "  skip: "+p.with(status, "values", open), "check: rows that did not happen, or not yet")
	p.writeDates(d)
	there, a := p.at[fieldAmount] != nil || p.at[fieldPrice] != nil, p.amounts
	d.add(there && !a.decimal, "  amount_format: minor", p.amountsNote)
	d.add(there && a.decimal, "  amount_format: decimal", p.amountsNote)
	d.add(there && a.decimal, fmt.Sprintf("  decimal_separator: %q", a.point), "")
	d.add(a.group != "", fmt.Sprintf("  thousands_separator: %q", a.group), "")
	d.add(a.negatives != leadingMinus, "  negatives: "+negativeNames[a.negatives], "")
	d.add(a.symbol != "", fmt.Sprintf("  symbol: %q", a.symbol), "")
	above, below := p.signs()
	debits := oneOf(values(p.rows, side), debitWords)
	// Amounts of rewards have no sign where another column says which are taken back.
	unsigned := p.table == rewards && below == 0 && p.at[fieldAmount] != nil && p.at[fieldNegative] == nil
	d.add(p.sign == "below" || p.sign == "" && p.table <= refunds && below > 0 && above == 0, "  sign: negated", "all are below zero")
	d.add(p.sign == "" && p.table == refunds && below > 0 && above > 0, "  sign: absolute", fmt.Sprintf("check: %d amounts are above zero and %d below", above, below))
	d.add(p.table == redemptions && below > above, "  sign: negated", "check: most amounts are below zero")
	d.add(unsigned && len(debits) > 0, "  direction: "+p.with(side, "negative", debits), "check: rewards taken back")
	d.add(unsigned && len(debits) == 0 && clawbacks != nil, "  direction: "+p.with(kind, "negative", clawbacks), "check: rewards taken back")
	d.add(slices.ContainsFunc(p.of(fieldMCC), func(code string) bool { return len(code) < len("0742") }), "  mcc_format: number", "zeros before the code are missing")
}

// writeColumns names the columns, those too whose names need no mapping, and the currency
// that no column says.
func (p *part) writeColumns(d *draft) {
	d.add(true, "  columns:", "")
	d.add(!slices.ContainsFunc(p.at[:], func(at []int) bool { return at != nil }), "    {}", "")
	for _, f := range p.table.fields() {
		check := ""
		if p.unsure(f) {
			check = "check"
		}
		d.add(p.at[f] != nil, fmt.Sprintf("    %s: %s", f, p.named(f)), check)
		needed := p.table.requires(f) && f != fieldCurrency && f != specs[p.table].id && (f != fieldAmount || p.at[fieldPrice] == nil)
		check = "check: no column looks like it, and there must be one"
		if f == fieldAccount {
			check += ", or a constant"
		}
		d.add(needed && p.at[f] == nil, fmt.Sprintf("    # %s:", f), check)
	}
	if p.at[fieldCurrency] == nil && p.table == transactions {
		currency, why := p.currency()
		d.add(true, "  constants:", "")
		d.add(true, fmt.Sprintf("    currency: %q", currency), why)
	}
}

// writeIDs says where ids come from, if not from a column with one for each row.
func (p *part) writeIDs(d *draft) {
	id := specs[p.table].id
	if id == noField {
		return
	}
	ids := p.of(id)
	distinct := len(slices.Compact(slices.Sorted(slices.Values(ids))))
	d.add(p.at[id] == nil, "  ids: generated", "check: no column names the rows; file and line do")
	d.add(distinct < len(ids) && p.at[fieldArticle] != nil, "  receipts: sum",
		fmt.Sprintf("check: %d rows have %d ids; with items, each row is an item of what was bought", len(ids), distinct))
}

// writeDates says how dates are written, unless the file does itself.
func (p *part) writeDates(d *draft) {
	at := p.at[fieldPostedAt]
	if at == nil || p.sample.kinds[at[0]] == timeColumn {
		return
	}
	format, local, check := guessDate(p.of(fieldPostedAt))
	pattern := strconv.Quote(format.text)
	if slices.Contains(fixedFormats, format) {
		pattern = format.text
	}
	d.add(true, "  date_format: "+pattern, check)
	d.add(local, `  time_zone: "UTC"`, "check: statements close by the same clock; if they close by UTC, where the clock is, such as Europe/Berlin")
}

// named are the names of a field's columns, as a mapping has them.
func (p *part) named(f field) string {
	names := each(p.at[f], func(at int) string { return p.header[at] })
	if len(names) == 1 {
		return strconv.Quote(names[0])
	}
	return quotedList(names)
}

// with are the rows that have one of the values in a column, as a mapping says it.
func (p *part) with(column int, member string, values []string) string {
	if column < 0 {
		return ""
	}
	return fmt.Sprintf("{column: %q, %s: %s}", p.header[column], member, quotedList(values))
}

// quotedList writes values between brackets. YAML's quotes are Go's.
func quotedList(values []string) string {
	return "[" + strings.Join(each(values, strconv.Quote), ", ") + "]"
}

// oneOf returns the values that are one of the words.
func oneOf(values []string, words string) []string {
	return slices.DeleteFunc(values, func(value string) bool { return !isOneOf(value, words) })
}
