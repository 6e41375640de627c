package intake

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"recoup/internal/intake/history"
	"recoup/reward"
)

// Line is a row of a file, with what an audit does not ask for.
type Line struct {
	history.Row
	// Milli is the amount in thousandths of minor units, exactly.
	Milli int64
	// Price and Quantity are what Milli is the product of, both in thousandths; zero
	// where the file has no such columns.
	Price, Quantity int64
	Article         string // what was bought; "" where the file does not say
	Receipts        Receipts
	Path            string // of the file
	Place           int64  // line, or row where there are none
}

// rowReader turns the values of one file's rows into lines.
type rowReader struct {
	*layout
	table      table
	from       *file
	unit       reward.Unit // of amounts, as the program says
	fields     []*fieldReader
	money      *fieldReader // says the amount: of a price, an amount or a negative amount
	conditions []condition  // those to skip, then the only ones
	numbers    amountFormat // of quantities and conditions
	directed   int          // index of the direction's column
	ids        string       // what generated ids begin with; "" for none
	priced     bool         // amounts are prices times quantities
	err        error        // with the columns, the first
	line       Line         // the last that was read
}

// fieldReader reads one field of a row.
type fieldReader struct {
	field
	at       []int        // indexes of its columns, whose values are joined with spaces
	name     string       // with that of its column, if it is one of another name
	constant string       // the value where it has none
	must     bool         // not be empty
	to       *string      // where text goes; nil for what is more than text
	amounts  amountFormat // of an amount
	dates    dateReader   // of a time
}

// text is the field's value without the spaces around it.
func (x *fieldReader) text(values []string) string {
	switch len(x.at) {
	case 0:
		return x.constant
	case 1:
		return strings.TrimSpace(values[x.at[0]])
	}
	return joined(values, x.at)
}

// joined is the values of several columns that make one.
func joined(values []string, at []int) string {
	return strings.Join(each(at, func(i int) string { return strings.TrimSpace(values[i]) }), " ")
}

// why says in which way a row is left out.
type why uint8

const (
	bad           why = iota
	skipped           // as the mapping says
	otherCurrency     // than the program's
)

// fault is why a row is left out.
type fault struct {
	why    why
	wanted string // what was expected, and where
	found  string // what was there; "" where that would say nothing, or too much
}

var leftOut = &fault{why: skipped, wanted: "left out as the mapping says (skip, only)"}

// wrong says what is wrong with a field.
func (x *fieldReader) wrong(reason, found string) *fault {
	why := bad
	if x.field == fieldCurrency && reason != missing && reason != control {
		why = otherCurrency
	}
	if len(found) > maxText {
		reason = longText
	}
	if slices.Contains(selfEvident, reason) {
		found = ""
	}
	return &fault{why, x.name + ": " + reason, found}
}

// read reads one row into the line, or says why it is left out.
func (r *rowReader) read(values []string) *fault {
	if !fits(values, len(r.from.columns)) {
		return &fault{wanted: fmt.Sprintf("expected %d values, as the header has columns", len(r.from.columns))}
	}
	for i := range r.conditions {
		c := &r.conditions[i]
		holds, reason := c.holds(strings.TrimSpace(values[c.at]), &r.numbers)
		if reason != "" {
			return &fault{wanted: reason, found: values[c.at]}
		}
		if skip := i < len(r.skip); holds == skip {
			return leftOut
		}
	}
	r.line = Line{Row: history.Row{Kind: specs[r.table].kind}, Path: r.from.path, Place: r.from.place, Receipts: r.receipts}
	if r.ids != "" {
		r.line.ID = r.ids + strconv.FormatInt(r.from.place, 10)
	}
	for _, x := range r.fields {
		text, reason := x.text(values), ""
		switch {
		case text != "":
			reason = r.set(x, text)
		case x.must:
			reason = missing
		}
		if reason != "" {
			return x.wrong(reason, text)
		}
	}
	return r.settle(values)
}

