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
	member, word := yamltree.Optional, yamltree.Word[bool]
	told := map[field]int{}
	err := n.Mapping(append([]yamltree.Member{
		member("columns", func(n yamltree.Node) error { return readFields(n, t, told, l.readColumns) }),
		member("constants", func(n yamltree.Node) error { return readFields(n, t, told, l.readConstant) }),
		member("kinds", func(n yamltree.Node) error { return l.readKinds(n, t) }),
		member("date_format", l.readDate),
		member("time_zone", parsed(&l.zone, "the IANA name of a time zone, such as Europe/Berlin or UTC", func(name string) (*time.Location, bool) {
			zone, err := time.LoadLocation(name)
			return zone, err == nil && name != "" && name != "Local"
		})),
		member("amount_format", yamltree.Choice(&l.amount.decimal, word("minor", false), word("decimal", true))),
		member("decimal_separator", readSeparator(&l.amount.point)),
		member("thousands_separator", readSeparator(&l.amount.group)),
		member("negatives", yamltree.Choice(&l.amount.negatives,
			yamltree.Word("minus", leadingMinus), yamltree.Word("trailing_minus", trailingMinus), yamltree.Word("parentheses", parentheses))),
		member("symbol", parsed(&l.amount.symbol, "a sign of a currency without digits or signs, such as $ or EUR", func(text string) (string, bool) {
			return text, text != "" && len(text) <= maxText && !strings.ContainsAny(text, "0123456789+-()") && strings.TrimSpace(text) == text
		})),
		member("sign", yamltree.Choice(&l.sign, yamltree.Word("as_is", asIs), yamltree.Word("negated", negated), yamltree.Word("absolute", absolute))),
		member("direction", l.readDirection),
		member("mcc_format", yamltree.Choice(&l.mccNumber, word("text", false), word("number", true))),
		member("delimiter", parsed(&l.delimiter, `one ASCII character such as ";" or "\t", no letter, digit or quotation mark`, func(text string) (byte, bool) {
			return (text + "\x00")[0], len(text) == 1 && (text == "\t" || isSeparator(text)) && text != `"`
		})),
		member("encoding", yamltree.Choice(&l.charset, yamltree.Word[encoding.Encoding]("utf-8", nil),
			yamltree.Word[encoding.Encoding]("latin-1", charmap.ISO8859_1), yamltree.Word[encoding.Encoding]("windows-1252", charmap.Windows1252))),
		member("sheet", yamltree.Text(&l.sheet, "the name of a sheet")),
		member("id_format", yamltree.Choice(&l.idNumber, word("text", false), word("number", true))),
		member("ids", yamltree.Choice(&l.ownIDs, word("column", false), word("generated", true))),
		member("rounding", yamltree.Choice(&l.roundDown, word("exact", false), word("down", true))),
		member("receipts", yamltree.Choice(&l.receipts,
			yamltree.Word("none", NoReceipts), yamltree.Word("sum", ReceiptSums), yamltree.Word("items", ReceiptItems))),
		member("skip_lines", yamltree.Whole(&l.skipLines, "lines", maxSkipLines)),
		member("skip", readConditions(&l.skip)),
		member("only", readConditions(&l.only)),
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

// parsed reads one value into dst as parse makes it of the text.
func parsed[T any](dst *T, what string, parse func(text string) (T, bool)) yamltree.Reader {
	return func(n yamltree.Node) error {
		text, err := n.Scalar(what)
		if err != nil {
			return err
		}
		value, ok := parse(text)
		if !ok {
			return n.Expected(what)
		}
		*dst = value
		return nil
	}
}

func readSeparator(dst *string) yamltree.Reader {
	return parsed(dst, "one character that is no digit, letter or sign", func(text string) (string, bool) { return text, isSeparator(text) })
}

// readFields reads the members of a mapping that are named after fields of the table, and
// notes on which lines: none is among the columns and among the constants.
func readFields(n yamltree.Node, t table, told map[field]int, read func(yamltree.Entry, field, table) error) error {
	entries, err := n.Entries()
	if err != nil {
		return err
	}
	for _, e := range entries {
		var names []string
		is := fieldCount
		for f := range fieldCount {
			if t == tableCount || t.has(f) {
				names = append(names, f.String())
				if f.String() == e.Name {
					is = f
				}
			}
		}
		if is == fieldCount {
			return e.Unknown(names)
		}
		if line := told[is]; line > 0 {
			return e.Key.Fail("among the columns and the constants, on lines %d and %d", line, e.Key.Line())
		}
		told[is] = e.Key.Line()
		if err := read(e, is, t); err != nil {
			return err
		}
	}
	return nil
}

// readColumns reads the name of a field's column, those of several, or that there is none.
func (l *layout) readColumns(e yamltree.Entry, f field, t table) error {
	delete(l.constants, f)
	const what = "~ for none, the name of a column or a list of names"
	c := columnsOf{lenient: t == tableCount}
	switch {
	case e.IsNull():
		if t != tableCount && f != fieldAmount && slices.Contains(layouts[t].required, f) {
			return e.Fail("expected the name of a column: %s need one", t)
		}
	case e.IsList():
		items, err := e.ListOf("names of columns", maxJoined)
		if err != nil {
			return err
		}
		for _, item := range items {
			name, err := item.Text("the name of a column")
			if err != nil {
				return err
			}
			c.names = append(c.names, name)
		}
		if len(items) == 0 {
			return e.Fail("expected %s, not an empty one", what)
		}
	default:
		name, err := e.Text(what)
		if err != nil {
			return err
		}
		c.names = []string{name}
	}
	l.columns[f] = c
	return nil
}

// constantFields are those that all rows of a file may have in common.
var constantFields = []field{fieldAccount, fieldCurrency, fieldKind, fieldMerchant, fieldMCC, fieldCategory}

func (l *layout) readConstant(e yamltree.Entry, f field, _ table) (err error) {
	if !slices.Contains(constantFields, f) {
		return e.Key.Fail("cannot be the same in all rows; constants may be account, currency, kind, merchant, mcc and category")
	}
	l.constants[f], err = e.Text("a value")
	return err
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
