package foreign

import (
	"fmt"
	"testing"
	"time"

	"recoup/internal/issuer"
)

// millCustomer does the examples of the Leak texts.
type millCustomer struct {
	t *testing.T
	e Engine
	n int
}

func millOpen(t *testing.T, d Design) *millCustomer {
	c := &millCustomer{t: t, e: d.New()}
	c.on(2026, 1, 1)
	c.must(c.e.Open("a"))
	return c
}

func (c *millCustomer) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

// on is noon UTC of a day.
func (c *millCustomer) on(y, m, d int) {
	c.t.Helper()
	c.must(c.e.SetClock(time.Date(y, time.Month(m), d, 12, 0, 0, 0, time.UTC)))
}

func (c *millCustomer) buy(id, category string, amount int64) {
	c.must(c.e.Settle(issuer.Settlement{Account: "a", Transaction: id, Category: category, Amount: amount}))
}

func (c *millCustomer) back(id string, amount int64) {
	c.n++
	c.must(c.e.Refund(issuer.Refund{Account: "a", Refund: fmt.Sprint(c.n), Transaction: id, Amount: amount}))
}

func (c *millCustomer) draw(amount int64) {
	c.t.Helper()
	c.n++
	ok, err := c.e.Redeem(issuer.Redemption{Account: "a", Redemption: fmt.Sprint(c.n), Amount: amount})
	c.must(err)
	if !ok {
		c.t.Errorf("could not draw %d", amount)
	}
}

// has checks the balance, what can be drawn of it, and what was paid without asking.
func (c *millCustomer) has(balance, redeemable, paid int64) {
	c.t.Helper()
	b, err := c.e.Balance("a")
	c.must(err)
	p, err := issuer.PaidOut(c.e, "a")
	c.must(err)
	if (b != issuer.Balance{Balance: balance, Redeemable: redeemable}) || p != paid {
		c.t.Errorf("has %+v and was paid %d, want %d, %d and %d", b, p, balance, redeemable, paid)
	}
}

func TestMillDieselLeaks(t *testing.T) {
	c := millOpen(t, millDieselDesign)
	c.on(2026, 3, 20)
	c.buy("kept", "FUEL", 60000)
	c.buy("early", "FUEL", 600000)
	c.on(2026, 4, 9)
	c.back("early", 600000)
	c.on(2026, 4, 12)
	c.has(0, 0, 600) // in time: 1 % of what is kept
	c = millOpen(t, millDieselDesign)
	c.on(2026, 3, 20)
	c.buy("late", "FUEL", 600000)
	c.on(2026, 4, 12)
	c.has(0, 0, 18000)
	c.back("late", 600000)
	c.on(2028, 1, 1)
	c.has(0, 0, 18000)
}

func TestMillSlicesLeaks(t *testing.T) {
	c := millOpen(t, millSlicesDesign)
	c.buy("dress", "FASHION", 100000)
	c.draw(6000)
	c.back("dress", 100000)
	c.has(0, 0, 0)
	c.on(2026, 2, 1)
	c.buy("coat", "FASHION", 50000)
	c.has(3000, 3000, 0)
	c.back("coat", 25000)
	c.has(1500, 1500, 0) // what the wallet has is taken
}

func TestMillNairaLeaks(t *testing.T) {
	c := millOpen(t, millNairaDesign)
	c.on(2026, 1, 5)
	c.buy("phone", "HOME", 1000000)
	c.on(2026, 1, 6)
	c.back("phone", 1000000)
	c.has(50000, 50000, 0)
	c.draw(50000)
	c.on(2028, 1, 1)
	c.has(-50000, 0, 0)
	c.buy("bread", "GROCERY", 1000000)
	c.has(-30000, 0, 0) // who stays works it off
}

func TestMillSkyshopLeaks(t *testing.T) {
	c := millOpen(t, millSkyshopDesign)
	c.buy("rice", "GROCERY", 100000)
	c.on(2026, 2, 1)
	c.buy("bag", "TRAVEL", 100000)
	c.has(3000, 3000, 0)
	c.back("bag", 100000)
	c.has(2500, 2500, 0) // 500 are due
	c.back("rice", 100000)
	c.has(0, 0, 0)
}

func TestMillRideLeaks(t *testing.T) {
	c := millOpen(t, millRideDesign)
	c.buy("dinner", "DINING", 9500)
	c.has(450, 450, 0)
	for range 10 {
		c.back("dinner", 950)
	}
	c.has(450, 450, 0)
	c.buy("lunch", "DINING", 9500)
	c.draw(900)
	c.back("lunch", 9500)
	c.has(-450, 0, 0) // in one piece it is taken back
}
