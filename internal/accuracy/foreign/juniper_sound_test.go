package foreign

import (
	"math/rand"
	"testing"

	"recoup/internal/issuer"
)

// TestJuniperEndsAsIfNeverBought: where returns name their purchase, exactly.
func TestJuniperEndsAsIfNeverBought(t *testing.T) {
	for _, d := range juniperDesigns {
		for seed := int64(0); seed < 30; seed++ {
			facts, truth := juniperHistory(rand.New(rand.NewSource(seed)), 200, false, seed%2 == 0)
			got, want := juniperPlay(t, d, facts).total(500), juniperPlay(t, d, truth).total(500)
			for _, day := range []int{700, 900} { // expiry as well
				if seed%2 == 0 {
					break // who redeems keeps points from expiring
				}
				g, w := juniperPlay(t, d, facts).total(day), juniperPlay(t, d, truth).total(day)
				if g != w {
					t.Errorf("%s, seed %d, day %d: %d, never bought %d", d.Name, seed, day, g, w)
				}
			}
			if got != want {
				t.Errorf("%s, seed %d: %d, never bought %d", d.Name, seed, got, want)
			}
		}
	}
}

// TestJuniperNeverAhead: nobody can take out more than who never bought what has been
// returned by then, whether returns name their purchase or not, and nobody ends up with more.
func TestJuniperNeverAhead(t *testing.T) {
	for _, d := range juniperDesigns {
		for seed := int64(0); seed < 30; seed++ {
			facts, truth := juniperHistory(rand.New(rand.NewSource(seed)), 200, seed%3 > 0, true)
			last := 0
			for _, f := range facts {
				if f.refund != nil || f.charge != nil {
					last = max(last, f.day)
				}
			}
			got, want := juniperPlay(t, d, facts), juniperPlay(t, d, truth)
			got.upTo(last)
			had, _ := issuer.PaidOut(got.e, "a")
			for day := last; day <= 500; day += 1 + day%5 { // before points expire that nobody used
				b, w := got.upTo(day), want.upTo(day)
				if b.Redeemable > 0 && got.got+b.Redeemable > w.Redeemable {
					t.Fatalf("%s, seed %d, day %d: %d and %d, never bought %d", d.Name, seed, day, got.got, b.Redeemable, w.Redeemable)
				}
				out, _ := issuer.PaidOut(got.e, "a")
				fair, _ := issuer.PaidOut(want.e, "a")
				if out > max(had, fair) {
					t.Fatalf("%s, seed %d, day %d: paid %d, never bought %d", d.Name, seed, day, out, fair)
				}
			}
			// At harvest, who has redeemed keeps points from expiring that the twin lets expire.
			if seed%3 > 0 && d.Name != "juniper-harvest" {
				if g, w := got.total(700), want.total(700); g > w {
					t.Errorf("%s, seed %d: ends with %d, never bought %d", d.Name, seed, g, w)
				}
			}
		}
	}
}

// TestJuniperSureAtAnyTime: by what is known on a day, nobody can take out more than who
// never bought what has been returned by that day.
func TestJuniperSureAtAnyTime(t *testing.T) {
	for _, d := range juniperDesigns {
		for seed := int64(0); seed < 10; seed++ {
			facts, _ := juniperHistory(rand.New(rand.NewSource(seed)), 200, false, true)
			for day := 9; day < 300; day += 7 {
				var known []juniperFact
				for _, f := range facts {
					if f.day <= day {
						known = append(known, f)
					}
				}
				got, want := juniperPlay(t, d, known), juniperPlay(t, d, juniperNet(known))
				b, w := got.upTo(day), want.upTo(day)
				if b.Redeemable > 0 && got.got+b.Redeemable > w.Redeemable {
					t.Fatalf("%s, seed %d, day %d: %d and %d, never bought %d", d.Name, seed, day, got.got, b.Redeemable, w.Redeemable)
				}
			}
		}
	}
}

// juniperNet is a history whose purchases are what its returns by name have left of them.
func juniperNet(facts []juniperFact) (out []juniperFact) {
	left, seen := map[string]int64{}, map[string]bool{}
	for _, f := range facts {
		switch {
		case f.refund != nil && !seen[f.refund.Refund]:
			seen[f.refund.Refund] = true
			left[f.refund.Transaction] -= f.refund.Amount
		case f.charge != nil && !seen[f.charge.Chargeback]:
			seen[f.charge.Chargeback] = true
			left[f.charge.Transaction] -= f.charge.Amount
			if f.charge.Amount == 0 {
				left[f.charge.Transaction] -= 1 << 40
			}
		}
	}
	for _, f := range facts {
		if f.buy != nil && f.buy.Amount+left[f.buy.Transaction] > 0 {
			s := *f.buy
			s.Amount += left[s.Transaction]
			out = append(out, juniperFact{day: f.day, buy: &s})
		}
	}
	return out
}
