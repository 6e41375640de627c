package intake

import (
	"fmt"
	"path/filepath"
	"slices"
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
	texts    []textField
	path     string
	header   []column
	currency string // the program's

	at         [fieldCount][]int // indexes of each field's columns
	dates      dateReader
	amounts    amountFormat
	negatives  amountFormat
	numbers    amountFormat // of quantities and conditions
	directed   int          // index of the direction's column
	conditions []condition  // those to skip, then the only ones
}

// textField is a field that is text, and where it goes.
type textField struct {
	field
	must, id bool // id: of the row
	to       func(*Line) *string
}

// textFields are those of a table.
func textFields(t table) (list []textField) {
	for _, x := range []textField{
		{field: fieldAccount, to: func(l *Line) *string { return &l.Account }},
		{field: t.id(), id: true, to: func(l *Line) *string { return &l.ID }},
		{field: fieldTransaction, to: func(l *Line) *string { return &l.Transaction }},
		{field: fieldMerchant, to: func(l *Line) *string { return &l.Merchant }},
		{field: fieldCategory, to: func(l *Line) *string { return &l.Category }},
		{field: fieldArticle, to: func(l *Line) *string { return &l.Article }},
	} {
		if x.must = t.requires(x.field); t.has(x.field) && (x.id || x.field != t.id()) {
			list = append(list, x)
		}
	}
	return list
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

// joined is the values of several columns that make one.
func joined(values []string, at []int) string {
	parts := make([]string, len(at))
	for i, at := range at {
		parts[i] = strings.TrimSpace(values[at])
	}
	return strings.Join(parts, " ")
}

// of says what is wrong with a field, if anything is.
func of(f field, reason, found string) fault { return fault{field: f, reason: reason, found: found} }

// read reads one row. What it leaves out it says in the fault.
func (r *rowReader) read(values []string, place int64, line *Line) fault {
	if !fits(values, len(r.header)) {
		return of(noField, fmt.Sprintf("expected %d values, as the header has columns", len(r.header)), "")
	}
	if f := r.unwanted(values); f.reason != "" {
		return f
	}
	*line = Line{Row: history.Row{Kind: layouts[r.table].kind}, Path: r.path, Place: place}
	if currency := r.value(values, fieldCurrency); currency != r.currency && !strings.EqualFold(currency, r.currency) {
		switch {
		case strings.ContainsFunc(currency, unicode.IsControl):
			return of(fieldCurrency, "a control character in it", currency)
		case currency != "":
			return fault{otherCurrency, fieldCurrency, "expected " + r.currency + ", the program's", currency}
		case r.table == transactions:
			return of(fieldCurrency, missing, "")
		}
	}
	if f := r.names(values, line); f.reason != "" {
		return f
	}
	text := r.value(values, fieldPostedAt)
	var reason string
	if line.At, reason = r.dates.read(text); reason != "" {
		return of(fieldPostedAt, reason, text)
	}
	if f := r.readAmount(values, line); f.reason != "" {
		return f
	}
	if word := r.value(values, fieldKind); word != "" && layouts[r.table].kinds != nil {
		kind, ok := r.kinds[word]
		if !ok || tableOf(kind) != r.table {
			kind, ok = r.table.kindNamed(word)
		}
		if line.Kind = kind; !ok {
			return of(fieldKind, "expected a known kind (see kinds in the mapping)", word)
		}
	}
	if text := r.value(values, fieldMCC); text != "" && r.table <= refunds {
		digits := text
		if r.mccNumber && len(text) < len("0742") {
			digits = "0000"[len(text):] + text
		}
		var ok bool
		if line.MCC, ok = reward.ParseMCC(digits); !ok {
			return of(fieldMCC, "expected four digits", text)
		}
	}
	return fault{}
}

// names reads ids and other text.
func (r *rowReader) names(values []string, line *Line) fault {
	for i := range r.texts {
		x := &r.texts[i]
		if x.id && r.ownIDs && r.at[x.field] == nil {
			stem, _, _ := strings.Cut(filepath.Base(r.path), ".")
			line.ID = stem + "#" + strconv.FormatInt(line.Place, 10)
			continue
		}
		text := r.value(values, x.field)
		switch {
		case text == "" && x.must:
			return of(x.field, missing, "")
		case len(text) > maxText:
			return of(x.field, longText, "")
		case isPlain(text): // most are
		case !utf8.ValidString(text) || strings.ContainsRune(text, utf8.RuneError):
			return of(x.field, "not in the encoding that the mapping says; see encoding in the mapping", "")
		case strings.ContainsFunc(text, unicode.IsControl):
			return of(x.field, "a line break or another control character in it; is a quotation mark missing?", text)
		}
		if r.idNumber && x.field <= fieldRefund {
			if digits, decimal := strings.CutSuffix(text, ".0"); decimal && strings.Trim(digits, "0123456789") == "" {
				text = digits
			}
		}
		*x.to(line) = text
	}
	return fault{}
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

var longText = fmt.Sprintf("longer than %d bytes", maxText)

// readAmount reads the amount with its sign.
func (r *rowReader) readAmount(values []string, line *Line) fault {
	f, text, format := fieldAmount, "", &r.amounts
	if r.at[fieldAmount] != nil {
		text = r.value(values, fieldAmount)
	}
	if r.at[fieldNegative] != nil {
		switch other := r.value(values, fieldNegative); {
		case other != "" && text != "":
			return of(fieldNegative, "given beside an amount; expected one of them", "")
		case other != "":
			f, text, format = fieldNegative, other, &r.negatives
		}
	}
	amount, reason := format.read(text)
	if r.at[fieldPrice] != nil {
		f = fieldPrice
	}
	if f == fieldNegative {
		amount = -amount
	}
	if reason == "" && r.at[fieldQuantity] != nil {
		quantity := r.value(values, fieldQuantity)
		n, wrong := r.numbers.read(quantity)
		if line.Quantity = n / quantityScale; wrong == "" && line.Quantity*quantityScale != n {
			wrong = "expected at most 3 decimals"
		}
		if wrong != "" {
			return of(fieldQuantity, wrong, quantity)
		}
		if f == fieldPrice {
			line.Price = amount
			amount, reason = times(amount, line.Quantity)
		}
	}
	if r.sign == negated || r.sign == absolute && amount < 0 {
		amount = -amount
	}
	if reason == "" && r.direction != nil {
		switch way := strings.TrimSpace(values[r.directed]); {
		case slices.Contains(r.direction.negative, way):
			amount = -amount
		case len(r.direction.positive) > 0 && !slices.Contains(r.direction.positive, way):
			return of(f, "expected one of the values of direction in the mapping", way)
		}
	}
	line.Milli, line.Amount = amount, amount/milli
	switch {
	case reason == missing:
		return of(f, missing, "")
	case reason == fewerDecimals || reason == "" && amount%milli != 0 && !r.roundDown:
		reason = fmt.Sprintf("expected at most %d decimals", r.amounts.decimals)
	case reason != "":
	case amount == 0 && layouts[r.table].signed: // the total of a month without any, or what earned nothing
		return fault{skipped, f, "zero, which changes no balance", ""}
	case line.Amount == 0 && (amount == 0 || r.receipts == NoReceipts):
		return of(f, "zero; expected an amount", "")
	case amount < 0 && !layouts[r.table].signed:
		return of(f, "below zero; expected it above (see sign and only in the mapping)", text)
	default:
		return fault{}
	}
	if len(text) > maxText {
		return of(f, longText, "")
	}
	return of(f, reason, text)
}

// quantityScale is between what numbers and what quantities are counted in.
const quantityScale = 1000
