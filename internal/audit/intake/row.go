package intake

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"recoup/internal/audit/history"
	"recoup/program"
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
	Path            string // of the file
	Place           int64  // line, or row where there are none
}

// rowReader turns the values of one file's rows into lines.
type rowReader struct {
	*layout
	table    table
	from     *file
	currency string // the program's

	kinds      map[string]history.Kind // of the mapping and the table
	fields     []fieldReader
	money      *fieldReader // says the amount: of a price, an amount or a negative amount
	conditions []condition  // those to skip, then the only ones
	amounts    amountFormat
	numbers    amountFormat // of quantities and conditions
	directed   int          // index of the direction's column
	ids        string       // what generated ids begin with; "" for none
	priced     bool         // amounts are prices times quantities
	used       []int        // indexes of all columns that are read
	err        error        // with the columns, the first
}

// fieldReader reads one field of a row.
type fieldReader struct {
	field
	at       []int  // indexes of its columns, whose values are joined with spaces
	column   string // what it is called if it is one
	constant string // the value where it has none
	must     bool   // not be empty
	read     func(text string, line *Line) (reason string)
}

// text is the field's value without the spaces around it.
func (x *fieldReader) text(values []string) string {
	switch len(x.at) {
	case 0:
		return x.constant
	case 1:
		text := values[x.at[0]]
		if last := len(text) - 1; last < 0 || plainSign(text[0]) && plainSign(text[last]) { // most have no spaces
			return text
		}
		return strings.TrimSpace(text)
	}
	return joined(values, x.at)
}

// joined is the values of several columns that make one.
func joined(values []string, at []int) string {
	parts := make([]string, len(at))
	for i, at := range at {
		parts[i] = strings.TrimSpace(values[at])
	}
	return strings.Join(parts, " ")
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
	field  *fieldReader // nil: of the row as a whole
	reason string
	found  string // what was there; "" where that would say nothing, or too much
}

// wanted is what was expected, and where.
func (f *fault) wanted() string {
	switch x := f.field; {
	case x == nil:
		return f.reason
	case x.column != "" && x.column != x.String():
		return x.String() + " (column " + quote(x.column) + "): " + f.reason
	default:
		return x.String() + ": " + f.reason
	}
}

var leftOut = &fault{why: skipped, reason: "left out as the mapping says (skip, only)"}

// wrong says what is wrong with a field.
func (x *fieldReader) wrong(reason, found string) *fault {
	f := &fault{bad, x, reason, found}
	if len(found) > maxText {
		f.reason, f.found = longText, ""
	}
	if slices.Contains(selfEvident, reason) {
		f.found = ""
	}
	if x.field == fieldCurrency && reason != missing && reason != control {
		f.why = otherCurrency
	}
	return f
}

// read reads one row, or says why it is left out.
func (r *rowReader) read(values []string, place int64, line *Line) *fault {
	if !fits(values, len(r.from.columns)) {
		return &fault{reason: fmt.Sprintf("expected %d values, as the header has columns", len(r.from.columns))}
	}
	for i := range r.conditions {
		c := &r.conditions[i]
		holds, reason := c.holds(strings.TrimSpace(values[c.at]), &r.numbers)
		if reason != "" {
			return &fault{reason: reason, found: values[c.at]}
		}
		if skip := i < len(r.skip); holds == skip {
			return leftOut
		}
	}
	*line = Line{Row: history.Row{Kind: specs[r.table].kind}, Path: r.from.path, Place: place}
	if r.ids != "" {
		line.ID = r.ids + strconv.FormatInt(place, 10)
	}
	for i := range r.fields {
		x := &r.fields[i]
		text, reason := x.text(values), ""
		switch {
		case text != "":
			reason = x.read(text, line)
		case x.must:
			reason = missing
		}
		if reason != "" {
			return x.wrong(reason, text)
		}
	}
	return r.settle(values, line)
}

