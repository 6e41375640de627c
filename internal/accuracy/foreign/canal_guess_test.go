package foreign

import (
	"fmt"
	"math/rand"
	"reflect"
	"testing"
	"time"

	"recoup/internal/issuer"
)

// TestCanalGuess: a nameless refund takes what the dearest purchase earned, moves when that
// purchase turns out to have come back otherwise, and so does one whose purchase never clears.
func TestCanalGuess(t *testing.T) {
	for _, d := range canalDesigns {
		p := canalStart(t, d, "2026-01-01")
		nameless := func(id, transaction string, amount int64) {
			p.ok(p.e.Refund(issuer.Refund{Account: "a", Refund: id, Transaction: transaction, Amount: amount, Merchant: "shop of GROCERY", Category: "GROCERY"}))
		}
		p.on("2026-01-03")
		p.buy("x", "GROCERY", 100_000)
		p.buy("y", "GROCERY", 50_000)
		nameless("n", "", 50_000)
		nameless("n", "", 50_000)
		p.back("y", 50_000)
		nameless("u", "nobody's", 50_000)
		p.on("2026-03-20")
		if net := canalNet(p.e); net != 0 {
			t.Errorf("%s: %d for nothing", d.Name, net)
		}
		if _, err := p.e.Balance("b"); err == nil {
			t.Errorf("%s: unknown account", d.Name)
		}
		p.redeem(0, false)
		p.redeem(-5, false)
		p.redeem(5, false)
	}
}

// TestCanalYear: nameless refunds that together cost a rank do so, though this year's
// purchases earn more each.
func TestCanalYear(t *testing.T) {
	p := canalStart(t, canalTaimatsuDesign, "2025-03-01")
	p.buy("old", "HOME", 200_000)
	p.on("2026-03-01")
	p.buy("new", "HOME", 900_000)
	p.has(40_000, 40_000)
	for i := range 4 {
		p.ok(p.e.Refund(issuer.Refund{Account: "a", Refund: fmt.Sprint("n", i), Amount: 50_000, Merchant: "shop of HOME"}))
	}
	p.has(18_000, 18_000)
}

// TestCanalJump: a clock that jumps leaves the same rows as one that ticks, also where
// a long history is played, and soon enough.
func TestCanalJump(t *testing.T) {
	for _, d := range canalDesigns {
		began := time.Now()
		if a, b := canalLong(t, d, 1), canalLong(t, d, 24); !reflect.DeepEqual(a, b) {
			t.Errorf("%s: rows differ", d.Name)
		}
		if n := time.Since(began); n > 5*time.Second {
			t.Errorf("%s: %v", d.Name, n)
		}
	}
}

func canalLong(t *testing.T, d Design, ticks int) []Posting {
	r := rand.New(rand.NewSource(7))
	e, now := d.New(), canalNoon("2025-01-01")
	p := &canalPlay{t: t, e: e}
	p.ok(e.SetClock(now))
	p.ok(e.Open("a"))
	for i := range 300 {
		for k := range ticks {
			p.ok(e.SetClock(now.Add(time.Duration(k+1) * 57 * time.Hour / time.Duration(ticks))))
		}
		now = now.Add(57 * time.Hour)
		shop := r.Intn(5)
		category := []string{"GROCERY", "DINING", "TRAVEL", "ELECTRONICS", ""}[shop]
		p.ok(e.Settle(issuer.Settlement{Account: "a", Transaction: fmt.Sprint("t", i), Amount: 100 + r.Int63n(90_000), Merchant: fmt.Sprint(shop), Category: category}))
		if i%3 != 0 {
			f := issuer.Refund{Account: "a", Refund: fmt.Sprint("r", i), Amount: 1 + r.Int63n(50_000), Merchant: fmt.Sprint(shop), Category: category}
			if r.Intn(2) == 0 {
				f.Transaction = fmt.Sprint("t", r.Intn(i+5))
			}
			p.ok(e.Refund(f))
		}
	}
	p.ok(e.SetClock(now.AddDate(1, 0, 0)))
	return e.Postings("a")
}
