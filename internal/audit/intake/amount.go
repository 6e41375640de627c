package intake

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"recoup/reward"
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

// read returns the amount in minor units, exactly: decimals that the currency
// does not have must be zero.
func (f *amountFormat) read(s string) (int64, class) {
	if !f.decimal {
		if minor, ok := plainInteger(s); ok {
			return minor, good
		}
	}
	s, negative, ok := f.unsigned(s)
	if !ok {
		return 0, f.notThis()
	}
	minor, why := f.magnitude(s)
	if negative {
		minor = -minor
	}
	return minor, why
}

// notThis is the reason for refusing what is no amount at all.
func (f *amountFormat) notThis() class {
	if f.decimal {
		return classDecimal
	}
	return classMinor
}

// plainInteger reads digits with at most a minus, at most reward.MaxAmount; what
// is not as plain is left to others.
func plainInteger(s string) (n int64, ok bool) {
	digits := s
	if s != "" && s[0] == '-' {
		digits = s[1:]
	}
	if digits == "" || len(digits) > len("1000000000000000") {
		return 0, false
	}
	for i := range len(digits) {
		digit := digits[i] - '0'
		if digit > 9 {
			return 0, false
		}
		n = n*10 + int64(digit)
	}
	if n > reward.MaxAmount {
		return 0, false
	}
	if len(digits) < len(s) {
		n = -n
	}
	return n, true
}

// unsigned takes the sign and the symbol off, each once, in whichever order they
// come.
func (f *amountFormat) unsigned(s string) (rest string, negative, ok bool) {
	signed := false
	if f.negatives == parentheses && strings.HasPrefix(s, "(") && strings.HasSuffix(s, ")") {
		s, negative, signed = strings.TrimSpace(s[1:len(s)-1]), true, true
	}
	if f.symbol != "" && !strings.HasPrefix(s, "-") && !strings.HasPrefix(s, "+") {
		s = f.withoutSymbol(s)
		if f.negatives == parentheses && !signed && strings.HasPrefix(s, "(") && strings.HasSuffix(s, ")") {
			s, negative, signed = s[1:len(s)-1], true, true
		}
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
func (f *amountFormat) magnitude(s string) (int64, class) {
	var n int64
	decimals, point := 0, false
	inGroup, grouped := 0, false
	large, rounds := false, false
	for i := 0; i < len(s); {
		digit := s[i] - '0'
		switch {
		case digit > 9 && f.decimal && !point && strings.HasPrefix(s[i:], f.point):
			point = true
			i += len(f.point)
			continue
		case digit > 9 && f.group != "" && !point && strings.HasPrefix(s[i:], f.group):
			if inGroup == 0 || inGroup > 3 || grouped && inGroup != 3 {
				return 0, f.notThis()
			}
			grouped, inGroup = true, 0
			i += len(f.group)
			continue
		case digit > 9:
			return 0, f.notThis()
		case point && decimals == f.decimals:
			rounds = rounds || digit != 0
		case n > reward.MaxAmount:
			large = true
		default:
			n = n*10 + int64(digit)
		}
		switch {
		case !point:
			inGroup++
		case decimals < f.decimals:
			decimals++
		}
		i++
	}
	switch last := len(s) - 1; {
	case last < 0 || s[last]-'0' > 9 || grouped && inGroup != 3:
		return 0, f.notThis()
	case rounds:
		return 0, classRounds
	}
	for ; f.decimal && decimals < f.decimals && n <= reward.MaxAmount; decimals++ {
		n *= 10
	}
	if large || n > reward.MaxAmount {
		return 0, classLarge
	}
	return n, good
}

// isSeparator reports whether text is one character that is no part of a number
// or a word.
func isSeparator(text string) bool {
	r, size := utf8.DecodeRuneInString(text)
	return size > 0 && size == len(text) && r != utf8.RuneError && !unicode.IsLetter(r) && !unicode.IsDigit(r) &&
		(!unicode.IsControl(r)) && !strings.ContainsRune("+-()", r)
}
