package approval

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"recoup/program"
	"recoup/reward"
)

// Set implements pflag.Value: it reads an amount such as 25.00 in the units of whichever
// currency, or CURRENCY=AMOUNT in those of one. A whole number alone is refused, since it
// was once of minor units.
func (l *Limits) Set(text string) error {
	currency, amount, one := strings.Cut(text, "=")
	if !one {
		n, ok := minorUnits(text, hundredths)
		if !ok || !strings.Contains(text, ".") {
			return fmt.Errorf("expected an amount in a currency's own units with two decimals, such as 25.00, or CURRENCY=AMOUNT such as USD=25.00, found %q", text)
		}
		l.Above = n
		return nil
	}
	decimals, known := program.MinorUnits(currency)
	n, ok := minorUnits(amount, decimals)
	if !known || !ok {
		return fmt.Errorf("expected CURRENCY=AMOUNT in the currency's own units, such as USD=25.00 or JPY=2500, found %q", text)
	}
	if l.Of == nil {
		l.Of = make(map[string]int64)
	}
	l.Of[currency] = n
	return nil
}

// minorUnits reads an amount with as many decimals as a currency has, or none.
func minorUnits(text string, decimals int) (int64, bool) {
	whole, fraction, point := strings.Cut(text, ".")
	if point && len(fraction) != decimals || whole == "" {
		return 0, false
	}
	if !point {
		fraction = strings.Repeat("0", decimals)
	}
	n, err := strconv.ParseUint(whole+fraction, 10, 63)
	return int64(n), err == nil && int64(n) <= reward.MaxAmount
}

// String implements pflag.Value.
func (l *Limits) String() string {
	parts := []string{fmt.Sprintf("%d.%02d", l.Above/100, l.Above%100)}
	for _, currency := range slices.Sorted(maps.Keys(l.Of)) {
		parts = append(parts, fmt.Sprintf("%s=%s", currency, strings.TrimSpace(program.FormatAmount(l.Of[currency], currency))))
	}
	return strings.Join(parts, ",")
}

// Type implements pflag.Value.
func (*Limits) Type() string { return "amount" }
