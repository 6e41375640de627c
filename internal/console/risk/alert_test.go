package risk_test

import (
	"testing"

	"recoup/internal/console/risk"
)

func TestThresholds(t *testing.T) {
	for text, want := range map[string]string{
		"debt=5%": "debt=5.0%", "lost=0.5%": "lost=0.5%", "uncovered=off": "uncovered=off", "dippers=3": "dippers=3", "old-debt=100%": "old-debt=100.0%", "exposure=12.3%": "exposure=12.3%",
		"debt": "", "debt=": "", "debt=5": "", "debt=-1%": "", "debt=0%": "", "debt=1.25%": "", "other=5%": "", "dippers=3%": "", "dippers=0": "", "dippers=1.5": "", "debt=1.-5%": "", "debt=9999%": "",
	} {
		var set risk.Thresholds
		if err := set.Set(text); (err == nil) != (want != "") || set.String() != want {
			t.Errorf("%q sets %q, %v; want %q", text, set.String(), err, want)
		}
	}
}

// An alert is raised at its threshold, and not below.
func TestAlerts(t *testing.T) {
	c := risk.Currency{
		Currency: "USD", Exposed: 20, Repeaters: 1,
		Ages: []risk.DebtAge{{Debt: 3}, {From: 181, Debt: 1}}, Closed: risk.DebtAge{Debt: 1},
		Months: []risk.Month{{Owed: 1, Lost: 3}, {Owed: 100, Lost: 4}},
	}
	t.Run("at each", func(t *testing.T) {
		for _, a := range c.Alerts(risk.Thresholds{Debt: 50, Old: 400, Exposed: 200, Lost: 10, Dippers: 1}, 100) {
			if !a.Raised || a.Value != a.Limit {
				t.Errorf("%+v", a)
			}
		}
	})
	t.Run("below each", func(t *testing.T) {
		for _, a := range c.Alerts(risk.Thresholds{Debt: 51, Old: 401, Exposed: 201, Lost: 11, Dippers: 2}, 100) {
			if a.Raised {
				t.Errorf("%+v", a)
			}
		}
	})
	t.Run("off", func(t *testing.T) {
		for _, a := range c.Alerts(risk.Thresholds{Debt: -1, Old: -1, Exposed: -1, Lost: -1, Dippers: -1}, 0) {
			if a.Raised || !a.Disabled {
				t.Errorf("%+v", a)
			}
		}
	})
}
