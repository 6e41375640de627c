package truth

import (
	"math/rand/v2"
	"time"
)

// prices are what things cost, in minor units. That many cost the same is what a
// refund without a link can be mistaken over.
var prices = []int64{2_500, 4_999, 10_000, 10_000, 20_000, 20_000, 25_000, 50_000, 50_000, 100_000}

func price(rng *rand.Rand) int64 {
	amount := prices[rng.IntN(len(prices))]
	if rng.IntN(3) == 0 {
		amount += rng.Int64N(amount)
	}
	return amount
}

func pick[T any](rng *rand.Rand, list []T) T { return list[rng.IntN(len(list))] }

// somewhen is a minute at which purchases are made.
func somewhen(rng *rand.Rand) time.Time {
	return start.Add(time.Duration(rng.IntN(days*24*60)) * time.Minute)
}

// somewhere puts a purchase at a shop, of a kind that it sells.
func somewhere(rng *rand.Rand, p *Purchase) {
	shop := pick(rng, shops)
	p.Merchant, p.Kind = shop.Merchant, pick(rng, shop.Sells)
}

// buy adds a purchase of something somewhere.
func (h *History) buy(rng *rand.Rand) *Purchase {
	p := Purchase{Number: h.nextPurchase(), At: somewhen(rng), Amount: price(rng)}
	somewhere(rng, &p)
	h.Purchases = append(h.Purchases, p)
	return &h.Purchases[len(h.Purchases)-1]
}

// giveBack adds a return of a purchase within some days of it.
func (h *History) giveBack(rng *rand.Rand, p *Purchase, amount int64, within int) {
	h.Returns = append(h.Returns, Return{
		Number: h.nextReturn(), Purchase: p.Number, Amount: amount, At: p.At.Add(after(rng, within)),
	})
}

// after is how long after its purchase something is returned: from an hour on.
func after(rng *rand.Rand, within int) time.Duration {
	return time.Hour + time.Duration(rng.IntN(within*24*60))*time.Minute
}

// Honest is the history of a customer who buys this and that and returns a fifth of
// it, some in part, within two months, whatever that does to rewards.
func Honest(rng *rand.Rand) *History {
	h := new(History)
	for range 8 + rng.IntN(20) {
		h.buy(rng)
	}
	for i := range h.Purchases {
		if rng.IntN(5) != 0 {
			continue
		}
		p := &h.Purchases[i]
		amount := p.Amount
		if rng.IntN(3) == 0 {
			amount = 1 + rng.Int64N(p.Amount)
		}
		h.giveBack(rng, p, amount, 60)
	}
	return h
}
