package foreign

import (
	"fmt"
	"math/rand"
	"sort"
	"time"

	"recoup/internal/issuer"
)

// velvetFact is a move at a time; times are when it is delivered.
type velvetFact struct {
	at   time.Time
	move func(issuer.Issuer) error
}

// velvetHistory is what a customer did, and what would have been left to do had they not
// bought what they returned.
type velvetHistory struct{ facts, net []velvetFact }

var velvetStart = time.Date(2025, 2, 3, 7, 30, 0, 0, time.UTC)

// velvetRandom makes a history in which things come back within some time. Without names,
// refunds say at most the shop.
func velvetRandom(rnd *rand.Rand, purchases, returns int, within time.Duration, named bool) velvetHistory {
	var h velvetHistory
	left := make([]int64, purchases)
	buys := make([]issuer.Settlement, purchases)
	came := make([]time.Time, purchases)
	categories := []string{"GROCERY", "DINING", "FUEL", "ONLINE", "OTHER", "TRAVEL"}
	for i := range buys {
		at := velvetStart.Add(time.Duration(rnd.Int63n(int64(700 * 24 * time.Hour))))
		came[i] = at
		if rnd.Intn(5) == 0 {
			came[i] = at.Add(time.Duration(rnd.Int63n(int64(50 * 24 * time.Hour))))
		}
		category := categories[rnd.Intn(len(categories))]
		left[i] = 1 + rnd.Int63n(120_000)
		buys[i] = issuer.Settlement{Account: "a", Transaction: fmt.Sprint("p", i), Amount: left[i], At: at,
			Category: category, Merchant: fmt.Sprint(category, rnd.Intn(3))}
		h.facts = append(h.facts, velvetFact{came[i], func(e issuer.Issuer) error { return e.Settle(buys[i]) }})
	}
	for i := range returns {
		n := rnd.Intn(purchases)
		p := buys[n]
		at := p.At.Add(time.Duration(rnd.Int63n(int64(within))))
		amount := 1 + rnd.Int63n(p.Amount)
		if rnd.Intn(3) == 0 {
			amount = p.Amount
		}
		switch {
		case named && rnd.Intn(4) == 0:
			c := issuer.Chargeback{Account: "a", Chargeback: fmt.Sprint("x", i), Transaction: p.Transaction, At: at, Amount: amount}
			if rnd.Intn(2) == 0 {
				c.Amount, amount = 0, p.Amount
			}
			h.facts = append(h.facts, velvetFact{at, func(e issuer.Issuer) error { return e.Chargeback(c) }})
		default:
			f := issuer.Refund{Account: "a", Refund: fmt.Sprint("x", i), Transaction: p.Transaction, Merchant: p.Merchant, At: at, Amount: amount}
			if !named {
				if f.Amount = min(amount, left[n]); f.Amount == 0 {
					continue // nobody refunds more than was paid, here
				}
				if f.Transaction = ""; rnd.Intn(2) == 0 {
					f.Merchant = ""
				}
			}
			h.facts = append(h.facts, velvetFact{at, func(e issuer.Issuer) error { return e.Refund(f) }})
		}
		left[n] = max(0, left[n]-amount)
	}
	for i, s := range buys {
		s.Amount = left[i]
		if s.Amount > 0 {
			h.net = append(h.net, velvetFact{came[i], func(e issuer.Issuer) error { return e.Settle(s) }})
		}
	}
	for _, facts := range [][]velvetFact{h.facts, h.net} {
		sort.SliceStable(facts, func(i, j int) bool { return facts[i].at.Before(facts[j].at) })
	}
	return h
}
