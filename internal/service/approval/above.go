package approval

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"recoup/program"
	"recoup/reward"
)

// Set implements pflag.Value: it reads CURRENCY=AMOUNT in the currency's own units, such as
// USD=25.00, or UNIT=AMOUNT of points. An amount alone, which was once one of every currency
// alike, is refused: nobody can say what it is worth in all of them.
func (l *Limits) Set(text string) error {
	unit, amount, one := strings.Cut(text, "=")
	if _, was := minorUnits(text, 2); was {
		return fmt.Errorf("expected a currency with the amount, such as USD=%s, once for each currency that is in use; in others every decision needs a second person", text)
	}
	decimals, currency := program.MinorUnits(unit)
	if one && !currency && isPoints(unit) {
		return l.setPoints(unit, amount)
	}
	n, ok := minorUnits(amount, decimals)
	if !currency || !ok {
		return fmt.Errorf("expected CURRENCY=AMOUNT in the currency's own units, such as USD=25.00 or JPY=2500, found %q", text)
	}
	if l.Of == nil {
		l.Of = make(map[string]int64)
	}
	l.Of[unit] = n
	return nil
}

// mostDecimals are as many as a unit of points may have.
const mostDecimals = 6

// isPoints reports whether a text may be the unit of a program's points.
func isPoints(unit string) bool {
	return len(unit) == 3 && strings.Trim(unit, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// setPoints sets the limit of a unit of points, with as many decimals as it is written with.
func (l *Limits) setPoints(unit, amount string) error {
	_, fraction, _ := strings.Cut(amount, ".")
	n, ok := minorUnits(amount, len(fraction))
	if !ok || len(fraction) > mostDecimals {
		return fmt.Errorf("expected an amount of %s, such as %s=2500, found %q", unit, unit, amount)
	}
	if l.points == nil {
		l.points = make(map[string]pointLimit)
	}
	l.points[unit] = pointLimit{n, len(fraction)}
	return nil
}

// minorUnits reads an amount with as many decimals as a currency has, or none.
func minorUnits(text string, decimals int) (int64, bool) {
	whole, fraction, point := strings.Cut(text, ".")
	if point && (len(fraction) != decimals || decimals == 0) || whole == "" {
		return 0, false
	}
	if !point {
		fraction = strings.Repeat("0", decimals)
	}
	n, err := strconv.ParseUint(whole+fraction, 10, 63)
	return int64(n), err == nil && int64(n) <= reward.MaxAmount
}

// String implements pflag.Value: what Set reads, with commas between.
func (l *Limits) String() string {
	var parts []string
	for unit, minor := range l.Of {
		decimals, _ := program.MinorUnits(unit)
		parts = append(parts, unit+"="+decimal(minor, decimals))
	}
	for unit, p := range l.points {
		parts = append(parts, unit+"="+decimal(p.amount, p.decimals))
	}
	slices.Sort(parts)
	return strings.Join(parts, ",")
}

// decimal writes an amount of minor units, zero or more, with its decimals.
func decimal(minor int64, decimals int) string {
	digits := fmt.Sprintf("%0*d", decimals+1, minor)
	if decimals == 0 {
		return digits
	}
	return digits[:len(digits)-decimals] + "." + digits[len(digits)-decimals:]
}

// Type implements pflag.Value.
func (*Limits) Type() string { return "amount" }
