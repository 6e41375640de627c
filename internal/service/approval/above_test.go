package approval

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"recoup/reward"
)

// What may be done alone is a flag, an amount of each currency: nothing follows from one for
// another, and what has none needs a second person always.
func TestLimitsAsAFlag(t *testing.T) {
	var l Limits
	for _, text := range []string{"USD=25.00", "JPY=2500", "KWD=7.500", "EUR=10", "GBP=0", "PTS=1000", "MIL=12.50", "OLD=1"} {
		if err := l.Set(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	if in := l.In("PTS"); in != 0 {
		t.Errorf("where no program is known %d points may be given alone", in)
	}
	l.Decimals = func(unit string) (int, bool) {
		decimals, known := map[string]int{"PTS": 0, "MIL": 1, "BIG": 0}[unit]
		return decimals, known
	}
	for unit, want := range map[string]int64{"USD": 2500, "JPY": 2500, "KWD": 7500, "EUR": 1000, "GBP": 0, "KRW": 0, "BHD": 0, "CHF": 0, "PTS": 1000, "MIL": 125, "OLD": 0, "BIG": 0, "": 0} {
		if got := l.In(unit); got != want {
			t.Errorf("in %s it is %d, want %d", unit, got, want)
		}
	}
	l.Decimals = func(string) (int, bool) { return 2, true }
	if in := l.In("PTS"); in != 1000_00 {
		t.Errorf("1000 points are %d hundredths of one", in)
	}
	if got, want := l.String(), "EUR=10.00,GBP=0.00,JPY=2500,KWD=7.500,MIL=12.50,OLD=1,PTS=1000,USD=25.00"; got != want {
		t.Errorf("it is written %s, want %s", got, want)
	}
	for _, text := range []string{"", "-1", "2.5", "25.000", "1.", "JPY=2.5", "JPY=25.", "EUR=1.5", "EUR=", "XYZW=1", "pts=1", "PTS=", "PTS=1.", "PTS=1.0000000", "EUR=-1", "PTS=-1", "USD=1000000000000001.00", "=5"} {
		if err := l.Set(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
	for _, before := range []string{"25.00", "2500"} {
		if err := l.Set(before); err == nil || !strings.Contains(err.Error(), "such as USD="+before) {
			t.Errorf("%s, of every currency alike: %v", before, err)
		}
	}
}

// What a limit is written as is read again as the same.
func TestLimitsAreReadAsTheyAreWritten(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		unit := rapid.SampledFrom([]string{"USD", "JPY", "KWD", "CLF", "PTS"}).Draw(rt, "unit")
		n := rapid.Int64Range(0, reward.MaxAmount).Draw(rt, "amount")
		one, again := Limits{Of: map[string]int64{unit: n}}, Limits{}
		if unit == "PTS" {
			one = Limits{points: map[string]pointLimit{unit: {n, rapid.IntRange(0, mostDecimals).Draw(rt, "decimals")}}}
		}
		if err := again.Set(one.String()); err != nil || again.String() != one.String() || again.Of[unit] != one.Of[unit] || again.points[unit] != one.points[unit] {
			rt.Fatalf("%s is read as %s: %v", one.String(), again.String(), err)
		}
	})
}
