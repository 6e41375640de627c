package program_test

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"recoup/program"
)

func TestMinorUnits(t *testing.T) {
	for decimals, codes := range map[int]string{
		0: "JPY KRW CLP ISK VND XOF",
		2: "USD EUR GBP CHF SEK MGA MRU BGN XCG ZWG SLE",
		3: "KWD BHD OMR TND",
		4: "CLF UYW",
	} {
		for code := range strings.FieldsSeq(codes) {
			if got, known := program.MinorUnits(code); !known || got != decimals {
				t.Errorf("MinorUnits(%s) = %d, %t, want %d, true", code, got, known, decimals)
			}
		}
	}
	for _, code := range []string{"", "usd", "US", "USDX", "DEM", "HRK", "ANG", "ZWL", "CUC", "XAU", "XTS", "XXX"} {
		if _, known := program.MinorUnits(code); known {
			t.Errorf("MinorUnits(%q) is known, want unknown", code)
		}
	}
}

func TestFormatCount(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 7: "7", -999: "-999", 1000: "1,000", -1234567: "-1,234,567", math.MinInt64: "-9,223,372,036,854,775,808"} {
		if got := program.FormatCount(n); got != want {
			t.Errorf("FormatCount(%d) = %s, want %s", n, got, want)
		}
	}
}

func TestFormatAmount(t *testing.T) {
	for _, c := range []struct {
		minor    int64
		currency string
		want     string
	}{
		{0, "USD", "$0.00"},
		{5, "USD", "$0.05"},
		{-5, "USD", "-$0.05"},
		{50, "USD", "$0.50"},
		{123, "USD", "$1.23"},
		{99999, "USD", "$999.99"},
		{-123450, "USD", "-$1,234.50"},
		{123456789, "EUR", "€1,234,567.89"},
		{-100, "GBP", "-£1.00"},
		{123450, "CHF", "CHF 1,234.50"},
		{-123450, "CAD", "-CAD 1,234.50"},
		{0, "JPY", "JPY 0"},
		{-1234, "JPY", "-JPY 1,234"},
		{1, "KWD", "KWD 0.001"},
		{1234567, "KWD", "KWD 1,234.567"},
		{1, "CLF", "CLF 0.0001"},
		{-1234, "XYZ", "-XYZ 1,234 (minor units)"},
		{math.MaxInt64, "USD", "$92,233,720,368,547,758.07"},
		{math.MinInt64, "USD", "-$92,233,720,368,547,758.08"},
	} {
		if got := program.FormatAmount(c.minor, c.currency); got != c.want {
			t.Errorf("FormatAmount(%d, %s) = %s, want %s", c.minor, c.currency, got, c.want)
		}
	}
}

func TestParseDecimal(t *testing.T) {
	for _, c := range []struct {
		text, currency string
		want           int64
	}{
		{"0", "USD", 0},
		{"-0", "USD", 0},
		{"12", "USD", 1200},
		{"12.5", "USD", 1250},
		{"12.50", "USD", 1250},
		{"0.07", "USD", 7},
		{"-3", "USD", -300},
		{"-0.01", "USD", -1},
		{"1,234.50", "USD", 123450},
		{"1234.50", "USD", 123450},
		{"12,345,678.9", "USD", 1234567890},
		{"007", "USD", 700},
		{"1,234", "JPY", 1234},
		{"1.234", "KWD", 1234},
		{"92233720368547758.07", "USD", math.MaxInt64},
		{"-92233720368547758.08", "USD", math.MinInt64},
	} {
		if got, err := program.ParseDecimal(c.text, c.currency); err != nil || got != c.want {
			t.Errorf("ParseDecimal(%q, %s) = %d, %v, want %d", c.text, c.currency, got, err, c.want)
		}
	}
}

func TestParseDecimalRefuses(t *testing.T) {
	malformed := []string{
		"", "-", ".", "5.", ".5", "+5", "--5", "- 5", " 5", "5 ", "$5", "1.2.3", "1e3", "0x10", "five", "٣",
		",", "1,", ",123", "1,23", "12,34.50", "1234,567", "1,2345", "1.234,50", "1.5,000", "1,,234",
	}
	for _, text := range malformed {
		_, err := program.ParseDecimal(text, "USD")
		if err == nil || !strings.HasSuffix(err.Error(), ": expected a number such as 1234, 1,234.50 or -3") {
			t.Errorf("ParseDecimal(%q) = %v, want a refusal of its form", text, err)
		}
	}
	for _, c := range []struct{ text, currency, want string }{
		{"12.345", "USD", `amount "12.345": expected at most 2 decimals, as USD has`},
		{"12.500", "USD", `amount "12.500": expected at most 2 decimals, as USD has`},
		{"12.0", "JPY", `amount "12.0": expected at most 0 decimals, as JPY has`},
		{"92233720368547758.08", "USD", `amount "92233720368547758.08": too large for a 64-bit number of minor units`},
		{"1", "XYZ", `currency "XYZ": expected an ISO 4217 code in use, such as USD`},
		{strings.Repeat("x", 99), "USD", `amount "` + strings.Repeat("x", 40) + `"…: expected a number such as 1234, 1,234.50 or -3`},
	} {
		if _, err := program.ParseDecimal(c.text, c.currency); err == nil || err.Error() != c.want {
			t.Errorf("ParseDecimal(%q, %s): got %v, want %s", c.text, c.currency, err, c.want)
		}
	}
}

func TestAFormattedAmountReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		minor := rapid.Int64().Draw(t, "minor")
		currency := rapid.SampledFrom([]string{"USD", "EUR", "GBP", "CHF", "JPY", "KWD", "CLF"}).Draw(t, "currency")
		shown := program.FormatAmount(minor, currency)
		number := strings.NewReplacer("$", "", "€", "", "£", "", currency+" ", "").Replace(shown)
		if got, err := program.ParseDecimal(number, currency); err != nil || got != minor {
			t.Fatalf("%d %s is shown as %s, which reads back as %d, %v", minor, currency, shown, got, err)
		}
	})
}
