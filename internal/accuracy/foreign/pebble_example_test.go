package foreign

import (
	"testing"

	"recoup/internal/issuer"
)

// TestPebbleExamples has one history for all: groceries and fuel for 800.00 in one month,
// cashed in as far as possible, the groceries returned half a year later, named or not.
func TestPebbleExamples(t *testing.T) {
	// What is left in total with the name, and without it.
	want := map[string][2]int64{
		"pebble-slate":   {300, -1200}, // 10.00 (the cap) + 3.00, 25.00 taken on suspicion
		"pebble-weir":    {150, -350},  // 250 + 150 points, 750 taken on suspicion
		"pebble-cairn":   {600, -150},  // 2.50 + 6.00, 10.00 taken on suspicion
		"pebble-lantern": {300, -200},  // 8.00, 10.00 taken on suspicion
		"pebble-mosaic":  {900, 900},   // 1,500 + 900 points; without the name 1,500 taken as well
	}
	for _, d := range pebbleDesigns {
		for i, name := range []string{"groceries", ""} {
			e := d.New()
			pebbleMust(t, e.SetClock(pebbleStart))
			pebbleMust(t, e.Open("a"))
			pebbleMust(t, e.Settle(issuer.Settlement{Account: "a", Transaction: "groceries", Amount: 50000, Category: "GROCERY"}))
			pebbleMust(t, e.Settle(issuer.Settlement{Account: "a", Transaction: "fuel", Amount: 30000, Category: "FUEL"}))
			pebbleMust(t, e.SetClock(pebbleStart.AddDate(0, 6, 0)))
			b, err := e.Balance("a")
			pebbleMust(t, err)
			if b.Redeemable > 0 {
				ok, err := e.Redeem(issuer.Redemption{Account: "a", Redemption: "all", Amount: b.Redeemable})
				if pebbleMust(t, err); !ok {
					t.Fatal(d.Name, "refused what it showed")
				}
			}
			pebbleMust(t, e.Refund(issuer.Refund{Account: "a", Refund: "r", Transaction: name, Amount: 50000}))
			if now, _ := e.Balance("a"); now.Redeemable != 0 {
				t.Errorf("%s: %+v can be redeemed after the return", d.Name, now)
			}
			pebbleMust(t, e.SetClock(pebbleStart.AddDate(0, 9, 0)))
			after, err := e.Balance("a")
			pebbleMust(t, err)
			if got := after.Balance + b.Redeemable; got != want[d.Name][i] {
				t.Errorf("%s, named %q: %d, not %d", d.Name, name, got, want[d.Name][i])
			}
		}
	}
}

// TestPebbleGivenBack: the desk of pebble-mosaic lowers what a return without a name took.
func TestPebbleGivenBack(t *testing.T) {
	e := pebbleMosaic.New()
	pebbleMust(t, e.SetClock(pebbleStart))
	pebbleMust(t, e.Open("a"))
	pebbleMust(t, e.Settle(issuer.Settlement{Account: "a", Transaction: "dinner", Amount: 20000, Category: "DINING"}))
	pebbleMust(t, e.SetClock(pebbleStart.AddDate(0, 0, 7)))
	pebbleMust(t, e.Refund(issuer.Refund{Account: "a", Refund: "r", Amount: 5000}))
	for _, c := range []struct {
		days int
		want int64
	}{{7, 200 - 150}, {18, 200 - 50}} {
		pebbleMust(t, e.SetClock(pebbleStart.AddDate(0, 0, c.days)))
		b, err := e.Balance("a")
		if pebbleMust(t, err); b.Balance != c.want || b.Redeemable != c.want {
			t.Errorf("on day %d %+v, not %d", c.days, b, c.want)
		}
	}
}
