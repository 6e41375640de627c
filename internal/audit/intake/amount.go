package intake

import (
	"errors"
	"math/bits"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"recoup/reward"
)

// milli is how many parts of a minor unit amounts are counted in: prices may have
// three more decimals than their currency.
const (
	milli         = 1000
	milliDecimals = 3
)

// amountFormat is how a column writes amounts.
type amountFormat struct {
	decimal   bool   // in units with decimals; otherwise integer minor units
	point     string // before the decimals
	group     string // between groups of three digits; "" for none
	negatives negatives
	symbol    string // of a currency, before or after the number; "" for none
	// decimals is how many the program's currency has.
	decimals int
}

// negatives is how amounts below zero are written, besides a minus before them.
type negatives uint8

const (
	leadingMinus negatives = iota
	trailingMinus
	parentheses
)

const (
	most          = uint64(reward.MaxAmount) * milli
	missing       = "missing"
	fewerDecimals = "expected fewer decimals"
)

// read returns an amount in thousandths of minor units, exactly, or why it is none.
func (f *amountFormat) read(s string) (int64, string) {
	if s == "" {
		return 0, missing
	}
	s, negative, ok := f.unsigned(s)
	if !ok {
		return 0, f.notThis()
	}
	n, why := f.magnitude(s)
	if negative {
		n = -n
	}
	return n, why
}

// notThis is the reason for refusing what is no amount at all.
func (f *amountFormat) notThis() string {
	switch {
	case !f.decimal:
		return "expected an integer in minor units (see amount_format in the mapping)"
	case f.point != "." || f.group != "":
		return "expected a decimal number with " + quote(f.point) + " before its decimals"
	}
	return "expected a decimal number"
}

// unsigned takes the sign and the symbol off, each once, in whichever order they
// come.
func (f *amountFormat) unsigned(s string) (rest string, negative, ok bool) {
	signed := false
	brackets := func() {
		if f.negatives == parentheses && !signed && strings.HasPrefix(s, "(") && strings.HasSuffix(s, ")") {
			s, negative, signed = strings.TrimSpace(s[1:len(s)-1]), true, true
		}
	}
	brackets()
	if f.symbol != "" && !strings.HasPrefix(s, "-") && !strings.HasPrefix(s, "+") {
		s = f.withoutSymbol(s)
		brackets()
	}
	switch {
	case strings.HasPrefix(s, "-"), strings.HasPrefix(s, "+"):
		if signed {
			return s, false, false
		}
		negative = s[0] == '-'
		s = strings.TrimSpace(s[1:])
	case f.negatives == trailingMinus && strings.HasSuffix(s, "-"):
		negative = true
		s = strings.TrimSpace(s[:len(s)-1])
	}
	return f.withoutSymbol(s), negative, true
}

func (f *amountFormat) withoutSymbol(s string) string {
	if f.symbol == "" {
		return s
	}
	if rest, ok := strings.CutPrefix(s, f.symbol); ok {
		return strings.TrimSpace(rest)
	}
	return strings.TrimSpace(strings.TrimSuffix(s, f.symbol))
}

// magnitude reads digits, separators and decimals.
func (f *amountFormat) magnitude(s string) (n int64, why string) {
	integer, fraction := s, ""
	if f.decimal {
		var point bool
		if integer, fraction, point = strings.Cut(s, f.point); point && fraction == "" {
			return 0, f.notThis()
		}
	}
	room := milliDecimals
	if f.decimal {
		room += f.decimals
	}
	fraction = strings.TrimRight(fraction, "0")
	if f.group != "" && strings.Contains(integer, f.group) {
		groups := strings.Split(integer, f.group)
		for i, group := range groups {
			if i > 0 && len(group) != 3 || len(group) == 0 || len(group) > 3 {
				return 0, f.notThis()
			}
		}
		integer = strings.Join(groups, "")
	}
	whole, err := strconv.ParseUint(integer, 10, 64)
	rest := uint64(0)
	if fraction != "" && err == nil {
		rest, err = strconv.ParseUint(fraction[:min(len(fraction), room)], 10, 64)
	}
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, tooLarge
	case err != nil, strings.Trim(fraction, "0123456789") != "":
		return 0, f.notThis()
	case len(fraction) > room:
		return 0, fewerDecimals
	}
	for i := range room {
		if whole > most {
			return 0, tooLarge
		}
		if whole *= 10; i >= len(fraction) {
			rest *= 10
		}
	}
	if whole+rest > most {
		return 0, tooLarge
	}
	return int64(whole + rest), ""
}

var tooLarge = "expected at most " + strconv.FormatInt(reward.MaxAmount, 10) + " minor units"

// times multiplies an amount by a quantity in thousandths. What is left of the
// thousandth of a minor unit is a reason to refuse it.
func times(amount, quantity int64) (int64, string) {
	size := func(n int64) uint64 { return uint64(max(n, -n)) }
	high, low := bits.Mul64(size(amount), size(quantity))
	if high >= milli {
		return 0, tooLarge
	}
	n, rest := bits.Div64(high, low, milli)
	switch {
	case n > most:
		return 0, tooLarge
	case rest != 0:
		return 0, fewerDecimals
	case (amount < 0) != (quantity < 0):
		return -int64(n), ""
	}
	return int64(n), ""
}

// isSeparator reports whether text is one character that is no part of a number
// or a word.
func isSeparator(text string) bool {
	r, size := utf8.DecodeRuneInString(text)
	return size > 0 && size == len(text) && r != utf8.RuneError && !unicode.IsLetter(r) && !unicode.IsDigit(r) &&
		!unicode.IsControl(r) && !strings.ContainsRune("+-()", r)
}
