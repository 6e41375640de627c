package source_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"recoup/source"
)

// TestDecimalsAreExact: what is written is what is counted, in the currency's minor units, or
// an error that says what was expected.
func TestDecimalsAreExact(t *testing.T) {
	for _, c := range []struct {
		json, currency string
		want           int64
		wrong          string
	}{
		{"12.30", "USD", 1230, ""},
		{"12.3", "USD", 1230, ""},
		{"12", "USD", 1200, ""},
		{"12.300", "USD", 1230, ""},
		{`"12.30"`, "USD", 1230, ""},
		{"-0.01", "USD", -1, ""},
		{"0", "USD", 0, ""},
		{"0.1", "USD", 10, ""},
		{"1.005", "BHD", 1005, ""},
		{"1200", "JPY", 1200, ""},
		{"1200.0", "JPY", 1200, ""},
		{"9007199254740.93", "USD", 900719925474093, ""},
		{"12.305", "USD", 0, "at most 2 decimals of USD"},
		{"12.5", "JPY", 0, "at most 0 decimals of JPY"},
		{"1e2", "USD", 0, "expected a decimal number"},
		{`"12."`, "USD", 0, "expected a decimal number"},
		{`".5"`, "USD", 0, "expected a decimal number"},
		{`"+5"`, "USD", 0, "expected a decimal number"},
		{`""`, "USD", 0, "expected a decimal number"},
		{`"١٢"`, "USD", 0, "expected a decimal number"},
		{"null", "USD", 0, "expected a decimal number"},
		{"true", "USD", 0, "amount: expected"},
		{"10000000000000.01", "USD", 0, "at most"},
		{"99999999999999999999999999", "USD", 0, "at most"},
		{"1", "XYZ", 0, "no currency"},
	} {
		var body struct {
			Amount source.Decimal `json:"amount"`
		}
		err := source.Read([]byte(`{"amount":`+c.json+`}`), &body)
		var got int64
		if err == nil {
			got, err = body.Amount.Minor(c.currency)
		}
		switch {
		case c.wrong == "" && (err != nil || got != c.want):
			t.Errorf("%s %s: expected %d, found %d and %v", c.json, c.currency, c.want, got, err)
		case c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)):
			t.Errorf("%s %s: expected %q, found %d and %v", c.json, c.currency, c.wrong, got, err)
		}
	}
}

// TestDecimalsReadWhatIsWritten: whatever an amount is, written with its point and read it
// is the same.
func TestDecimalsReadWhatIsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		minor := rapid.Int64Range(-1_000_000_000_000_000, 1_000_000_000_000_000).Draw(t, "minor")
		sign, size := "", minor
		if minor < 0 {
			sign, size = "-", -minor
		}
		text := fmt.Sprintf("%s%d.%02d", sign, size/100, size%100)
		if got, err := source.Decimal(text).Minor("EUR"); err != nil || got != minor {
			t.Fatalf("%s: expected %d, found %d and %v", text, minor, got, err)
		}
	})
}
