package risk

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// Thresholds are from which on there is an alert, in thousandths. Below zero: never.
type Thresholds struct {
	Debt      int64 // of what is owed to cardholders, that they owe; 50 by default
	Old       int64 // of the debt, that is older than 180 days or of closed accounts; 250
	Exposed   int64 // of what is owed to cardholders, that is exposed; 200
	Lost      int64 // of what was granted in the month, that was lost in it; 10
	Uncovered int64 // of the value of refunds, that came after maturity and grace; 100
	Dippers   int64 // accounts, that redeemed and returned again and again; 1
}

func (t Thresholds) withDefaults() Thresholds {
	return Thresholds{
		cmp.Or(t.Debt, 50), cmp.Or(t.Old, 250), cmp.Or(t.Exposed, 200), cmp.Or(t.Lost, 10), cmp.Or(t.Uncovered, 100), cmp.Or(t.Dippers, 1),
	}
}

// Set sets one threshold, as a flag says it: debt=5%, dippers=3, or lost=off.
func (t *Thresholds) Set(text string) error {
	name, value, ok := strings.Cut(text, "=")
	of := t.named(name)
	if !ok || of == nil {
		return fmt.Errorf("expected debt, old-debt, exposure, lost, uncovered or dippers, = and a threshold, found %q", text)
	}
	if value == "off" {
		*of = -1
		return nil
	}
	number, percent := strings.CutSuffix(value, "%")
	whole, tenths, _ := strings.Cut(number, ".")
	if len(tenths) < 1 {
		tenths = "0"
	}
	n, err := strconv.ParseInt(whole, 10, 32)
	m, tenthsErr := strconv.ParseInt(tenths, 10, 32)
	switch {
	case name == DippersAlert && !percent && err == nil && n > 0 && number == whole:
		*of = n
	case name != DippersAlert && percent && err == nil && tenthsErr == nil && len(tenths) == 1 && n >= 0 && n <= 1000 && m >= 0 && n+m > 0:
		*of = 10*n + m
	case name == DippersAlert:
		return fmt.Errorf("dippers: expected a number of accounts above zero, or off, found %q", value)
	default:
		return fmt.Errorf("%s: expected a share above zero such as 5%% or 0.5%%, or off, found %q", name, value)
	}
	return nil
}

// String is what Set reads, of all thresholds that are not the defaults.
func (t *Thresholds) String() string {
	var list []string
	for _, name := range []string{DebtAlert, OldAlert, ExposedAlert, LostAlert, UncoveredAlert, DippersAlert} {
		switch n := *t.named(name); {
		case n < 0:
			list = append(list, name+"=off")
		case n > 0 && name == DippersAlert:
			list = append(list, fmt.Sprintf("%s=%d", name, n))
		case n > 0:
			list = append(list, fmt.Sprintf("%s=%d.%d%%", name, n/10, n%10))
		}
	}
	return strings.Join(list, ",")
}

// Type names the form of a flag.
func (t *Thresholds) Type() string { return "NAME=SHARE" }

func (t *Thresholds) named(name string) *int64 {
	switch name {
	case DebtAlert:
		return &t.Debt
	case OldAlert:
		return &t.Old
	case ExposedAlert:
		return &t.Exposed
	case LostAlert:
		return &t.Lost
	case UncoveredAlert:
		return &t.Uncovered
	case DippersAlert:
		return &t.Dippers
	}
	return nil
}

// What an alert is about.
const (
	DebtAlert      = "debt"
	OldAlert       = "old-debt"
	ExposedAlert   = "exposure"
	LostAlert      = "lost"
	UncoveredAlert = "uncovered"
	DippersAlert   = "dippers"
)

// Alert is a figure against its threshold.
type Alert struct {
	About    string
	Of       string // the currency, or the program of refunds
	Value    int64  // in thousandths, or accounts
	Limit    int64
	Raised   bool
	Disabled bool
}

// AlertOf holds a figure against a threshold.
func AlertOf(about, of string, value, limit int64) Alert {
	return Alert{about, of, value, limit, limit >= 0 && value >= limit, limit < 0}
}

// Alerts holds the figures of a currency against the thresholds. granted is what was
// granted in the month that is not over.
func (c *Currency) Alerts(t Thresholds, granted int64) []Alert {
	var owed, lost int64
	if n := len(c.Months); n > 1 {
		owed, lost = c.Months[n-1].Owed, c.Months[n-1].Lost-c.Months[n-2].Lost
	}
	old := c.Ages[len(c.Ages)-1].Debt + c.Closed.Debt
	return []Alert{
		AlertOf(DebtAlert, c.Currency, share(c.Debt(), owed), t.Debt),
		AlertOf(OldAlert, c.Currency, share(old, c.Debt()), t.Old),
		AlertOf(ExposedAlert, c.Currency, share(c.Exposed, owed), t.Exposed),
		AlertOf(LostAlert, c.Currency, share(max(0, lost), granted), t.Lost),
		AlertOf(DippersAlert, c.Currency, c.Repeaters, t.Dippers),
	}
}

// share is a part in thousandths of a whole that it may exceed; something of nothing is
// all of it.
func share(part, whole int64) int64 {
	switch {
	case part <= 0:
		return 0
	case whole <= 0 || part/1000 >= whole:
		return 1_000_000
	}
	return permille(part%whole, whole) + part/whole*1000
}
