package e2e_test

import (
	"testing"
	"time"

	"recoup/e2e/browser"
)

// Amounts and dates are written as the browser's language has them.
func consoleLocales(t *testing.T, s *service) {
	now := time.Now().UTC()
	returned := time.Date(now.Year(), now.Month()-2, 20, 12, 0, 0, 0, time.UTC) // Anna's headphones
	for locale, forms := range map[string]struct{ debt, yen, moment, balance string }{
		"en-US": {"−$1.00", "JPY 1,240", "Jan 2, 2006, 3:04 PM", "balance"},
		"de-DE": {"−1,00 $", "1.240 JPY", "02.01.2006, 15:04", "Saldo"},
		"de-CH": {"−$1.00", "JPY 1’240", "02.01.2006, 15:04", "Saldo"},
	} {
		t.Run(locale, func(t *testing.T) {
			p := s.page(t, browser.Options{Locale: locale})
			p.Open("/console/account?id=anna")
			p.See(forms.debt + " " + forms.balance)
			p.See(returned.Format(forms.moment))
			p.Open("/console/account?id=chloe")
			p.See(forms.yen + " " + forms.balance)
		})
	}
}
