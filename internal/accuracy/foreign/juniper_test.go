package foreign

import (
	"testing"
	"time"

	"recoup/internal/issuer"
)

// TestJuniperDesk: what the desk refuses and what it takes once.
func TestJuniperDesk(t *testing.T) {
	for _, d := range juniperDesigns {
		e := d.New()
		juniperOK(t, e.Open("a"))
		juniperOK(t, e.SetClock(juniperStart))
		if b, _ := e.Balance("a"); b != (issuer.Balance{}) || len(e.Postings("a")) > 0 {
			t.Errorf("%s: something on a new account", d.Name)
		}
		if e.Settle(issuer.Settlement{Account: "b", Transaction: "x", Amount: 1}) == nil || e.Refund(issuer.Refund{Account: "b", Amount: 1}) == nil {
			t.Errorf("%s: an unknown account", d.Name)
		}
		for range 2 {
			juniperOK(t, e.Settle(issuer.Settlement{Account: "a", Transaction: "x", Amount: 20000, Category: "DINING"}))
		}
		juniperOK(t, e.SetClock(juniperStart.Add(60*24*time.Hour)))
		b, _ := e.Balance("a")
		for _, amount := range []int64{0, -5, b.Redeemable + 1} {
			if ok, err := e.Redeem(issuer.Redemption{Account: "a", Redemption: "r", Amount: amount}); ok || err != nil {
				t.Errorf("%s: redeemed %d of %d", d.Name, amount, b.Redeemable)
			}
		}
	}
}

// TestJuniperMatchedLater: what was taken for a return without a purchase comes back when
// its purchase is named, but for what it cost.
func TestJuniperMatchedLater(t *testing.T) {
	buy := func(id string, amount int64, category string) *issuer.Settlement {
		return &issuer.Settlement{Account: "a", Transaction: id, Amount: amount, Category: category}
	}
	back := func(id string) *issuer.Refund {
		return &issuer.Refund{Account: "a", Refund: "r", Transaction: id, Amount: 40000}
	}
	truth := []juniperFact{{buy: buy("x", 90000, "FUEL")}, {buy: buy("y", 60000, "OTHER")}}
	for _, d := range juniperDesigns {
		unnamed := []juniperFact{truth[0], {buy: buy("y", 100000, "OTHER")}, {day: 80, refund: back("")}}
		named := append(append([]juniperFact(nil), unnamed...), juniperFact{day: 200, refund: back("y")})
		want := juniperPlay(t, d, truth).total(300)
		if got := juniperPlay(t, d, unnamed).total(300); got >= want {
			t.Errorf("%s: unnamed %d, never bought %d", d.Name, got, want)
		}
		if got := juniperPlay(t, d, named).total(300); got != want {
			t.Errorf("%s: named %d, never bought %d", d.Name, got, want)
		}
	}
}

// TestJuniperHarvestExpiry: a return of what has expired changes no balance.
func TestJuniperHarvestExpiry(t *testing.T) {
	buy := juniperFact{buy: &issuer.Settlement{Account: "a", Transaction: "x", Amount: 5000, Category: "OTHER"}}
	back := juniperFact{day: 650, refund: &issuer.Refund{Account: "a", Refund: "r", Transaction: "x", Amount: 5000}}
	p := juniperPlay(t, juniperHarvestDesign, []juniperFact{buy, back})
	for _, want := range []struct {
		day     int
		balance int64
	}{{10, 50}, {564, 50}, {570, 0}, {650, -200}, {660, 0}} {
		if b := p.upTo(want.day); b.Balance != want.balance {
			t.Errorf("day %d: %d, want %d", want.day, b.Balance, want.balance)
		}
	}
}

// TestJuniperHarvestUnnamed: a return without a purchase is not taken from what has expired.
func TestJuniperHarvestUnnamed(t *testing.T) {
	buy := juniperFact{buy: &issuer.Settlement{Account: "a", Transaction: "x", Amount: 5000, Category: "OTHER"}}
	back := juniperFact{day: 30, refund: &issuer.Refund{Account: "a", Refund: "r", Amount: 1000}}
	p := juniperPlay(t, juniperHarvestDesign, []juniperFact{buy, back})
	for _, want := range []struct {
		day     int
		balance int64
	}{{10, 50}, {40, 10}, {564, 10}, {570, 0}} {
		if b := p.upTo(want.day); b.Balance != want.balance {
			t.Errorf("day %d: %d, want %d", want.day, b.Balance, want.balance)
		}
	}
}
