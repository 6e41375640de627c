package locale

import (
	"fmt"
	"strings"
	"unicode"

	"recoup/program"
	"recoup/reward"
)

// ParseAmount reads an amount of a currency, zero or more, as somebody writes it here: as
// Amount shows it, with or without its currency and with or without marks between thousands,
// or plainly, with a point before the decimals. What would be another amount elsewhere, such
// as 1,250 of a currency with three decimals, is refused. The amount is in minor units.
func (l *Locale) ParseAmount(text, currency string) (minor int64, err error) {
	decimals, _ := l.decimals(currency)
	return l.ParseUnits(text, reward.Unit{Name: currency, Decimals: decimals})
}

// ParseUnits is ParseAmount of a unit that need not be known otherwise.
func (l *Locale) ParseUnits(text string, unit reward.Unit) (minor int64, err error) {
	currency := unit.Name
	bare := strings.TrimSpace(text)
	symbol, _ := program.Symbol(currency)
	for _, mark := range []string{symbol, currency} {
		if without, is := strings.CutPrefix(bare, mark); is && mark != "" {
			bare = without
		} else if without, is := strings.CutSuffix(bare, mark); is && mark != "" {
			bare = without
		}
	}
	bare = strings.Map(func(r rune) rune {
		switch {
		case r == '\'':
			return '’'
		case unicode.IsSpace(r):
			return ' '
		}
		return r
	}, strings.TrimFunc(bare, unicode.IsSpace))
	read := func(plain string) (int64, bool) {
		if plain == "" {
			return 0, false
		}
		amount, err := program.ParseReward(plain, unit)
		return amount, err == nil
	}
	here, written := read(plainly(bare, l.point, l.group, l.pairs))
	pointed, plain := read(plainly(bare, ".", "", false))
	// With the other mark before the decimals it would be another amount: half of the world
	// writes 1,250 for what the other writes 1.250.
	comma, other := read(plainly(bare, ",", "", false))
	switch {
	case !written && !plain:
		return 0, fmt.Errorf("amount %q: expected one such as %s", text, l.Example(currency))
	case written && (plain && pointed != here || other && comma != here):
		return 0, fmt.Errorf("amount %q: it may be read as two amounts: leave out marks between thousands, and write all decimals", text)
	case written:
		return here, nil
	}
	return pointed, nil
}

// plainly is an amount without the marks between groups and with a point before its
// decimals; "" if it is not written so.
func plainly(text, point, group string, pairs bool) string {
	whole, fraction, has := strings.Cut(text, point)
	if has && (fraction == "" || !digits(fraction)) {
		return ""
	}
	if group == hard || group == thin {
		group = " "
	}
	parts := []string{whole}
	if group != "" {
		parts = strings.Split(whole, group)
	}
	for i, part := range parts {
		size := 3
		if pairs && i < len(parts)-1 {
			size = 2
		}
		if !digits(part) || len(parts) > 1 && (i > 0 && len(part) != size || len(part) > size) {
			return ""
		}
	}
	whole = strings.Join(parts, "")
	if has {
		return whole + "." + fraction
	}
	return whole
}

func digits(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// Example is an amount of a currency as somebody may write it here.
func (l *Locale) Example(currency string) string {
	decimals, _ := l.decimals(currency)
	if decimals <= 0 {
		return "1250"
	}
	if decimals > 3 { // of several currencies
		decimals = 2
	}
	return "12" + l.point + "5" + strings.Repeat("0", decimals-1)
}
