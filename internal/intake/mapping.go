package intake

import (
	"maps"
	"os"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // time zones do not depend on the machine
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"

	"recoup/internal/intake/history"
	"recoup/internal/kit/yamltree"
)

// Limits on a mapping.
const (
	maxText      = yamltree.MaxText // bytes of a column's name or a value
	maxKinds     = yamltree.MaxList // of one table
	maxSkipLines = 1000
	maxJoined    = 8 // columns that make one field
)

// form takes text as it is written, as rows of an export have it.
var form = yamltree.Form{Name: "mapping", Verbatim: true}

// Mapping says how the files of an export are laid out, as its YAML is described in
// docs/audit-your-program.md. It does not change once it is parsed.
type Mapping struct {
	tables [tableCount]layout
	given  [tableCount]bool // the mapping has a section for the table
}

// Currency is the one that all transactions are in by the mapping, "" where it
// leaves that to a column.
func (m *Mapping) Currency() string { return m.tables[transactions].fields[fieldCurrency].constant }

// layout is how the files of one table are laid out.
type layout struct {
	fields    map[field]origin // that are told
	kinds     map[string]history.Kind
	date      *dateFormat
	zone      *time.Location
	amount    amountFormat
	sign      sign
	direction *direction
	delimiter byte              // 0: by the file's name
	charset   encoding.Encoding // encoding.Nop is UTF-8
	sheet     string
	skipLines int
	skip      []condition
	only      []condition
	mccNumber bool
	idNumber  bool
	ownIDs    bool // the files have none: places in them stand for ids
	roundDown bool
	receipts  Receipts
}

// origin is where the values of a field come from. It may come from nowhere, whatever
// columns are called.
type origin struct {
	table    table    // of the section that tells it; one for all tables names columns that one may lack
	line     int      // on which
	columns  []string // whose values are joined with spaces
	constant string
}

// names reports whether a column is named for the field.
func (l *layout) names(f field) bool { return len(l.fields[f].columns) > 0 }

// sign is what is made of the sign of an amount.
type sign uint8

const (
	asIs sign = iota
	negated
	absolute
)

// Receipts says what rows with one id are.
type Receipts uint8

// The kinds of receipts.
const (
	NoReceipts   Receipts = iota // each row is a purchase or refund of its own
	ReceiptSums                  // rows with one id are one purchase
	ReceiptItems                 // and each row is an item of it
)

// direction is a column that says which way an amount goes.
type direction struct {
	column             string
	negative, positive words // none positive: all others are
}

func newLayout() layout {
	return layout{
		fields: map[field]origin{}, kinds: map[string]history.Kind{}, date: rfc3339, zone: time.UTC, amount: amountFormat{point: "."}, charset: encoding.Nop,
	}
}

// LoadMapping reads the mapping file at path. See ParseMapping.
func LoadMapping(path string) (*Mapping, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return ParseMapping(path, data)
}

// ParseMapping reads a mapping; name is what errors call it. It is strict: what
// is not described is an *Error with its line.
func ParseMapping(name string, data []byte) (*Mapping, error) {
	top, err := form.Parse(name, data)
	if err != nil {
		return nil, err
	}
	// The defaults of all tables come first, wherever they stand in the file.
	var sections []yamltree.Member
	for t := range tableCount {
		sections = append(sections, yamltree.Optional(t.String(), func(yamltree.Node) error { return nil }))
	}
	var m Mapping
	for t := range tableCount {
		m.tables[t] = newLayout()
		if err := m.tables[t].read(top, tableCount, sections...); err != nil {
			return nil, err
		}
		section := top.Find(t.String())
		if m.given[t] = section.Path() != ""; !m.given[t] {
			continue
		}
		if err := m.tables[t].read(section, t); err != nil {
			return nil, err
		}
	}
	return &m, nil
}

// read reads the members of one table, or with tableCount those for all, over
// what the layout has. Further members are known besides.
func (l *layout) read(n yamltree.Node, t table, further ...yamltree.Member) error {
	member := yamltree.Optional
	err := n.Mapping(append([]yamltree.Member{
		member("columns", l.readFields(t, (*origin).readColumns)),
		member("constants", l.readFields(t, (*origin).readConstant)),
		member("kinds", func(n yamltree.Node) error { return l.readKinds(n, t) }),
		member("date_format", yamltree.Compiled(&l.date, "a date format", compileDate)),
		member("time_zone", yamltree.Parsed(&l.zone, "the IANA name of a time zone, such as Europe/Berlin or UTC", asZone)),
		member("amount_format", yamltree.Either(&l.amount.decimal, "minor", "decimal")),
		member("decimal_separator", yamltree.Parsed(&l.amount.point, "one character that is no digit, letter or sign", asSeparator)),
		member("thousands_separator", yamltree.Parsed(&l.amount.group, "one character that is no digit, letter or sign", asSeparator)),
		member("negatives", yamltree.Enum(&l.amount.negatives, negativeNames...)),
		member("symbol", yamltree.Parsed(&l.amount.symbol, "a sign of a currency without digits or signs, such as $ or EUR", asSymbol)),
		member("sign", yamltree.Enum(&l.sign, "as_is", "negated", "absolute")),
		member("direction", l.readDirection),
		member("mcc_format", yamltree.Either(&l.mccNumber, "text", "number")),
		member("delimiter", yamltree.Parsed(&l.delimiter, `one ASCII character such as ";" or "\t", no letter, digit or quotation mark`, asDelimiter)),
		member("encoding", yamltree.Choice(&l.charset,
			yamltree.Word[encoding.Encoding]("utf-8", encoding.Nop), yamltree.Word[encoding.Encoding]("latin-1", charmap.ISO8859_1),
			yamltree.Word[encoding.Encoding]("windows-1252", charmap.Windows1252))),
		member("sheet", yamltree.Text(&l.sheet, "the name of a sheet")),
		member("id_format", yamltree.Either(&l.idNumber, "text", "number")),
		member("ids", yamltree.Either(&l.ownIDs, "column", "generated")),
		member("rounding", yamltree.Either(&l.roundDown, "exact", "down")),
		member("receipts", yamltree.Enum(&l.receipts, "none", "sum", "items")),
		member("skip_lines", yamltree.Whole(&l.skipLines, "lines", maxSkipLines)),
		member("skip", oneOrEach(&l.skip, readCondition)),
		member("only", oneOrEach(&l.only, readCondition)),
	}, further...)...)
	switch {
	case err != nil:
		return err
	case l.amount.decimal && l.amount.point == l.amount.group:
		return n.Fail("decimal_separator and thousands_separator are both %s", quote(l.amount.point))
	case l.names(fieldPrice) && (!l.names(fieldQuantity) || l.names(fieldAmount) || l.names(fieldNegative)):
		return n.Fail("expected quantity beside price among the columns, and no amount: it is their product")
	}
	return nil
}

