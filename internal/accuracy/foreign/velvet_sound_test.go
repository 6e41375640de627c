package foreign

import (
	"testing"
	"time"

	"recoup/internal/issuer"
)

func TestVelvetBergpassPays(t *testing.T) {
	c := velvetOpen(t, velvetBergpass, "2026-03-01")
	c.buy("p", "OTHER", 300_000)
	c.buy("q", "TRAVEL", 150_000)
	c.redeemAll()
	c.clock("2027-03-01")
	c.expect(0, 3_150)
	c.refund("x", "q", 60_000) // 3,900 are left, at 0.4 %
	c.expect(1_560-3_150, 3_150)
	if paid := c.e.Postings("a")[len(c.e.Postings("a"))-3]; paid.Kind != Paid || !paid.At.Equal(time.Date(2027, 1, 31, 0, 0, 0, 0, velvetZurich)) {
		t.Errorf("paid row %+v", paid)
	}
}

func TestVelvetKaedeReckonsStatementsAnew(t *testing.T) {
	c := velvetOpen(t, velvetKaede, "2026-03-12")
	c.buy("p", "ONLINE", 160_000) // 1,600 and 3,000 points: the limit
	c.buy("q", "OTHER", 5_099)
	c.clock("2026-04-10")
	c.expect(0, 0)
	c.clock("2026-04-11")
	c.expect(4_650, 0)
	c.redeemAll()
	c.refund("x", "p", 10_000) // still at the limit of the extra points
	c.expect(-100, 4_650)
	c.refund("y", "p", 50_000) // 100,000 are left: 2,000 extra
	c.expect(-1_600, 4_650)
	c.refund("z", "p", 900_000) // above the price
	c.expect(50-4_650, 4_650)
	for _, row := range c.e.Postings("a") {
		if row.Transaction != "" || row.Refund != "" {
			t.Errorf("row %+v names something", row)
		}
	}
}

func TestVelvetWattleTakesTheBonusBack(t *testing.T) {
	c := velvetOpen(t, velvetWattle, "2026-03-01")
	c.refund("early", "p", 10_000)
	c.buy("p", "GROCERY", 170_000)
	c.expect(0, 0)
	c.clock("2026-03-02")
	c.expect(6_400+7_500, 0)
	if row := c.e.Postings("a")[0]; !row.At.Equal(time.Date(2026, 3, 2, 0, 0, 0, 0, velvetSydney)) {
		t.Errorf("the day was booked at %s", row.At)
	}
	c.redeemAll()
	c.must(c.e.Chargeback(issuer.Chargeback{Account: "a", Chargeback: "c", Transaction: "p", Amount: 20_000}))
	c.expect(5_600-13_900, 13_900)
	c.must(c.e.Refund(issuer.Refund{Account: "a", Refund: "u", Merchant: "m-GROCERY", Amount: 50_000}))
	c.expect(3_600-13_900, 13_900)
}

func TestVelvetRefusals(t *testing.T) {
	for _, d := range velvetDesigns {
		c := velvetOpen(t, d, "2026-03-01")
		for _, amount := range []int64{-1, 0, 1} {
			if ok, err := c.e.Redeem(issuer.Redemption{Account: "a", Redemption: "r", Amount: amount}); ok || err != nil {
				t.Errorf("%s: %d of nothing: %v, %v", d.Name, amount, ok, err)
			}
		}
		if c.e.Settle(issuer.Settlement{Account: "b", Transaction: "p", Amount: 1}) == nil || c.e.CloseStatement("b") == nil {
			t.Errorf("%s: knows an account that was not opened", d.Name)
		}
	}
}
