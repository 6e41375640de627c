package foreign

import (
	"fmt"
	"math/rand"
	"testing"
	"time"

	"recoup/internal/issuer"
)

// earned is all that the ledger says was earned, paid out or not.
func (p walrusPlay) earned() (sum int64) {
	for _, x := range p.e.Postings("a") {
		if x.Kind != Paid {
			sum += x.Amount
		}
	}
	return sum
}

// TestWalrusSound plays returns of every sort against the same purchases with the returned
// part never bought. Three that leak must not, where their flaw is not reached: returns come
// before the statement here, nothing is redeemed of what is cut at zero, debts are carried on.
func TestWalrusSound(t *testing.T) {
	for _, d := range []Design{walrusFjord, walrusKarat, walrusTamarin, walrusSaguaro, walrusMonsoon} {
		for seed := range int64(30) {
			r := rand.New(rand.NewSource(seed))
			p, q := walrusNewPlay(t, d), walrusNewPlay(t, d)
			start := time.Date(2026, 1, 2, 9, 0, 0, 0, time.UTC)
			for i := range 120 {
				now := start.Add(time.Duration(i) * 97 * time.Hour)
				p.ok(p.e.SetClock(now))
				q.ok(q.e.SetClock(now))
				id, amount := fmt.Sprint("t", i), 1+r.Int63n(60000)*5
				kept := amount
				s := issuer.Settlement{Account: "a", Transaction: id, Amount: amount, Merchant: "m", At: now.AddDate(0, 0, -r.Intn(40))}
				if r.Intn(2) == 0 {
					s.Category = []string{"GROCERY", "DINING"}[r.Intn(2)]
				}
				give := func(x int64) { p.back(fmt.Sprint(id, kept, x), id, x); kept = max(0, kept-x) }
				if r.Intn(4) == 0 { // before it clears
					give(1 + r.Int63n(amount))
				}
				p.ok(p.e.Settle(s))
				for r.Intn(2) == 0 { // in parts, at last above the price
					give(1 + r.Int63n(amount))
				}
				if r.Intn(6) == 0 {
					c := issuer.Chargeback{Account: "a", Chargeback: id, Transaction: id}
					p.ok(p.e.Chargeback(c))
					p.ok(p.e.Chargeback(c))
					kept = 0
				}
				p.ok(p.e.Settle(s)) // again
				if s.Amount = kept; kept > 0 {
					q.ok(q.e.Settle(s))
				}
				if b, _ := p.e.Balance("a"); b.Redeemable > 0 && r.Intn(3) == 0 && d.Name != walrusSaguaro.Name {
					p.redeem(b.Redeemable+1, false)
					p.redeem(b.Redeemable, true)
				}
			}
			p.clock("2028-01-05")
			q.clock("2028-01-05")
			if p.earned() != q.earned() {
				t.Fatalf("%s, seed %d: %d, want %d", d.Name, seed, p.earned(), q.earned())
			}
		}
	}
}

// TestWalrusNameless: refunds that name nothing, or a purchase that nobody knows, take most.
func TestWalrusNameless(t *testing.T) {
	p := walrusNewPlay(t, walrusFjord)
	p.buy("food", 1000000, "GROCERY")
	p.buy("rest", 1000000, "")
	p.clock("2026-01-13")
	p.shows(4000, 4000)
	p.back("r1", "", 500000)
	p.shows(4000, 2500)
	p.back("r2", "garbled", 500000)
	p.shows(4000, 2500)
	p.clock("2026-02-14")
	p.shows(2500, 1000)
	p.back("r3", "food", 1000000) // r1 and r2 were of the rest, then
	p.clock("2026-03-13")
	p.shows(0, 0)
}

func TestWalrusKaratPaysAndSetsOff(t *testing.T) {
	p := walrusNewPlay(t, walrusKarat)
	p.buy("tv", 300000, "")
	p.clock("2026-01-09")
	p.shows(3000, 3000)
	p.clock("2026-01-10")
	if paid, _ := issuer.PaidOut(p.e, "a"); paid != 3000 {
		t.Fatal(paid)
	}
	p.back("r", "tv", 100000)
	p.clock("2026-01-11")
	p.shows(-2000, 0) // 0.5% of 200,000 in place of 1% of 300,000
}
