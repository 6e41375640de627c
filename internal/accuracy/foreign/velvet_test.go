package foreign

import (
	"testing"
	"time"

	"recoup/internal/issuer"
)

// velvetCustomer drives an engine and fails the test where a move is an error.
type velvetCustomer struct {
	t        *testing.T
	e        Engine
	redeemed int64
	moves    int
}

func velvetOpen(t *testing.T, d Design, at string) *velvetCustomer {
	c := &velvetCustomer{t: t, e: d.New()}
	c.clock(at)
	c.must(c.e.Open("a"))
	return c
}

func (c *velvetCustomer) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

func (c *velvetCustomer) clock(day string) {
	at, err := time.Parse(time.DateOnly, day)
	c.must(err)
	c.must(c.e.SetClock(at.Add(12 * time.Hour)))
}

func (c *velvetCustomer) buy(id, category string, amount int64) {
	c.must(c.e.Settle(issuer.Settlement{Account: "a", Transaction: id, Amount: amount, Category: category, Merchant: "m-" + category}))
}

func (c *velvetCustomer) refund(id, of string, amount int64) {
	c.must(c.e.Refund(issuer.Refund{Account: "a", Refund: id, Transaction: of, Amount: amount}))
}

func (c *velvetCustomer) redeemAll() {
	c.moves++
	b, err := c.e.Balance("a")
	c.must(err)
	ok, err := c.e.Redeem(issuer.Redemption{Account: "a", Redemption: "r" + string(rune('0'+c.moves)), Amount: b.Redeemable})
	c.must(err)
	if ok {
		c.redeemed += b.Redeemable
	}
}

// expect checks the balance and what the customer has had in hand.
func (c *velvetCustomer) expect(balance, cash int64) {
	c.t.Helper()
	b, err := c.e.Balance("a")
	c.must(err)
	paid, err := issuer.PaidOut(c.e, "a")
	c.must(err)
	if b.Balance != balance || c.redeemed+paid != cash {
		c.t.Errorf("balance %d, in hand %d; want %d and %d", b.Balance, c.redeemed+paid, balance, cash)
	}
}

func TestVelvetHarbourForgetsClosedQuarters(t *testing.T) {
	for day, balance := range map[string]int64{"2026-04-09": -3_000, "2026-04-15": 0} {
		c := velvetOpen(t, velvetHarbour, "2026-03-01")
		c.clock("2026-03-20")
		c.buy("p", "TRAVEL", 100_000)
		c.redeemAll()
		c.clock(day)
		c.refund("x", "p", 100_000)
		c.expect(balance, 3_000)
	}
}

func TestVelvetSaffronForgivesDebt(t *testing.T) {
	c := velvetOpen(t, velvetSaffron, "2026-03-01")
	c.buy("p", "GROCERY", 1_500_000)
	c.redeemAll()
	c.refund("x", "p", 1_500_000)
	c.expect(0, 30_000)
	c.buy("q", "GROCERY", 15_000)
	c.expect(300, 30_000)
	c.refund("y", "q", 1) // nothing forgiven that was not paid out
	c.expect(0, 30_000)
}

func TestVelvetDhowWaitsForTheStatement(t *testing.T) {
	c := velvetOpen(t, velvetDhow, "2026-03-01")
	c.clock("2026-03-26")
	c.buy("p", "ONLINE", 400_000)
	c.clock("2026-03-28")
	c.refund("x", "p", 400_000)
	c.expect(10_000, 0)
	c.clock("2026-04-24")
	c.redeemAll()
	c.expect(0, 10_000)
	c.clock("2026-04-25")
	c.expect(-10_000, 10_000)
	c.clock("2028-01-01")
	c.expect(-10_000, 10_000)
}

func TestVelvetSobotaTakesTodaysRate(t *testing.T) {
	for day, kept := range map[string]int64{"2026-03-09": 6_000, "2026-03-08": 0} {
		c := velvetOpen(t, velvetSobota, "2026-03-07") // a Saturday
		c.buy("p", "OTHER", 200_000)
		c.expect(8_000, 0)
		c.clock(day)
		c.refund("x", "p", 200_000)
		c.expect(kept, 0)
	}
}

func TestVelvetMerlionCountsWhatWentBack(t *testing.T) {
	for spend, cash := range map[int64]int64{40_000: 2_090, 4_000: 285} {
		c := velvetOpen(t, velvetMerlion, "2026-03-09")
		c.buy("p", "GROCERY", 95_000)
		c.buy("tv", "OTHER", spend)
		c.clock("2026-03-20")
		c.refund("x", "tv", spend)
		c.clock("2026-04-08")
		c.expect(cash, 0)
	}
}
