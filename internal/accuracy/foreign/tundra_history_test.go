package foreign

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"recoup/internal/issuer"
)

var (
	tundraCategories = []string{"GROCERY", "DINING", "FUEL", "ONLINE", "OTHER", "TRAVEL"}
	tundraSound      = []Design{tundraDagblad, tundraMikan, tundraAlbion}
)

// tundraFact is something to deliver: to the account as it is, and how.
type tundraFact struct {
	deliver, at time.Time
	buy         *issuer.Settlement
	back        *issuer.Refund
	charge      *issuer.Chargeback
	redeem      bool
	twice       bool
}

// tundraHistory is two years of somebody who returns much; net is what is left of each
// purchase. Of 10 refunds, named name their purchase.
func tundraHistory(r *rand.Rand, named int) (facts []tundraFact, net map[string]int64) {
	net = map[string]int64{}
	start := tundraDay(2025, 1, 5)
	hours := func(n int) time.Duration { return time.Duration(r.IntN(n*24)) * time.Hour }
	for i := range 150 {
		id := fmt.Sprint("t", i)
		cat := tundraCategories[r.IntN(len(tundraCategories))]
		amount := int64(100 + r.IntN(60_000))
		if r.IntN(10) == 0 {
			amount *= 10
		}
		at := start.Add(hours(700))
		deliver := at
		if r.IntN(5) == 0 {
			deliver = at.Add(hours(40))
		}
		merchant := fmt.Sprint(cat, r.IntN(3))
		facts = append(facts, tundraFact{deliver: deliver, at: at, twice: r.IntN(4) == 0,
			buy: &issuer.Settlement{Account: tundraMe, Transaction: id, Amount: amount, Merchant: merchant, Category: cat, At: at}})
		left := amount
		for j := range r.IntN(4) {
			x := 1 + r.Int64N(amount)
			when := at.Add(hours(120))
			refund := issuer.Refund{Account: tundraMe, Refund: fmt.Sprint(id, "r", j), Transaction: id, Amount: x, At: when}
			if r.IntN(10) >= named {
				x = min(x, left)
				refund.Amount = x
				refund.Transaction = ""
				if r.IntN(2) == 0 {
					refund.Merchant = merchant
				}
			} else if r.IntN(6) == 0 {
				facts = append(facts, tundraFact{deliver: when, charge: &issuer.Chargeback{Account: tundraMe, Chargeback: refund.Refund, Transaction: id, At: when}})
				left = 0
				continue
			}
			if x > 0 {
				facts = append(facts, tundraFact{deliver: when.Add(hours(5)), back: &refund, twice: r.IntN(3) == 0})
			}
			left = max(0, left-x)
		}
		net[id] = left
		facts = append(facts, tundraFact{deliver: start.Add(hours(720)), redeem: true})
	}
	slices.SortStableFunc(facts, func(a, b tundraFact) int { return a.deliver.Compare(b.deliver) })
	return facts, net
}

// run plays facts; with net given, only purchases, as though never more had been bought.
func (p *tundraPlay) run(facts []tundraFact, net map[string]int64) int64 {
	for i, f := range facts {
		p.to(f.deliver)
		for range 1 + map[bool]int{true: 1}[f.twice] {
			switch {
			case f.buy != nil:
				s := *f.buy
				if net != nil {
					s.Amount = net[s.Transaction]
				}
				if s.Amount > 0 {
					p.must(p.e.Settle(s))
				}
			case net != nil:
			case f.back != nil:
				p.must(p.e.Refund(*f.back))
			case f.charge != nil:
				p.must(p.e.Chargeback(*f.charge))
			case f.redeem:
				p.redeem(p.balance().Redeemable)
			}
		}
		if i%16 == 0 {
			p.check()
		}
	}
	p.to(tundraDay(2027, 12, 31))
	p.check()
	return p.net()
}