func asZone(name string) (*time.Location, bool) {
	zone, err := time.LoadLocation(name)
	return zone, err == nil && name != "" && name != "Local"
}

// asSeparator takes one character that is no part of a number or a word.
func asSeparator(text string) (string, bool) {
	r, size := utf8.DecodeRuneInString(text)
	return text, size > 0 && size == len(text) && r != utf8.RuneError && !unicode.IsLetter(r) && !unicode.IsDigit(r) &&
		!unicode.IsControl(r) && !strings.ContainsRune("+-()", r)
}

func asSymbol(text string) (string, bool) {
	return text, text != "" && len(text) <= maxText && !strings.ContainsAny(text, "0123456789+-()") && strings.TrimSpace(text) == text
}

func asDelimiter(text string) (byte, bool) {
	_, separates := asSeparator(text)
	return (text + "\x00")[0], len(text) == 1 && (text == "\t" || separates) && text != `"`
}

// readFields reads the members of a mapping that are named after fields of the table:
// none is among the columns and among the constants.
func (l *layout) readFields(t table, read func(*origin, yamltree.Node, field) error) yamltree.Reader {
	var members []yamltree.Member
	for f := range fieldCount {
		if t.has(f) {
			members = append(members, yamltree.Optional(f.String(), func(n yamltree.Node) error {
				if o := l.fields[f]; o.line > 0 && o.table == t {
					return n.Fail("among the columns and the constants, on lines %d and %d", o.line, n.Line())
				}
				o := origin{table: t, line: n.Line()}
				err := read(&o, n, f)
				l.fields[f] = o
				return err
			}))
		}
	}
	return func(n yamltree.Node) error { return n.Mapping(members...) }
}

// readColumns reads the name of a field's column, those of several, or that there is none.
func (o *origin) readColumns(n yamltree.Node, f field) error {
	if n.IsNull() && f != fieldAmount && o.table.requires(f) {
		return n.Fail("expected the name of a column: %s need one", o.table)
	}
	if _, err := n.ListOf("names of columns", maxJoined); err != nil && n.IsList() {
		return err
	}
	return oneOrEach(&o.columns, func(name *string) yamltree.Reader { return yamltree.Text(name, "the name of a column") })(n)
}

func (o *origin) readConstant(n yamltree.Node, f field) error {
	if !slices.Contains(constantFields, f) {
		return n.Fail("cannot be the same in all rows; constants may be account, currency, kind, merchant, mcc and category")
	}
	return yamltree.Text(&o.constant, "a value")(n)
}

// oneOrEach reads the values of a list, or one that stands by itself; ~ is none.
func oneOrEach[T any](dst *[]T, read func(*T) yamltree.Reader) yamltree.Reader {
	return func(n yamltree.Node) error {
		if *dst = nil; n.IsNull() {
			return nil
		}
		if n.IsList() {
			return yamltree.Each(dst, read)(n)
		}
		*dst = make([]T, 1)
		return read(&(*dst)[0])(n)
	}
}

func (l *layout) readKinds(n yamltree.Node, t table) error {
	var words []yamltree.Option[history.Kind]
	for of, spec := range specs {
		for _, word := range slices.Sorted(maps.Keys(spec.kinds)) {
			if t == table(of) || t == tableCount {
				words = append(words, yamltree.Word(word, spec.kinds[word]))
			}
		}
	}
	entries, err := n.Entries()
	switch {
	case err != nil:
		return err
	case len(entries) > maxKinds:
		return n.Fail("expected at most %d kinds, not %d", maxKinds, len(entries))
	case len(entries) > 0 && len(words) == 0:
		return entries[0].Key.Fail("%s have no kinds", t)
	}
	for _, e := range entries {
		var kind history.Kind
		if err := yamltree.Choice(&kind, words...)(e.Node); err != nil {
			return err
		}
		l.kinds[strings.TrimSpace(e.Name)] = kind
	}
	return nil
}
