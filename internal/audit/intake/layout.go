package intake

import (
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // time zones do not depend on the machine

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"

	"recoup/internal/audit/history"
	"recoup/internal/kit/yamltree"
)

// read reads the members of one table, or with tableCount those for all, over
// what the layout has. Further members are known besides.
func (l *layout) read(n yamltree.Node, t table, further ...yamltree.Member) error {
	err := n.Mapping(append([]yamltree.Member{
		yamltree.Optional("columns", func(n yamltree.Node) error { return l.readColumns(n, t) }),
		yamltree.Optional("constants", func(n yamltree.Node) error { return l.readConstants(n, t) }),
		yamltree.Optional("kinds", func(n yamltree.Node) error { return l.readKinds(n, t) }),
		yamltree.Optional("date_format", l.readDate),
		yamltree.Optional("time_zone", l.readZone),
		yamltree.Optional("amount_format", yamltree.Choice(&l.amount.decimal,
			yamltree.Word("minor", false), yamltree.Word("decimal", true))),
		yamltree.Optional("decimal_separator", readSeparator(&l.amount.point)),
		yamltree.Optional("thousands_separator", readSeparator(&l.amount.group)),
		yamltree.Optional("negatives", yamltree.Choice(&l.amount.negatives,
			yamltree.Word("minus", leadingMinus), yamltree.Word("trailing_minus", trailingMinus), yamltree.Word("parentheses", parentheses))),
		yamltree.Optional("symbol", l.readSymbol),
		yamltree.Optional("sign", yamltree.Choice(&l.sign,
			yamltree.Word("as_is", asIs), yamltree.Word("negated", negated), yamltree.Word("absolute", absolute))),
		yamltree.Optional("direction", l.readDirection),
		yamltree.Optional("mcc_format", yamltree.Choice(&l.mccNumber,
			yamltree.Word("text", false), yamltree.Word("number", true))),
		yamltree.Optional("delimiter", l.readDelimiter),
		yamltree.Optional("encoding", yamltree.Choice(&l.charset, yamltree.Word[encoding.Encoding]("utf-8", nil),
			yamltree.Word[encoding.Encoding]("latin-1", charmap.ISO8859_1), yamltree.Word[encoding.Encoding]("windows-1252", charmap.Windows1252))),
		yamltree.Optional("sheet", yamltree.Text(&l.sheet, "the name of a sheet")),
		yamltree.Optional("id_format", yamltree.Choice(&l.idNumber,
			yamltree.Word("text", false), yamltree.Word("number", true))),
		yamltree.Optional("ids", yamltree.Choice(&l.ownIDs, yamltree.Word("column", false), yamltree.Word("generated", true))),
		yamltree.Optional("rounding", yamltree.Choice(&l.roundDown, yamltree.Word("exact", false), yamltree.Word("down", true))),
		yamltree.Optional("receipts", yamltree.Choice(&l.receipts, yamltree.Word("none", NoReceipts),
			yamltree.Word("sum", ReceiptSums), yamltree.Word("items", ReceiptItems))),
		yamltree.Optional("skip_lines", yamltree.Whole(&l.skipLines, "lines", maxSkipLines)),
		yamltree.Optional("skip", readConditions(&l.skip)),
		yamltree.Optional("only", readConditions(&l.only)),
	}, further...)...)
	if err != nil {
		return err
	}
	if l.amount.decimal && l.amount.point == l.amount.group {
		return n.Fail("decimal_separator and thousands_separator are both %s", quote(l.amount.point))
	}
	if l.columns[fieldPrice] != nil && (l.columns[fieldQuantity] == nil || l.columns[fieldAmount] != nil || l.columns[fieldNegative] != nil) {
		return n.Fail("expected quantity beside price among the columns, and no amount: it is their product")
	}
	return refuseColumnAndConstant(n)
}

// refuseColumnAndConstant refuses a field that is among the columns and among
// the constants.
func refuseColumnAndConstant(n yamltree.Node) error {
	members, err := n.Entries()
	if err != nil {
		return err
	}
	lines := map[string]int{}
	for _, m := range members {
		if m.Name != "columns" && m.Name != "constants" {
			continue
		}
		fields, err := m.Entries()
		if err != nil {
			return err
		}
		for _, f := range fields {
			if line := lines[f.Name]; line > 0 {
				return f.Key.Fail("among the columns and the constants, on lines %d and %d", line, f.Key.Line())
			}
			lines[f.Name] = f.Key.Line()
		}
	}
	return nil
}

// readField returns the field that a member is named after.
func readField(e yamltree.Entry, t table) (field, error) {
	f, known := fieldNamed(e.Name)
	if known && (t == tableCount || t.has(f)) {
		return f, nil
	}
	var names []string
	for f := range fieldCount {
		if t == tableCount || t.has(f) {
			names = append(names, f.String())
		}
	}
	return 0, e.Unknown(names)
}

func (l *layout) readColumns(n yamltree.Node, t table) error {
	entries, err := n.Entries()
	if err != nil {
		return err
	}
	for _, e := range entries {
		f, err := readField(e, t)
		if err != nil {
			return err
		}
		delete(l.constants, f)
		delete(l.columns, f)
		delete(l.absent, f)
		delete(l.lenient, f)
		if e.IsNull() {
			if t != tableCount && f != fieldAmount && slices.Contains(layouts[t].required, f) {
				return e.Fail("expected the name of a column: %s need one", t)
			}
			l.absent[f] = true
			continue
		}
		if l.columns[f], err = readNames(e.Node); err != nil {
			return err
		}
		l.lenient[f] = t == tableCount
	}
	return nil
}

