package locale_test

import (
	"testing"

	"pgregory.net/rapid"

	"recoup/internal/console/locale"
)

func TestAmountsAreReadAsTheyAreWritten(t *testing.T) {
	for _, c := range []struct {
		language, text, currency string
		want                     int64 // −1: it is refused
	}{
		{"en", "12.50", "USD", 1250}, {"en", "12.5", "USD", 1250}, {"en", "12", "USD", 1200}, {"en", "$12.50", "USD", 1250}, {"en", "12.50 USD", "USD", 1250},
		{"en", "1,234.50", "USD", 123450}, {"en", "$1,234.50", "USD", 123450}, {"en", "1234.50", "USD", 123450}, {"en", "12,50", "USD", -1}, {"en", "1,23", "USD", -1}, {"en", "1,2345", "USD", -1},
		{"en", "12.505", "USD", -1}, {"en", "12.", "USD", -1}, {"en", "", "USD", -1}, {"en", "-1", "USD", -1}, {"en", "+1", "USD", -1}, {"en", "1e3", "USD", -1}, {"en", "99999999999999999999", "USD", -1},
		{"de", "12,50", "USD", 1250}, {"de", "12,50\u00a0$", "USD", 1250}, {"de", "12,50 $", "USD", 1250}, {"de", "12.50", "USD", 1250}, {"de", "1.234,50", "USD", 123450}, {"de", "1.234", "USD", 123400},
		{"de", "12,505", "USD", -1}, {"de", "1.23,50", "USD", -1}, {"de", "1,234.50", "USD", -1},
		{"de", "1.234", "KWD", -1}, // a thousand and more, or one and a part
		{"en", "1,234", "KWD", -1}, {"en", "1,234.000", "KWD", 1234000}, {"de", "1.234,000", "KWD", 1234000}, {"de", "1,234", "KWD", 1234},
		{"fr", "1 234,50", "EUR", 123450}, {"fr", "1\u202f234,50 €", "EUR", 123450}, {"de-CH", "1'234.50", "USD", 123450}, {"de-CH", "1’234.50", "USD", 123450},
		{"en-IN", "12,34,567.00", "INR", 123456700}, {"en-IN", "1,234,567.00", "INR", -1},
		{"ja", "1250", "JPY", 1250}, {"ja", "12.5", "JPY", -1}, {"en", "JPY 1,250", "JPY", 1250},
	} {
		got, err := locale.Match(c.language).ParseAmount(c.text, c.currency)
		if c.want < 0 && err == nil || c.want >= 0 && (err != nil || got != c.want) {
			t.Errorf("%q of %s in %s is %d, %v, want %d", c.text, c.currency, c.language, got, err, c.want)
		}
	}
}

// Whatever is shown can be entered, unless it may be read as another amount.
func TestWhatIsShownIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := locale.Match(rapid.SampledFrom([]string{"en", "en-US", "en-IN", "de", "de-AT", "de-CH", "fr", "fr-CA", "hi", "ja", "pl", "sv", "en-ZA", "it"}).Draw(t, "language"))
		currency := rapid.SampledFrom([]string{"USD", "EUR", "JPY", "CHF", "INR"}).Draw(t, "currency")
		amount := rapid.Int64Range(0, 1_000_000_000_000_000).Draw(t, "amount")
		shown := l.Amount(amount, currency)
		if got, err := l.ParseAmount(shown, currency); err != nil || got != amount {
			t.Fatalf("%q is read as %d, %v, want %d", shown, got, err, amount)
		}
	})
}
