package truth

import (
	"math/rand/v2"
	"slices"
)

// The most that a dishonest customer does, and how long after a purchase things are
// still taken back.
const (
	mostPurchases = 36
	mostReturns   = 30
	takenBack     = 150 // days
)

// moves are the changes that a dishonest customer tries on a history. A move that is
// not possible changes nothing.
var moves = []func(*rand.Rand, *History){
	returnAnother, returnAnother, returnMore, keepOne, returnElsewhen, returnElse,
	buyDecoy, buyDecoy, buyMore, leaveOut, buyElsewhere, buyElsewhen, buyAtSamePrice,
}

// returnAnother returns another purchase instead.
func returnAnother(rng *rand.Rand, h *History) {
	if len(h.Returns) == 0 {
		return
	}
	r, p := &h.Returns[rng.IntN(len(h.Returns))], pick(rng, h.Purchases)
	left := p.Amount - h.returned(p.Number)
	if p.Number == r.Purchase || left <= 0 {
		return
	}
	r.Purchase, r.Amount, r.At = p.Number, min(left, r.Amount), p.At.Add(after(rng, takenBack))
}

// returnMore returns what is left of a purchase, or a part of it.
func returnMore(rng *rand.Rand, h *History) {
	p := pick(rng, h.Purchases)
	left := p.Amount - h.returned(p.Number)
	if left <= 0 || len(h.Returns) >= mostReturns {
		return
	}
	if rng.IntN(3) == 0 {
		left = 1 + rng.Int64N(left)
	}
	h.giveBack(rng, &p, left, takenBack)
}

// keepOne does not make a return.
func keepOne(rng *rand.Rand, h *History) {
	if len(h.Returns) > 0 {
		i := rng.IntN(len(h.Returns))
		h.Returns = slices.Delete(h.Returns, i, i+1)
	}
}

// returnElsewhen makes a return at another time.
func returnElsewhen(rng *rand.Rand, h *History) {
	if len(h.Returns) > 0 {
		r := &h.Returns[rng.IntN(len(h.Returns))]
		r.At = h.purchase(r.Purchase).At.Add(after(rng, takenBack))
	}
}

// returnElse makes a return at another desk, of which the networks deliver something
// else, or of another amount.
func returnElse(rng *rand.Rand, h *History) {
	if len(h.Returns) == 0 {
		return
	}
	r := &h.Returns[rng.IntN(len(h.Returns))]
	if rng.IntN(2) == 0 {
		r.Number = h.nextReturn() + rng.IntN(100)
		return
	}
	left := h.purchase(r.Purchase).Amount - h.returned(r.Purchase) + r.Amount
	r.Amount = min(left, pick(rng, h.Purchases).Amount)
}

// buyDecoy buys for the amount of a return, something else at the same shop or
// anything anywhere.
func buyDecoy(rng *rand.Rand, h *History) {
	if len(h.Returns) == 0 || len(h.Purchases) >= mostPurchases {
		return
	}
	r := pick(rng, h.Returns)
	at := h.purchase(r.Purchase).Merchant
	p := h.buy(rng)
	p.Amount = r.Amount
	if rng.IntN(3) != 0 {
		rekind(rng, p, at)
	}
}

// buyMore buys something.
func buyMore(rng *rand.Rand, h *History) {
	if len(h.Purchases) < mostPurchases {
		h.buy(rng)
	}
}

// leaveOut does not buy what is kept whole.
func leaveOut(rng *rand.Rand, h *History) {
	if i := rng.IntN(len(h.Purchases)); len(h.Purchases) > 2 && h.returned(h.Purchases[i].Number) == 0 {
		h.Purchases = slices.Delete(h.Purchases, i, i+1)
	}
}

// buyElsewhere buys at another shop, or something else at the same.
func buyElsewhere(rng *rand.Rand, h *History) {
	p := &h.Purchases[rng.IntN(len(h.Purchases))]
	if rng.IntN(2) == 0 {
		rekind(rng, p, p.Merchant)
		return
	}
	somewhere(rng, p)
}

// buyElsewhen buys at another time; what is returned of it moves along.
func buyElsewhen(rng *rand.Rand, h *History) {
	p := &h.Purchases[rng.IntN(len(h.Purchases))]
	at := somewhen(rng)
	for i := range h.Returns {
		if r := &h.Returns[i]; r.Purchase == p.Number {
			r.At = r.At.Add(at.Sub(p.At))
		}
	}
	p.At = at
}

// buyAtSamePrice makes two purchases cost the same.
func buyAtSamePrice(rng *rand.Rand, h *History) {
	p := &h.Purchases[rng.IntN(len(h.Purchases))]
	if h.returned(p.Number) == 0 {
		p.Amount = pick(rng, h.Purchases).Amount
	}
}
