package intake

import (
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // time zones do not depend on the machine

	"go.yaml.in/yaml/v3"

	"recoup/audit/history"
)

// read reads the members of one table, or with tableCount those for all, over
// what the layout has.
func (l *layout) read(n node, t table) error {
	known := []member{
		{"columns", func(n node) error { return l.readColumns(n, t) }},
		{"constants", func(n node) error { return l.readConstants(n, t) }},
		{"kinds", func(n node) error { return l.readKinds(n, t) }},
		{"date_format", l.readDate},
		{"time_zone", l.readZone},
		{"amount_format", l.readAmountFormat},
		{"decimal_separator", func(n node) error { return readSeparator(n, &l.amount.point) }},
		{"thousands_separator", func(n node) error { return readSeparator(n, &l.amount.group) }},
		{"negatives", l.readNegatives},
		{"symbol", l.readSymbol},
		{"sign", l.readSign},
		{"direction", l.readDirection},
		{"mcc_format", l.readMCCFormat},
		{"delimiter", l.readDelimiter},
		{"encoding", l.readEncoding},
		{"skip_lines", func(n node) (err error) { l.skipLines, err = n.whole(maxSkipLines); return err }},
		{"skip", func(n node) (err error) { l.skip, err = readConditions(n); return err }},
		{"only", func(n node) (err error) { l.only, err = readConditions(n); return err }},
	}
	if t == tableCount {
		for _, table := range layouts { // read elsewhere; here they are known names
			known = append(known, member{name: table.name})
		}
	}
	if err := n.members(known...); err != nil {
		return err
	}
	if l.amount.decimal && l.amount.point == l.amount.group {
		return n.fail("decimal_separator and thousands_separator are both %s", quote(l.amount.point))
	}
	return n.disjoint("columns", "constants")
}

// disjoint refuses a name that is a member of two members.
func (n node) disjoint(a, b string) error {
	lines := map[string]int{}
	for i := 0; i < len(n.yaml.Content); i += 2 {
		if name := n.yaml.Content[i].Value; name != a && name != b {
			continue
		}
		inner := n.yaml.Content[i+1].Content
		for j := 0; j < len(inner); j += 2 {
			key := node{n.file, n.path, inner[j]}
			if line := lines[key.yaml.Value]; line > 0 {
				return key.fail("%s is among the %s and the %s, on lines %d and %d", key.yaml.Value, a, b, line, key.yaml.Line)
			}
			lines[key.yaml.Value] = key.yaml.Line
		}
	}
	return nil
}

// readField returns the field that a member is named after.
func readField(e entry, t table) (field, error) {
	f, known := fieldNamed(e.name)
	if known && (t == tableCount || t.has(f)) {
		return f, nil
	}
	var names []string
	for f := range fieldCount {
		if t == tableCount || t.has(f) {
			names = append(names, f.String())
		}
	}
	return 0, e.key.fail("unknown member; expected one of %s", strings.Join(names, ", "))
}

func (l *layout) readColumns(n node, t table) error {
	entries, err := n.entries()
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
		if e.null() {
			if t != tableCount && f != fieldAmount && slices.Contains(layouts[t].required, f) {
				return e.fail("expected the name of a column: %s need one", t)
			}
			l.absent[f] = true
			continue
		}
		if l.columns[f], err = e.text("the name of a column, or ~ for none"); err != nil {
			return err
		}
		l.lenient[f] = t == tableCount
	}
	return nil
}

// constantFields are those that all rows of a file may have in common.
var constantFields = []field{fieldCurrency, fieldKind, fieldMerchant, fieldMCC, fieldCategory}

func (l *layout) readConstants(n node, t table) error {
	entries, err := n.entries()
	if err != nil {
		return err
	}
	for _, e := range entries {
		f, err := readField(e, t)
		if err != nil {
			return err
		}
		if !slices.Contains(constantFields, f) {
			return e.key.fail("cannot be the same in all rows; constants may be currency, kind, merchant, mcc and category")
		}
		if l.constants[f], err = e.text("a value"); err != nil {
			return err
		}
	}
	return nil
}

func (l *layout) readKinds(n node, t table) error {
	entries, err := n.entries()
	if err != nil {
		return err
	}
	for _, e := range entries {
		tables := []table{t}
		if t == tableCount {
			tables = []table{refunds, rewards}
		}
		var words []string
		var kind history.Kind
		found := false
		for _, t := range tables {
			if k, ok := layouts[t].kinds[e.yaml.Value]; ok {
				kind, found = k, true
			}
			words = append(words, t.kindWords()...)
		}
		if len(words) == 0 {
			return e.key.fail("%s have no kinds", t)
		}
		if _, err := e.text(join(words)); err != nil {
			return err
		}
		if !found {
			return e.expected(join(words))
		}
		l.kinds[strings.TrimSpace(e.name)] = kind
	}
	return nil
}

func (l *layout) readDate(n node) error {
	text, err := n.text("a date format")
	if err != nil {
		return err
	}
	if l.date, err = compileDate(text); err != nil {
		return n.fail("%v", err)
	}
	return nil
}

