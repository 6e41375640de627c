package truth

import (
	"math/rand/v2"
	"testing"
)

// Whatever a dishonest customer changes, the history remains one that can be true.
func TestMovesKeepHistoriesPossible(t *testing.T) {
	for seed := range uint64(200) {
		s := &schemer{rng: rand.New(rand.NewPCG(5, seed))}
		h := s.fresh(int(seed))
		for range 60 {
			pick(s.rng, moves)(s.rng, h)
			numbers := make(map[int]bool)
			for _, p := range h.Purchases {
				if p.Amount <= 0 || h.returned(p.Number) > p.Amount || numbers[p.Number] {
					t.Fatalf("purchase %+v, of which %d were returned", p, h.returned(p.Number))
				}
				numbers[p.Number] = true
			}
			clear(numbers)
			for _, r := range h.Returns {
				p := h.purchase(r.Purchase)
				if p == nil || r.Amount <= 0 || numbers[r.Number] || !r.At.After(p.At) || r.At.Sub(p.At) > (takenBack+1)*day {
					t.Fatalf("return %+v of %+v", r, p)
				}
				numbers[r.Number] = true
			}
		}
	}
}
