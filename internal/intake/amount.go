package intake

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"recoup/reward"
)

// milli is how many parts of a minor unit amounts are counted in: prices may have
// three more decimals than their currency.
const (
	milli         = 1000
	milliDecimals = 3
	quantityScale = 1000 // between what numbers and what quantities are counted in
	most          = uint64(reward.MaxAmount) * milli
	// boundDecimals are those of numbers that are no amounts: quantities and bounds.
	boundDecimals = 3
)

// Reasons for refusing an amount.
const missing = "missing"

var tooLarge = "expected at most " + strconv.FormatInt(reward.MaxAmount, 10) + " minor units"

// amountFormat is how a column writes amounts.
type amountFormat struct {
	decimal   bool   // in units with decimals; otherwise integer minor units
	point     string // before the decimals
	group     string // between groups of three digits; "" for none
	negatives negatives
	symbol    string // of a currency, before or after the number; "" for none
	decimals  int    // of the program's currency
}

// negatives is how amounts below zero are written, besides a minus before them.
type negatives uint8

const (
	leadingMinus negatives = iota
	trailingMinus
	parentheses
)

var negativeNames = []string{"minus", "trailing_minus", "parentheses"}

// read returns an amount in thousandths of minor units, exactly, or why it is none.
func (f *amountFormat) read(s string) (int64, string) {
	if s == "" {
		return 0, missing
	}
	digits, negative, ok := f.unsigned(s)
	if !ok {
		return 0, f.notThis()
	}
	n, why := f.magnitude(digits)
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

func (f *amountFormat) fewer() string { return fmt.Sprintf("expected at most %d decimals", f.decimals) }

// unsigned takes the sign and the symbol off, each once, in whichever order they come.
func (f *amountFormat) unsigned(s string) (rest string, negative, ok bool) {
	signs, symbols := 0, 0
	for s != "" {
		last := len(s) - 1
		switch {
		case s[0] == '-' || s[0] == '+':
			s, negative, signs = s[1:], s[0] == '-', signs+1
		case f.negatives == trailingMinus && s[last] == '-':
			s, negative, signs = s[:last], true, signs+1
		case f.negatives == parentheses && last > 0 && s[0] == '(' && s[last] == ')':
			s, negative, signs = s[1:last], true, signs+1
		case f.symbol != "" && strings.HasPrefix(s, f.symbol):
			s, symbols = s[len(f.symbol):], symbols+1
		case f.symbol != "" && strings.HasSuffix(s, f.symbol):
			s, symbols = s[:len(s)-len(f.symbol)], symbols+1
		default:
			return s, negative, signs <= 1 && symbols <= 1
		}
		s = strings.TrimSpace(s)
	}
	return s, negative, false
}

// magnitude reads digits, separators and decimals.
func (f *amountFormat) magnitude(s string) (n int64, why string) {
	integer, fraction, point, room := s, "", false, milliDecimals
	if f.decimal {
		integer, fraction, point = strings.Cut(s, f.point)
		room += f.decimals
	}
	integer, ok := f.ungrouped(integer)
	if !ok || integer == "" || point && fraction == "" {
		return 0, f.notThis()
	}
	fraction = strings.TrimRight(fraction, "0")
	_, numeric := appendDigits(0, fraction)
	whole, ok := appendDigits(0, integer)
	all, _ := appendDigits(whole, fraction[:min(len(fraction), room)])
	for range room - len(fraction) {
		all = min(all*10, most+1)
	}
	switch {
	case !ok || !numeric:
		return 0, f.notThis()
	case all > most:
		return 0, tooLarge
	case len(fraction) > room:
		return 0, f.fewer()
	}
	return int64(all), ""
}

// ungrouped takes the separators between groups of three digits out.
func (f *amountFormat) ungrouped(integer string) (string, bool) {
	if f.group == "" || !strings.Contains(integer, f.group) {
		return integer, true
	}
	groups := strings.Split(integer, f.group)
	for i, group := range groups {
		if len(group) != 3 && (i > 0 || len(group) == 0 || len(group) > 3) {
			return "", false
		}
	}
	return strings.Join(groups, ""), true
}

// appendDigits puts digits behind a number, which goes no further than past the most.
func appendDigits(n uint64, digits string) (_ uint64, ok bool) {
	for i := range len(digits) {
		digit := uint64(digits[i] - '0')
		if digit > 9 {
			return 0, false
		}
		n = min(n*10+digit, most+1)
	}
	return n, true
}

func isDigits(text string) bool { return strings.Trim(text, "0123456789") == "" }

// times multiplies an amount by a quantity in thousandths. What is left of the
// thousandth of a minor unit is a reason to refuse it.
func (f *amountFormat) times(amount, quantity int64) (int64, string) {
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
		return 0, f.fewer()
	case (amount < 0) != (quantity < 0):
		return -int64(n), ""
	}
	return int64(n), ""
}
