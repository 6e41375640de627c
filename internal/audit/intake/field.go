package intake

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"recoup/program"
	"recoup/reward"
)

// Reasons for refusing a value.
const (
	zero       = "zero; expected an amount"
	beside     = "given beside an amount; expected one of them"
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
		kind = r.from.columns[x.at[0]].kind
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