func (l *layout) readZone(n node) error {
	const what = "the IANA name of a time zone, such as Europe/Berlin or UTC"
	text, err := n.text(what)
	if err != nil {
		return err
	}
	zone, err := time.LoadLocation(text)
	if err != nil || text == "Local" {
		return n.expected(what)
	}
	l.zone = zone
	return nil
}

func (l *layout) readAmountFormat(n node) error {
	text, err := n.word("minor", "decimal")
	l.amount.decimal = text == "decimal"
	return err
}

// readSeparator reads one character that is no digit, sign or letter.
func readSeparator(n node, dst *string) error {
	const what = "one character that is no digit, letter or sign"
	text, err := n.text(what)
	if err != nil {
		return err
	}
	if !isSeparator(text) {
		return n.expected(what)
	}
	*dst = text
	return nil
}

func (l *layout) readNegatives(n node) error {
	text, err := n.word("minus", "trailing_minus", "parentheses")
	switch text {
	case "minus":
		l.amount.negatives = leadingMinus
	case "trailing_minus":
		l.amount.negatives = trailingMinus
	case "parentheses":
		l.amount.negatives = parentheses
	}
	return err
}

func (l *layout) readSymbol(n node) error {
	const what = "a sign of a currency without digits or signs, such as $ or EUR"
	text, err := n.text(what)
	if err != nil {
		return err
	}
	if strings.ContainsAny(text, "0123456789+-()") || strings.TrimSpace(text) != text {
		return n.expected(what)
	}
	l.amount.symbol = text
	return nil
}

func (l *layout) readSign(n node) error {
	text, err := n.word("as_is", "negated", "absolute")
	switch text {
	case "as_is":
		l.sign = asIs
	case "negated":
		l.sign = negated
	case "absolute":
		l.sign = absolute
	}
	return err
}

func (l *layout) readDirection(n node) error {
	if n.null() {
		l.direction = nil
		return nil
	}
	var d direction
	err := n.members(
		member{"column", func(n node) (err error) { d.column, err = n.text("the name of a column"); return err }},
		member{"negative", func(n node) (err error) { d.negative, err = readValues(n); return err }},
		member{"positive", func(n node) (err error) { d.positive, err = readValues(n); return err }},
	)
	switch {
	case err != nil:
		return err
	case d.column == "" || len(d.negative) == 0:
		return n.fail("expected column and negative, such as {column: DC, negative: [D]}")
	}
	for _, value := range d.positive {
		if slices.Contains(d.negative, value) {
			return n.fail("%s is negative and positive", quote(value))
		}
	}
	l.direction = &d
	return nil
}

func (l *layout) readMCCFormat(n node) error {
	text, err := n.word("text", "number")
	l.mccNumber = text == "number"
	return err
}

func (l *layout) readDelimiter(n node) error {
	const what = `one ASCII character such as ";" or "\t", no letter, digit or quotation mark`
	text, err := n.text(what)
	if err != nil {
		return err
	}
	if len(text) != 1 || text != "\t" && !isSeparator(text) || text[0] == '"' || text[0] >= 0x80 {
		return n.expected(what)
	}
	l.delimiter = text[0]
	return nil
}

func (l *layout) readEncoding(n node) error {
	text, err := n.word("utf-8", "latin-1")
	l.latin1 = text == "latin-1"
	return err
}

// readConditions reads one condition or a list of them; ~ is none.
func readConditions(n node) ([]condition, error) {
	nodes := []node{n}
	switch {
	case n.null():
		return nil, nil
	case n.yaml.Kind == yaml.SequenceNode:
		var err error
		if nodes, err = n.items(); err != nil {
			return nil, err
		}
	}
	conditions := make([]condition, len(nodes))
	for i, n := range nodes {
		c := &conditions[i]
		err := n.members(
			member{"column", func(n node) (err error) { c.column, err = n.text("the name of a column"); return err }},
			member{"values", func(n node) error {
				values, err := readValues(n)
				c.values = make(map[string]bool, len(values))
				for _, value := range values {
					c.values[value] = true
				}
				return err
			}},
		)
		switch {
		case err != nil:
			return nil, err
		case c.column == "" || len(c.values) == 0:
			return nil, n.fail("expected column and values, such as {column: Status, values: [DECLINED]}")
		}
	}
	return conditions, nil
}

// readValues reads a list of values as rows have them, without the spaces around
// them; "" is an empty one.
func readValues(n node) ([]string, error) {
	items, err := n.items()
	if err != nil {
		return nil, err
	}
	values := make([]string, len(items))
	for i, item := range items {
		const what = "a value"
		switch err := item.require(yaml.ScalarNode, what); {
		case err != nil:
			return nil, err
		case item.null():
			return nil, item.expected(what + ` ("" for an empty one)`)
		case len(item.yaml.Value) > maxText:
			return nil, item.fail("expected %s of at most %d bytes, not %d", what, maxText, len(item.yaml.Value))
		}
		values[i] = strings.TrimSpace(item.yaml.Value)
	}
	return values, nil
}

// columnNames lists the columns that the layout names besides those of fields.
func (l *layout) columnNames() []string {
	var names []string
	for _, c := range slices.Concat(l.skip, l.only) {
		names = append(names, c.column)
	}
	if l.direction != nil {
		names = append(names, l.direction.column)
	}
	return names
}