// settle gives the amount its sign, and refuses what is none.
func (r *rowReader) settle(values []string, line *Line) *fault {
	n, reason := line.Milli, ""
	if r.priced {
		n, reason = r.amounts.times(line.Price, line.Quantity)
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
		reason = r.amounts.fewer()
	case n == 0 && specs[r.table].signed: // the total of a month without any, or what earned nothing
		return &fault{skipped, r.money, "zero, which changes no balance", ""}
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
	selfEvident = []string{missing, zero, beside, notEncoded}
)

// reading returns what reads a field of text that is not empty.
func (r *rowReader) reading(x *fieldReader) func(text string, line *Line) string {
	kind := textColumn
	if len(x.at) == 1 {
		kind = r.from.kinds[x.at[0]]
	}
	switch x.field {
	case specs[r.table].id:
		return r.textReader(x.field, func(line *Line) *string { return &line.ID })
	case fieldAmount, fieldNegative, fieldPrice, fieldQuantity:
		return r.numberReader(x.field, kind)
	case fieldCurrency:
		return r.readCurrency
	case fieldKind:
		return r.readKind
	case fieldMCC:
		return r.readMCC
	case fieldPostedAt:
		dates := dateReader{dateFormat: r.date, zone: r.zone}
		if kind == timeColumn {
			dates.dateFormat = iso
		}
		return func(text string, line *Line) (reason string) {
			line.At, reason = dates.read(text)
			return reason
		}
	}
	return r.textReader(x.field, texts[x.field])
}

// texts are where fields of text go that name no row.
var texts = map[field]func(*Line) *string{
	fieldAccount:     func(line *Line) *string { return &line.Account },
	fieldTransaction: func(line *Line) *string { return &line.Transaction },
	fieldMerchant:    func(line *Line) *string { return &line.Merchant },
	fieldCategory:    func(line *Line) *string { return &line.Category },
	fieldArticle:     func(line *Line) *string { return &line.Article },
}

func (r *rowReader) textReader(f field, to func(*Line) *string) func(text string, line *Line) string {
	number := r.idNumber && f <= fieldRefund
	return func(text string, line *Line) string {
		switch {
		case len(text) > maxText:
			return longText
		case isPlain(text): // most are
		case !utf8.ValidString(text) || strings.ContainsRune(text, utf8.RuneError):
			return notEncoded
		case strings.ContainsFunc(text, unicode.IsControl):
			return control
		}
		if number {
			if digits, decimal := strings.CutSuffix(text, ".0"); decimal && strings.Trim(digits, "0123456789") == "" {
				text = digits
			}
		}
		*to(line) = text
		return ""
	}
}

func plainSign(c byte) bool { return c > ' ' && c <= '~' }

// isPlain reports whether a text is of printable ASCII alone.
func isPlain(text string) bool {
	for i := range len(text) {
		if text[i] != ' ' && !plainSign(text[i]) {
			return false
		}
	}
	return true
}

// numberReader reads amounts as the mapping writes them, or as a typed column does,
// and quantities.
func (r *rowReader) numberReader(f field, kind columnKind) func(text string, line *Line) string {
	format := r.amounts
	if kind == decimalColumn {
		format = amountFormat{decimal: true, point: ".", decimals: format.decimals}
	}
	if _, known := program.MinorUnits(r.currency); !known && format.decimal && f != fieldQuantity {
		r.err = &Error{File: r.from.path, Reason: fmt.Sprintf("decimal amounts in %s: expected a program in a currency of ISO 4217 that is in use", r.currency)}
	}
	if f == fieldQuantity {
		return func(text string, line *Line) string {
			n, reason := r.numbers.read(text)
			if line.Quantity = n / quantityScale; reason == "" && n%quantityScale != 0 {
				reason = r.numbers.fewer()
			}
			return reason
		}
	}
	return func(text string, line *Line) string {
		n, reason := format.read(text)
		switch {
		case f == fieldPrice && r.priced:
			line.Price = n
		case f == fieldNegative && n != 0 && line.Milli != 0:
			return beside
		case f == fieldNegative:
			line.Milli -= n
		default:
			line.Milli = n
		}
		return reason
	}
}

func (r *rowReader) readCurrency(text string, _ *Line) string {
	switch {
	case text == r.currency || strings.EqualFold(text, r.currency):
		return ""
	case strings.ContainsFunc(text, unicode.IsControl):
		return control
	}
	return "expected " + r.currency + ", the program's"
}

func (r *rowReader) readKind(text string, line *Line) string {
	kind, ok := r.kinds[text]
	if !ok {
		kind, ok = specs[r.table].kinds[strings.ToLower(text)]
	}
	if line.Kind = kind; !ok {
		return "expected a known kind (see kinds in the mapping)"
	}
	return ""
}

func (r *rowReader) readMCC(text string, line *Line) string {
	if r.mccNumber && len(text) < len("0742") {
		text = "0000"[len(text):] + text
	}
	var ok bool
	if line.MCC, ok = reward.ParseMCC(text); !ok {
		return "expected four digits"
	}
	return ""
}