// readNames reads the name of a column, or those of several.
func readNames(n yamltree.Node) ([]string, error) {
	const what = "~ for none, the name of a column or a list of names"
	if !n.IsList() {
		name, err := n.Text(what)
		return []string{name}, err
	}
	items, err := n.ListOf("names of columns", maxJoined)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(items))
	for i, item := range items {
		if names[i], err = item.Text("the name of a column"); err != nil {
			return nil, err
		}
	}
	if len(names) == 0 {
		return nil, n.Fail("expected %s, not an empty one", what)
	}
	return names, nil
}

// constantFields are those that all rows of a file may have in common.
var constantFields = []field{fieldCurrency, fieldKind, fieldMerchant, fieldMCC, fieldCategory}

func (l *layout) readConstants(n yamltree.Node, t table) error {
	entries, err := n.Entries()
	if err != nil {
		return err
	}
	for _, e := range entries {
		f, err := readField(e, t)
		if err != nil {
			return err
		}
		if !slices.Contains(constantFields, f) {
			return e.Key.Fail("cannot be the same in all rows; constants may be currency, kind, merchant, mcc and category")
		}
		if l.constants[f], err = e.Text("a value"); err != nil {
			return err
		}
	}
	return nil
}

func (l *layout) readKinds(n yamltree.Node, t table) error {
	entries, err := n.Entries()
	if err != nil {
		return err
	}
	if len(entries) > maxKinds {
		return n.Fail("expected at most %d kinds, not %d", maxKinds, len(entries))
	}
	tables := []table{t}
	if t == tableCount {
		tables = []table{refunds, rewards}
	}
	var words []yamltree.Option[history.Kind]
	for _, t := range tables {
		for _, word := range t.kindWords() {
			words = append(words, yamltree.Word(word, layouts[t].kinds[word]))
		}
	}
	for _, e := range entries {
		if len(words) == 0 {
			return e.Key.Fail("%s have no kinds", t)
		}
		var kind history.Kind
		if err := yamltree.Choice(&kind, words...)(e.Node); err != nil {
			return err
		}
		l.kinds[strings.TrimSpace(e.Name)] = kind
	}
	return nil
}

func (l *layout) readDate(n yamltree.Node) error {
	text, err := n.Text("a date format")
	if err != nil {
		return err
	}
	if l.date, err = compileDate(text); err != nil {
		return n.Fail("%v", err)
	}
	return nil
}

func (l *layout) readZone(n yamltree.Node) error {
	const what = "the IANA name of a time zone, such as Europe/Berlin or UTC"
	name, err := n.Scalar(what)
	if err != nil {
		return err
	}
	zone, err := time.LoadLocation(name)
	if err != nil || name == "" || name == "Local" {
		return n.Expected(what)
	}
	l.zone = zone
	return nil
}

// readSeparator reads one character that is no digit, sign or letter.
func readSeparator(dst *string) yamltree.Reader {
	return func(n yamltree.Node) error {
		const what = "one character that is no digit, letter or sign"
		text, err := n.Scalar(what)
		if err != nil {
			return err
		}
		if !isSeparator(text) {
			return n.Expected(what)
		}
		*dst = text
		return nil
	}
}

func (l *layout) readSymbol(n yamltree.Node) error {
	const what = "a sign of a currency without digits or signs, such as $ or EUR"
	text, err := n.Scalar(what)
	if err != nil {
		return err
	}
	if text == "" || len(text) > maxText || strings.ContainsAny(text, "0123456789+-()") || strings.TrimSpace(text) != text {
		return n.Expected(what)
	}
	l.amount.symbol = text
	return nil
}

func (l *layout) readDirection(n yamltree.Node) error {
	if n.IsNull() {
		l.direction = nil
		return nil
	}
	var d direction
	err := n.Mapping(
		yamltree.Optional("column", yamltree.Text(&d.column, "the name of a column")),
		yamltree.Optional("negative", readValues(&d.negative)),
		yamltree.Optional("positive", readValues(&d.positive)),
	)
	switch {
	case err != nil:
		return err
	case d.column == "" || len(d.negative) == 0:
		return n.Fail("expected column and negative, such as {column: DC, negative: [D]}")
	}
	for _, value := range d.positive {
		if slices.Contains(d.negative, value) {
			return n.Fail("%s is negative and positive", quote(value))
		}
	}
	l.direction = &d
	return nil
}

func (l *layout) readDelimiter(n yamltree.Node) error {
	const what = `one ASCII character such as ";" or "\t", no letter, digit or quotation mark`
	text, err := n.Scalar(what)
	if err != nil {
		return err
	}
	if len(text) != 1 || text != "\t" && !isSeparator(text) || text[0] == '"' || text[0] >= 0x80 {
		return n.Expected(what)
	}
	l.delimiter = text[0]
	return nil
}

// readValues reads a list of values as rows have them, without the spaces around
// them; "" is an empty one.
func readValues(dst *[]string) yamltree.Reader {
	return func(n yamltree.Node) error {
		items, err := n.List()
		if err != nil {
			return err
		}
		values := make([]string, len(items))
		for i, item := range items {
			value, err := item.Scalar(`a value ("" for an empty one)`)
			switch {
			case err != nil:
				return err
			case len(value) > maxText:
				return item.Fail("expected a value of at most %d bytes, not %d", maxText, len(value))
			}
			values[i] = strings.TrimSpace(value)
		}
		*dst = values
		return nil
	}
}
