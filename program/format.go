package program

import (
	"fmt"
	"strconv"
	"strings"

	"recoup/internal/kit/yamltree"
	"recoup/reward"
)

// symbols are the currency signs that are taken for no other currency here.
var symbols = map[string]string{"USD": "$", "EUR": "€", "GBP": "£"}

// Symbol returns what stands for a currency beside an amount: its sign, which is
// then sole, or its code.
func Symbol(currency string) (symbol string, sole bool) {
	if sign, ok := symbols[currency]; ok {
		return sign, true
	}
	return currency, false
}

// FormatAmount writes an amount in minor units for people: -123450 of USD is
// "-$1,234.50", 1234 of JPY is "JPY 1,234". Where the currency is unknown, so are
// its decimals, and the amount is written as "XYZ 1,234 (minor units)".
func FormatAmount(minor int64, currency string) string {
	decimals, known := MinorUnits(currency)
	if !known {
		return formatIn(minor, currency, 0) + " (minor units)"
	}
	return formatIn(minor, currency, decimals)
}

// Format is FormatAmount of rewards, which may be in a unit of a program's own: 1250 of
// points without decimals is "PTS 1,250".
func Format(minor int64, unit reward.Unit) string { return formatIn(minor, unit.Name, Decimals(unit)) }

// Decimals returns how many decimals an amount in a unit has: those of the currency, if
// it is one.
func Decimals(unit reward.Unit) int {
	if decimals, known := MinorUnits(unit.Name); known {
		return decimals
	}
	return unit.Decimals
}

// Telling is what postings under a program are explained with, in its units and words.
func Telling(p *reward.Program) reward.Telling {
	u := p.Units()
	return reward.Telling{
		Spend:  func(minor int64) string { return FormatAmount(minor, u.Currency) },
		Reward: func(minor int64) string { return Format(minor, u.Reward) },
		Terms:  p,
	}
}

func formatIn(minor int64, unit string, decimals int) string {
	sign, digits := "", strconv.FormatInt(minor, 10)
	if minor < 0 {
		sign, digits = "-", digits[1:]
	}
	prefix, sole := Symbol(unit)
	if !sole {
		prefix += " "
	}
	if short := decimals + 1 - len(digits); short > 0 {
		digits = strings.Repeat("0", short) + digits
	}
	point := len(digits) - decimals
	amount := sign + prefix + groupThousands(digits[:point])
	if decimals > 0 {
		amount += "." + digits[point:]
	}
	return amount
}

// FormatCount writes a count for people: 1234567 is "1,234,567".
func FormatCount(n int64) string {
	digits := strconv.FormatInt(n, 10)
	if n < 0 {
		return "-" + groupThousands(digits[1:])
	}
	return groupThousands(digits)
}

// groupThousands puts a comma before every third digit from the right.
func groupThousands(digits string) string {
	var b strings.Builder
	for i, c := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// ParseDecimal reads a decimal amount of the currency, such as "1,234.50",
// "12.5" or "-3", and returns it in minor units, exactly. A comma may only part
// thousands. More decimals than the currency has, even zeros, and amounts that
// do not fit are errors, as is an unknown currency.
func ParseDecimal(text, currency string) (int64, error) {
	if _, known := MinorUnits(currency); !known {
		return 0, fmt.Errorf("currency %s: expected an ISO 4217 code in use, such as USD", yamltree.Quote(currency))
	}
	return ParseReward(text, reward.Unit{Name: currency})
}

// ParseReward is ParseDecimal of rewards, which may be in a unit of a program's own.
func ParseReward(text string, unit reward.Unit) (int64, error) {
	decimals := Decimals(unit)
	unsigned, negative := strings.CutPrefix(text, "-")
	integer, fraction, point := strings.Cut(unsigned, ".")
	digits, ok := ungroupThousands(integer)
	if !ok || point && !allDigits(fraction) {
		return 0, fmt.Errorf("amount %s: expected a number such as 1234, 1,234.50 or -3", yamltree.Quote(text))
	}
	if len(fraction) > decimals {
		return 0, fmt.Errorf("amount %s: expected at most %d decimals, as %s has", yamltree.Quote(text), decimals, unit.Name)
	}
	digits += fraction + strings.Repeat("0", decimals-len(fraction))
	if negative {
		digits = "-" + digits
	}
	minor, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("amount %s: too large for a 64-bit number of minor units", yamltree.Quote(text))
	}
	return minor, nil
}

// ungroupThousands removes commas where all of them are in their places.
func ungroupThousands(s string) (digits string, ok bool) {
	groups := strings.Split(s, ",")
	for i, group := range groups {
		misplaced := i > 0 && len(group) != 3 || i == 0 && len(groups) > 1 && len(group) > 3
		if misplaced || !allDigits(group) {
			return "", false
		}
	}
	return strings.Join(groups, ""), true
}

// allDigits reports whether s is one ASCII digit or more.
func allDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
