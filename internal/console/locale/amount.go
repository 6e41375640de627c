package locale

import (
	"strconv"
	"strings"

	"recoup/program"
	"recoup/reward"
)

// minus is the sign that is as wide as a plus, and read out as minus.
const minus = "−"

// Amount writes an amount in minor units: 123450 of USD is "$1,234.50" in the
// United States and "1.234,50 $" in Germany. Where the currency is unknown, so are
// its decimals, and the amount is said to be in minor units.
func (l *Locale) Amount(minor int64, currency string) string {
	sign := ""
	if minor < 0 {
		sign = minus
	}
	text := l.number(max(minor, -minor), currency)
	if _, known := l.decimals(currency); !known {
		return sign + text + hard + currency + " (minor units)"
	}
	symbol, sole := program.Symbol(currency)
	switch {
	case l.trailer:
		return sign + text + hard + symbol
	case sole:
		return sign + symbol + text
	}
	return sign + symbol + hard + text
}

// decimals says how many decimals a currency has, or a unit of a program's own.
func (l *Locale) decimals(currency string) (decimals int, known bool) {
	if decimals, known = program.MinorUnits(currency); known || l.own == nil {
		return decimals, known
	}
	return l.own(currency)
}

// number writes an amount, zero or more, with the decimals of its currency, or in
// minor units where these are not known.
func (l *Locale) number(minor int64, currency string) string {
	digits := strconv.FormatInt(minor, 10)
	decimals, _ := l.decimals(currency)
	if decimals <= 0 {
		return l.grouped(digits)
	}
	if short := decimals + 1 - len(digits); short > 0 {
		digits = strings.Repeat("0", short) + digits
	}
	cut := len(digits) - decimals
	return l.grouped(digits[:cut]) + l.point + digits[cut:]
}

// Plain writes an amount, zero or more, as it is written into a field: with the decimals of
// its unit, and without its name and marks between thousands.
func (l *Locale) Plain(minor int64, unit reward.Unit) string {
	digits := strconv.FormatInt(minor, 10)
	decimals := program.Decimals(unit)
	if decimals == 0 {
		return digits
	}
	if short := decimals + 1 - len(digits); short > 0 {
		digits = strings.Repeat("0", short) + digits
	}
	return digits[:len(digits)-decimals] + l.point + digits[len(digits)-decimals:]
}

// Tick writes an amount beside an axis, without its currency, which the text of the
// chart says, and without decimals that are zero.
func (l *Locale) Tick(minor int64, currency string) string {
	text := l.number(max(minor, -minor), currency)
	if whole, decimals, ok := strings.Cut(text, l.point); ok && strings.Trim(decimals, "0") == "" {
		text = whole
	}
	if minor < 0 {
		return minus + text
	}
	return text
}

// Change writes an amount with its sign, as what something was changed by.
func (l *Locale) Change(minor int64, currency string) string {
	if minor > 0 {
		return "+" + l.Amount(minor, currency)
	}
	return l.Amount(minor, currency)
}

// Count writes a whole number.
func (l *Locale) Count(n int64) string {
	digits := strconv.FormatInt(n, 10)
	if n < 0 {
		return minus + l.grouped(digits[1:])
	}
	return l.grouped(digits)
}

// Percent writes a share in thousandths, zero or more: 995 is "99.5 %".
func (l *Locale) Percent(permille int64) string {
	text := l.Count(permille / 10)
	if rest := permille % 10; rest != 0 {
		text += l.point + strconv.FormatInt(rest, 10)
	}
	return text + hard + "%"
}

// Decimal writes a number that has a point before its decimals, if it has any, as the locale
// writes it, without marks between thousands: "4.75" is "4,75" in Germany.
func (l *Locale) Decimal(plain string) string { return strings.Replace(plain, ".", l.point, 1) }

// grouped puts the mark of the locale between groups of digits.
func (l *Locale) grouped(digits string) string {
	size, head := 3, len(digits)-3
	if head <= 0 {
		return digits
	}
	tail := digits[head:]
	if l.pairs {
		size = 2
	}
	var groups []string
	for ; head > size; head -= size {
		groups = append([]string{digits[head-size : head]}, groups...)
	}
	groups = append([]string{digits[:head]}, groups...)
	return strings.Join(append(groups, tail), l.group)
}
