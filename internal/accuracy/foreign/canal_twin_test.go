package foreign

import (
	"fmt"
	"math/rand"
	"testing"

	"recoup/internal/issuer"
)

// TestCanalTwins plays random histories, and the same ones with what came back never bought.
func TestCanalTwins(t *testing.T) {
	for _, d := range []Design{canalFjordDesign, canalAlpDesign, canalTaimatsuDesign} {
		for seed := range int64(150) {
			canalTwins(t, d, rand.New(rand.NewSource(seed)))
		}
	}
}

func canalTwins(t *testing.T, d Design, r *rand.Rand) {
	t.Helper()
	start := canalNoon("2025-01-01")
	type fact struct {
		day int
		do  func(issuer.Issuer) error
	}
	var facts, twin []fact
	left := map[string]int64{}
	for i := range 40 {
		id, at, amount := fmt.Sprint("t", i), r.Intn(600), 1000+r.Int63n(400_000)
		s := issuer.Settlement{Account: "a", Transaction: id, Amount: amount, Merchant: fmt.Sprint("m", r.Intn(4)), At: start.AddDate(0, 0, at)}
		s.Category = []string{"GROCERY", "HOME", ""}[r.Intn(3)]
		late := at + r.Intn(3)*r.Intn(20)
		settle := fact{late, func(e issuer.Issuer) error { return e.Settle(s) }}
		facts = append(facts, settle)
		if r.Intn(5) == 0 {
			facts = append(facts, settle)
		}
		left[id] = amount
		for j := range r.Intn(4) {
			n := 1 + r.Int63n(amount)
			k := issuer.Refund{Account: "a", Refund: fmt.Sprint(id, "r", j), Transaction: id, Amount: n}
			back := fact{at + r.Intn(4)*r.Intn(100), func(e issuer.Issuer) error { return e.Refund(k) }}
			if r.Intn(4) == 0 {
				c := issuer.Chargeback{Account: "a", Chargeback: fmt.Sprint(id, "c", j), Transaction: id}
				back.do, n = func(e issuer.Issuer) error { return e.Chargeback(c) }, amount
			}
			facts = append(facts, back)
			if r.Intn(4) == 0 {
				facts = append(facts, fact{back.day + r.Intn(60), back.do})
			}
			left[id] = max(0, left[id]-n)
		}
		if s.Amount = left[id]; s.Amount > 0 {
			kept := s
			twin = append(twin, fact{late, func(e issuer.Issuer) error { return e.Settle(kept) }})
		}
		s.Amount = amount
	}
	play := func(facts []fact, redeem bool) int64 {
		e := d.New()
		for day := range 1000 {
			if err := e.SetClock(start.AddDate(0, 0, day)); err != nil {
				t.Fatal(err)
			}
			if day == 0 {
				_ = e.Open("a")
			}
			for _, f := range facts {
				if f.day == day {
					if err := f.do(e); err != nil {
						t.Fatal(err)
					}
				}
			}
			if b, _ := e.Balance("a"); redeem && day%20 == 0 && b.Redeemable > 0 {
				_, _ = e.Redeem(issuer.Redemption{Account: "a", Redemption: fmt.Sprint(day), Amount: b.Redeemable})
			}
		}
		return canalNet(e)
	}
	if got, want := play(facts, true), play(twin, false); got != want {
		t.Fatalf("%s: %d with returns, %d without", d.Name, got, want)
	}
}
