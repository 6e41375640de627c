package risk

import "cmp"

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
