package foreign

import (
	"fmt"
	"math/rand"
	"time"

	"recoup/internal/issuer"
)

// juniperFact is something that happens to an account on a day of a history.
type juniperFact struct {
	day    int
	buy    *issuer.Settlement
	refund *issuer.Refund
	charge *issuer.Chargeback
	redeem int64 // percent of what can be redeemed
}

var juniperStart = time.Date(2024, 2, 14, 13, 0, 0, 0, time.UTC)

func juniperDay(n int) time.Time { return juniperStart.Add(time.Duration(n) * 24 * time.Hour) }

// juniperHistory is a random history; its truth has each purchase without what was returned.
func juniperHistory(rng *rand.Rand, days int, nameless, redeem bool) (facts, truth []juniperFact) {
	categories := []string{"GROCERY", "DINING", "FUEL", "ONLINE", "OTHER", "TRAVEL"}
	byDay, truthByDay := map[int][]juniperFact{}, map[int][]juniperFact{}
	n := 20 + rng.Intn(60)
	for i := 0; i < n; i++ {
		day := rng.Intn(days)
		s := issuer.Settlement{Account: "a", Transaction: fmt.Sprint("t", i), Amount: 1 + rng.Int63n(30000), Category: categories[rng.Intn(6)]}
		if rng.Intn(5) == 0 { // delivered late
			s.At = juniperDay(day - rng.Intn(40))
		}
		byDay[day] = append(byDay[day], juniperFact{buy: &s})
		left := s.Amount
		for k := 0; rng.Intn(2) == 0 && k < 4; k++ {
			back := max(0, day-3) + rng.Intn(90) // perhaps before it clears
			amount := 1 + rng.Int63n(s.Amount)
			switch rng.Intn(6) {
			case 0:
				amount = s.Amount
			case 1:
				if !nameless {
					amount = s.Amount + 500
				}
			}
			r := issuer.Refund{Account: "a", Refund: fmt.Sprint("r", i, "-", k), Transaction: s.Transaction, Amount: amount}
			f := juniperFact{refund: &r}
			if nameless && rng.Intn(2) == 0 {
				if r.Amount = min(amount, left); r.Amount == 0 {
					continue
				}
				r.Transaction = ""
			} else if rng.Intn(5) == 0 {
				f = juniperFact{charge: &issuer.Chargeback{Account: "a", Chargeback: r.Refund, Transaction: s.Transaction, Amount: amount}}
				if rng.Intn(2) == 0 {
					f.charge.Amount, amount = 0, left
				}
			}
			left = max(0, left-amount)
			byDay[back] = append(byDay[back], f)
			if rng.Intn(4) == 0 {
				again := back + rng.Intn(9) // twice
				byDay[again] = append(byDay[again], f)
			}
		}
		if left > 0 {
			t := s
			t.Amount = left
			truthByDay[day] = append(truthByDay[day], juniperFact{buy: &t})
		}
	}
	for d := 0; d < days+120; d++ {
		for _, f := range byDay[d] {
			f.day = d
			facts = append(facts, f)
		}
		for _, f := range truthByDay[d] {
			f.day = d
			truth = append(truth, f)
		}
		if redeem && rng.Intn(12) == 0 {
			facts = append(facts, juniperFact{day: d, redeem: 1 + rng.Int63n(100)})
		}
	}
	return facts, truth
}
