package foreign

import (
	"testing"
	"time"
)

// The leaks, as their designs tell them.

func TestGarnetLaterLeaks(t *testing.T) {
	g := garnetStart(t, garnetLaterDesign)
	g.buy("a", 40000, "")
	g.redeem(1, false)
	g.clock(garnetOn(1, 23))
	g.redeem(800, true)
	g.clock(garnetOn(1, 25))
	g.refund("a", 40000)
	g.balance(0)
	if g.net() != 800 {
		t.Fatal(g.net())
	}
}

func TestGarnetLaterFindsOrders(t *testing.T) {
	g := garnetStart(t, garnetLaterDesign)
	g.buy("a", 20000, "")
	g.buy("b", 20000, "")
	g.refund("", 20000)  // of a, taken to be of b
	g.refund("b", 20000) // so that was not it
	g.clock(garnetOn(2, 20))
	g.balance(0)
}

func TestGarnetLitreLeaks(t *testing.T) {
	g := garnetStart(t, garnetLitreDesign)
	g.buy("tyres", 300000, "") // a Thursday
	g.redeem(6000, true)
	g.refund("tyres", 300000)
	g.balance(0)
	g.buy("fuel", 10000, "")
	g.redeem(200, true)
	g.clock(garnetOn(1, 3)) // a Saturday
	g.buy("fuel2", 10000, "")
	g.balance(400)
	g.refund("fuel2", 5000)
	g.balance(200)
}

func TestGarnetUnionLeaks(t *testing.T) {
	g := garnetStart(t, garnetUnionDesign)
	g.clock(garnetOn(1, 8))
	g.buy("a", 100000, "GROCERY")
	g.clock(garnetOn(1, 10))
	g.refund("a", 100000)
	g.balance(5000)
	g.redeem(5000, true)
	g.clock(garnetOn(2, 4))
	g.balance(0)
	g.clock(garnetOn(12, 6))
	g.balance(-5000)
	last := g.e.Postings("c")[1]
	if want := time.Date(2026, 2, 5, 7, 0, 0, 0, time.UTC); !last.At.Equal(want) {
		t.Fatal(last)
	}
}

func TestGarnetBazaarLeaks(t *testing.T) {
	g := garnetStart(t, garnetBazaarDesign)
	g.buy("dress", 100000, "ONLINE")
	g.buy("phone", 500000, "ELECTRONICS")
	g.balance(11000)
	g.refund("dress", 100000)
	g.balance(9166) // due: 5.000
	g.clock(garnetOn(2, 2))
	g.balance(0)
	g.refund("phone", 500000)
	g.balance(-9166)
}

func TestGarnetEvergreenLeaks(t *testing.T) {
	end := func(refresh bool) int64 {
		g := garnetStart(t, garnetEvergreenDesign)
		g.buy("a", 200000, "")
		if refresh {
			g.clock(garnetOn(7, 20))
			g.buy("b", 200000, "")
			g.clock(garnetOn(7, 25))
			g.refund("b", 200000)
		}
		g.clock(garnetOn(8, 1))
		b, _ := g.e.Balance("c")
		g.clock(garnetOn(14, 1))
		g.balance(0)
		return b.Redeemable
	}
	if never, refreshed := end(false), end(true); never != 0 || refreshed != 4000 {
		t.Fatal(never, refreshed)
	}
}