// settle gives the amount its sign, and refuses what is none.
func (r *rowReader) settle(values []string) *fault {
	line := &r.line
	n, reason := line.Milli, ""
	if r.priced {
		n, reason = r.money.amounts.times(line.Price, line.Quantity)
	}
	if r.sign == negated || r.sign == absolute && n < 0 {
		n = -n
	}
	if d := r.direction; d != nil {
		switch way := strings.TrimSpace(values[r.directed]); {
		case d.negative.has(way):
			n = -n
		case d.positive != nil && !d.positive.has(way):
			return r.money.wrong("expected one of the values of direction in the mapping", way)
		}
	}
	line.Milli, line.Amount = n, n/milli
	switch {
	case reason != "":
	case n == 0 && r.money.text(values) == "":
		reason = missing
	case n%milli != 0 && !r.roundDown:
		reason = r.money.amounts.fewer()
	case n == 0 && specs[r.table].signed: // the total of a month without any, or what earned nothing
		return &fault{skipped, r.money.name + ": zero, which changes no balance", ""}
	case line.Amount == 0 && (n == 0 || r.receipts == NoReceipts):
		reason = zero
	case n < 0 && !specs[r.table].signed:
		reason = "below zero; expected it above (see sign and only in the mapping)"
	default:
		return nil
	}
	return r.money.wrong(reason, r.money.text(values))
}

// Reasons for refusing a value.
const (
	zero       = "zero; expected an amount"
	beside     = "given beside an amount; expected one of them"
	control    = "a line break or another control character in it; is a quotation mark missing?"
	notEncoded = "not in the encoding that the mapping says; see encoding in the mapping"
)

var (
	longText = fmt.Sprintf("longer than %d bytes", maxText)
	// selfEvident are reasons that are not told with the value.
	selfEvident = []string{missing, zero, beside, notEncoded, longText}
)

// set reads the text of a field, which is not empty, into the line, or says what is
// wrong with it.
func (r *rowReader) set(x *fieldReader, text string) (reason string) {
	switch x.field {
	case fieldCurrency:
		switch {
		case strings.EqualFold(text, r.unit.Name):
		case strings.ContainsFunc(text, unicode.IsControl):
			reason = control
		default:
			reason = "expected " + r.unit.Name + ", the program's"
		}
	case fieldKind:
		kind := r.kinds[text]
		if !r.table.takes(kind) {
			kind = specs[r.table].kinds[strings.ToLower(text)]
		}
		if r.line.Kind = kind; kind == 0 {
			reason = "expected a known kind (see kinds in the mapping)"
		}
	case fieldMCC:
		if r.mccNumber && len(text) < len("0742") {
			text = "0000"[len(text):] + text
		}
		var ok bool
		if r.line.MCC, ok = reward.ParseMCC(text); !ok {
			reason = "expected four digits"
		}
	case fieldPostedAt:
		r.line.At, reason = x.dates.read(text)
	case fieldAmount, fieldNegative, fieldPrice, fieldQuantity:
		reason = r.setNumber(x, text)
	default:
		reason = r.setText(x, text)
	}
	return reason
}

// setText takes text that is of a lawful length and has no control characters. Of a
// number for an id a data frame may have made a decimal.
func (r *rowReader) setText(x *fieldReader, text string) string {
	switch {
	case len(text) > maxText:
		return longText
	case isPlain(text): // most are
	case !utf8.ValidString(text) || strings.ContainsRune(text, utf8.RuneError):
		return notEncoded
	case strings.ContainsFunc(text, unicode.IsControl):
		return control
	}
	if digits, decimal := strings.CutSuffix(text, ".0"); decimal && r.idNumber && x.field <= fieldRefund && isDigits(digits) {
		text = digits
	}
	*x.to = text
	return ""
}

// isPlain reports whether a text is of printable ASCII alone.
func isPlain(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

// setNumber reads amounts and quantities.
func (r *rowReader) setNumber(x *fieldReader, text string) string {
	line := &r.line
	n, reason := x.amounts.read(text)
	switch {
	case x.field == fieldQuantity:
		if line.Quantity = n / quantityScale; reason == "" && n%quantityScale != 0 {
			reason = x.amounts.fewer()
		}
	case x.field == fieldPrice && r.priced:
		line.Price = n
	case x.field == fieldNegative && n != 0 && line.Milli != 0:
		return beside
	case x.field == fieldNegative:
		line.Milli -= n
	default:
		line.Milli = n
	}
	return reason
}
