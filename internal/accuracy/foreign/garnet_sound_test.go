package foreign

import (
	"testing"
	"time"

	"recoup/internal/issuer"
)

// The sound designs, on examples of what is unusual about them.

func TestGarnetVouchersComeBack(t *testing.T) {
	g := garnetStart(t, garnetRappenDesign)
	g.buy("a", 120050, "")
	g.buy("b", 50, "") // the centimes make up a franc
	g.balance(0)
	g.clock(garnetOn(3, 2))
	g.balance(201) // 1,201 points, 1,000 of them as vouchers
	g.redeem(100, false)
	g.refund("b", 1)
	g.refund("a", 120050)
	g.clock(garnetOn(9, 2))
	g.balance(-1000)
	if paid, _ := issuer.PaidOut(g.e, "c"); paid != 1000 {
		t.Fatal(paid)
	}
}

// TestGarnetUnknownPurchase: a name that nobody knows is waited for, then doubted; when
// the purchase comes after all, only it is lowered.
func TestGarnetUnknownPurchase(t *testing.T) {
	for i, want := range [][3]int64{{1000, 600, 1000}, {5000, 3000, 5000}, {1000, 200, 1000}} {
		g := garnetStart(t, garnetDesigns[i])
		g.buy("a", 100000, "DINING")
		g.refund("b", 40000)
		for step, at := range []time.Time{garnetOn(1, 20), garnetOn(2, 20), garnetOn(4, 20)} {
			g.clock(at)
			if got := g.net(); got != want[step] {
				t.Fatalf("%s, step %d: %d, not %d", garnetDesigns[i].Name, step, got, want[step])
			}
			if step == 1 {
				g.buy("b", 40000, "DINING")
			}
		}
	}
}

func TestGarnetRoomUnderTheCeiling(t *testing.T) {
	g := garnetStart(t, garnetTapDesign)
	g.buy("a", 160000, "DINING") // 80 kr
	g.buy("b", 160000, "FUEL")   // 20 kr: the ceiling
	g.balance(10000)
	g.redeem(10000, true)
	g.clock(garnetOn(3, 1))
	g.refund("a", 160000)
	g.balance(-2000) // b is worth 80 kr now
	g.refund("", 101)
	g.balance(-2006)
}

func TestGarnetWelcomeMiles(t *testing.T) {
	g := garnetStart(t, garnetKazeDesign)
	g.buy("a", 300000, "")
	g.clock(garnetOn(1, 20))
	g.balance(8000)
	g.redeem(8000, true)
	g.refund("a", 1)
	g.balance(-5001)
}
