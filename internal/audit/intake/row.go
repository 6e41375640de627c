package intake

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"recoup/internal/audit/history"
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

	at         [fieldCount][]int       // indexes of each field's columns
	used       []int                   // indexes of all columns that are read
	fields     []fieldReader           // besides those of amounts
	kinds      map[string]history.Kind // of the mapping
	ids        string                  // what generated ids begin with; "" for none
	price      field                   // that the amount is in: fieldAmount or fieldPrice
	dates      dateReader
	amounts    amountFormat
	negatives  amountFormat
	numbers    amountFormat // of quantities and conditions
	directed   int          // index of the direction's column
	conditions []condition  // those to skip, then the only ones
}

// fieldReader reads one field of a row that is not empty, or says why it cannot.
type fieldReader struct {
	field field
	must  bool
	read  func(text string, line *Line) (reason string)
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
	field  field // noField: of the row as a whole
	reason string
	found  string // what was there; "" where that would say nothing, or too much
}

var (
	leftOut    = &fault{skipped, noField, "left out as the mapping says (skip, only)", ""}
	longText   = fmt.Sprintf("longer than %d bytes", maxText)
	notEncoded = "not in the encoding that the mapping says; see encoding in the mapping"
)

// wrong says what is wrong with a field.
func wrong(f field, reason, found string) *fault {
	switch {
	case len(found) > maxText:
		reason, found = longText, ""
	case reason == missing || reason == notEncoded:
		found = ""
	}
	return &fault{bad, f, reason, found}
}

// read reads one row, or says why it is left out.
func (r *rowReader) read(values []string, place int64, line *Line) *fault {
	if !fits(values, len(r.from.columns)) {
		return wrong(noField, fmt.Sprintf("expected %d values, as the header has columns", len(r.from.columns)), "")
	}
	for i := range r.conditions {
		value := strings.TrimSpace(values[r.conditions[i].at])
		holds, reason := r.conditions[i].holds(value, &r.numbers)
		if reason != "" {
			return wrong(noField, reason, value)
		}
		if isSkip := i < len(r.skip); holds == isSkip {
			return leftOut
		}
	}
	*line = Line{Row: history.Row{Kind: specs[r.table].kind}, Path: r.from.path, Place: place}
	if r.ids != "" {
		line.ID = r.ids + strconv.FormatInt(place, 10)
	}
	for i := range r.fields {
		x := &r.fields[i]
		text := r.value(values, x.field)
		if text == "" && x.must {
			return wrong(x.field, missing, "")
		}
		if text == "" {
			continue
		}
		if reason := x.read(text, line); reason != "" {
			f := wrong(x.field, reason, text)
			if x.field == fieldCurrency {
				f.why = otherCurrency
			}
			return f
		}
	}
	return r.readAmount(values, line)
}

// value returns a field's value without the spaces around it.
func (r *rowReader) value(values []string, f field) string {
	switch at := r.at[f]; len(at) {
	case 0:
		return r.constants[f]
	case 1:
		text := values[at[0]]
		if text == "" || text[0] > ' ' && text[0] <= '~' && text[len(text)-1] > ' ' && text[len(text)-1] <= '~' { // most have no spaces
			return text
		}
		return strings.TrimSpace(text)
	default:
		return joined(values, at)
	}
}

// called is the name of a field's column, "" where it has not one alone.
func (r *rowReader) called(f field) string {
	if f == noField || len(r.at[f]) != 1 {
		return ""
	}
	return r.from.columns[r.at[f][0]].name
}

// joined is the values of several columns that make one.
func joined(values []string, at []int) string {
	parts := make([]string, len(at))
	for i, at := range at {
		parts[i] = strings.TrimSpace(values[at])
	}
	return strings.Join(parts, " ")
}

// readerOf returns what reads a field, nil for those of amounts.
func (r *rowReader) readerOf(f field) func(text string, line *Line) string {
	switch f {
	case fieldAmount, fieldNegative, fieldPrice, fieldQuantity:
		return nil
	case fieldCurrency:
		return r.readCurrency
	case fieldPostedAt:
		return func(text string, line *Line) (reason string) {
			line.At, reason = r.dates.read(text)
			return reason
		}
	case fieldKind:
		return r.readKind
	case fieldMCC:
		return r.readMCC
	case specs[r.table].id:
		return r.textReader(f, func(line *Line) *string { return &line.ID })
	}
	return r.textReader(f, texts[f])
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
			return "a line break or another control character in it; is a quotation mark missing?"
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

// isPlain reports whether a text is of printable ASCII alone.
func isPlain(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

func (r *rowReader) readCurrency(text string, _ *Line) string {
	if text != r.currency && !strings.EqualFold(text, r.currency) {
		return "expected " + r.currency + ", the program's"
	}
	return ""
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

// readAmount reads the amount with its sign.
func (r *rowReader) readAmount(values []string, line *Line) *fault {
	f, format, text := r.price, &r.amounts, ""
	if r.at[f] != nil {
		text = r.value(values, f)
	}
	if other := r.value(values, fieldNegative); other != "" {
		if text != "" {
			return wrong(fieldNegative, "given beside an amount; expected one of them", "")
		}
		f, format, text = fieldNegative, &r.negatives, other
	}
	amount, reason := format.read(text)
	if reason == fewerDecimals {
		reason = r.tooExact()
	}
	if reason != "" {
		return wrong(f, reason, text)
	}
	if f == fieldNegative {
		amount = -amount
	}
	if r.at[fieldQuantity] != nil {
		quantity := r.value(values, fieldQuantity)
		n, reason := r.numbers.read(quantity)
		if line.Quantity = n / quantityScale; reason == "" && n%quantityScale != 0 {
			reason = "expected at most 3 decimals"
		}
		if reason != "" {
			return wrong(fieldQuantity, reason, quantity)
		}
	}
	if f == fieldPrice && r.at[fieldQuantity] != nil {
		line.Price = amount
		amount, reason = times(amount, line.Quantity)
	}
	if r.sign == negated || r.sign == absolute && amount < 0 {
		amount = -amount
	}
	if r.direction != nil {
		switch way := strings.TrimSpace(values[r.directed]); {
		case r.direction.negative.has(way):
			amount = -amount
		case r.direction.positive != nil && !r.direction.positive.has(way):
			return wrong(f, "expected one of the values of direction in the mapping", way)
		}
	}
	line.Milli, line.Amount = amount, amount/milli
	switch {
	case reason == fewerDecimals || amount%milli != 0 && !r.roundDown:
		return wrong(f, r.tooExact(), text)
	case reason != "":
		return wrong(f, reason, text)
	case line.Amount == 0 && (amount == 0 || r.receipts == NoReceipts):
		return wrong(f, "zero; expected an amount", "")
	case amount < 0 && !specs[r.table].signed:
		return wrong(f, "below zero; expected it above (see sign and only in the mapping)", text)
	}
	return nil
}

// quantityScale is between what numbers and what quantities are counted in.
const quantityScale = 1000

func (r *rowReader) tooExact() string {
	return fmt.Sprintf("expected at most %d decimals", r.amounts.decimals)
}
