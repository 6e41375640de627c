package intake

import (
	"maps"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // time zones do not depend on the machine

	"recoup/internal/audit/history"
	"recoup/internal/kit/yamltree"
)

const (
	aZone      = "the IANA name of a time zone, such as Europe/Berlin or UTC"
	aSeparator = "one character that is no digit, letter or sign"
	aSymbol    = "a sign of a currency without digits or signs, such as $ or EUR"
	aDelimiter = `one ASCII character such as ";" or "\t", no letter, digit or quotation mark`
)

// read reads the members of one table, or with tableCount those for all, over
// what the layout has. Further members are known besides.
func (l *layout) read(n yamltree.Node, t table, further ...yamltree.Member) error {
	told := map[field]int{}
	fields := func(read func(yamltree.Node, table, field) error) yamltree.Reader {
		return func(n yamltree.Node) error { return readFields(n, t, told, read) }
	}
	member := yamltree.Optional
	err := n.Mapping(append([]yamltree.Member{
		member("columns", fields(l.readColumns)),
		member("constants", fields(l.readConstant)),
		member("kinds", func(n yamltree.Node) error { return l.readKinds(n, t) }),
		member("date_format", l.readDate),
		member("time_zone", parsed(&l.zone, aZone, asZone)),
		member("amount_format", either(&l.amount.decimal, "minor", "decimal")),
		member("decimal_separator", parsed(&l.amount.point, aSeparator, asSeparator)),
		member("thousands_separator", parsed(&l.amount.group, aSeparator, asSeparator)),
		member("negatives", choice(&l.amount.negatives, negativeNames...)),
		member("symbol", parsed(&l.amount.symbol, aSymbol, asSymbol)),
		member("sign", choice(&l.sign, "as_is", "negated", "absolute")),
		member("direction", l.readDirection),
		member("mcc_format", either(&l.mccNumber, "text", "number")),
		member("delimiter", parsed(&l.delimiter, aDelimiter, asDelimiter)),
		member("encoding", choice(&l.charset, charsetNames...)),
		member("sheet", yamltree.Text(&l.sheet, "the name of a sheet")),
		member("id_format", either(&l.idNumber, "text", "number")),
		member("ids", either(&l.ownIDs, "column", "generated")),
		member("rounding", either(&l.roundDown, "exact", "down")),
		member("receipts", choice(&l.receipts, "none", "sum", "items")),
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

// choice reads one of the words, which stand for the values from 0.
func choice[T ~uint8](dst *T, words ...string) yamltree.Reader {
	options := make([]yamltree.Option[T], len(words))
	for i, word := range words {
		options[i] = yamltree.Word(word, T(i))
	}
	return yamltree.Choice(dst, options...)
}

func either(dst *bool, no, yes string) yamltree.Reader {
	return yamltree.Choice(dst, yamltree.Word(no, false), yamltree.Word(yes, true))
}

func asZone(name string) (*time.Location, bool) {
	zone, err := time.LoadLocation(name)
	return zone, err == nil && name != "" && name != "Local"
}

func asSeparator(text string) (string, bool) { return text, isSeparator(text) }

func asSymbol(text string) (string, bool) {
	return text, text != "" && len(text) <= maxText && !strings.ContainsAny(text, "0123456789+-()") && strings.TrimSpace(text) == text
}

func asDelimiter(text string) (byte, bool) {
	return (text + "\x00")[0], len(text) == 1 && (text == "\t" || isSeparator(text)) && text != `"`
}

// readFields reads the members of a mapping that are named after fields of the table, and
// notes on which lines: none is among the columns and among the constants.
func readFields(n yamltree.Node, t table, told map[field]int, read func(yamltree.Node, table, field) error) error {
	var members []yamltree.Member
	for f := range fieldCount {
		if t != tableCount && !t.has(f) {
			continue
		}
		members = append(members, yamltree.Optional(f.String(), func(n yamltree.Node) error {
			if line := told[f]; line > 0 {
				return n.Fail("among the columns and the constants, on lines %d and %d", line, n.Line())
			}
			told[f] = n.Line()
			return read(n, t, f)
		}))
	}
	return n.Mapping(members...)
}

// readColumns reads the name of a field's column, those of several, or that there is none.
func (l *layout) readColumns(n yamltree.Node, t table, f field) error {
	if n.IsNull() && t != tableCount && f != fieldAmount && t.requires(f) {
		return n.Fail("expected the name of a column: %s need one", t)
	}
	nodes, err := eachOf(n)
	if err != nil {
		return err
	}
	if len(nodes) > maxJoined {
		return n.Fail("expected at most %d names of columns, not %d", maxJoined, len(nodes))
	}
	c := columnsOf{make([]string, len(nodes)), t == tableCount}
	for i, node := range nodes {
		what := "the name of a column"
		if !n.IsList() {
			what = "~ for none, the name of a column or a list of names"
		}
		if c.names[i], err = node.Text(what); err != nil {
			return err
		}
	}
	delete(l.constants, f)
	l.columns[f] = c
	return nil
}

// eachOf returns the values of a list, or one that stands by itself; ~ is none.
func eachOf(n yamltree.Node) ([]yamltree.Node, error) {
	switch {
	case n.IsNull():
		return nil, nil
	case n.IsList():
		return n.List()
	}
	return []yamltree.Node{n}, nil
}

func (l *layout) readConstant(n yamltree.Node, _ table, f field) (err error) {
	if !slices.Contains(constantFields, f) {
		return n.Fail("cannot be the same in all rows; constants may be currency, kind, merchant, mcc and category")
	}
	l.constants[f], err = n.Text("a value")
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
	var words []yamltree.Option[history.Kind]
	for of, spec := range specs {
		if t != table(of) && t != tableCount {
			continue
		}
		for _, word := range slices.Sorted(maps.Keys(spec.kinds)) {
			words = append(words, yamltree.Word(word, spec.kinds[word]))
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
