package approval

import "testing"

// What may be done alone is a flag: for all currencies, and for single ones.
func TestLimitsAsAFlag(t *testing.T) {
	var l Limits
	for _, text := range []string{"25.00", "JPY=2500", "KWD=7.500", "EUR=10"} {
		if err := l.Set(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for currency, want := range map[string]int64{"USD": 2500, "JPY": 2500, "KWD": 7500, "EUR": 1000, "KRW": 25, "BHD": 25000, "GBP": 2500, "PTS": 25} {
		if got := l.In(currency); got != want {
			t.Errorf("in %s it is %d, want %d", currency, got, want)
		}
	}
	for _, text := range []string{"", "-1", "2.5", "2500", "25.000", "1.", "JPY=2.5", "EUR=1.5", "EUR=", "XYZ=1", "EUR=-1", "1000000000000001"} {
		if err := l.Set(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
