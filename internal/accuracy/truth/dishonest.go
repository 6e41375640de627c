package truth

import (
	"math/big"
	"math/rand/v2"

	"recoup/reward"
)

// schemer is a dishonest customer, who knows the terms, how refunds are matched, and
// what the networks deliver of each return. It looks for the history that leaves most
// above the promise by trying histories out on the design itself.
type schemer struct {
	design     Design
	terms      *reward.Program
	distortion *Distortion
	seed       uint64 // of the network
	rng        *rand.Rand
}

// scheme is a history with what it leaves.
type scheme struct {
	history *History
	gain    *big.Rat // net reward − promise, minor units
}

// search returns the best history that is found in so many tries, a quarter of them
// on fresh ones and the others on changes of the best.
func (s *schemer) search(tries int) (*History, error) {
	var best scheme
	for i := range max(tries, 1) {
		h := s.fresh(i)
		if i > tries/4 {
			h = best.history.clone()
			for range 1 + s.rng.IntN(3) {
				pick(s.rng, moves)(s.rng, h)
			}
		}
		gain, err := s.gain(h)
		if err != nil {
			return nil, err
		}
		if best.gain == nil || gain.Cmp(best.gain) >= 0 {
			best = scheme{h, gain}
		}
	}
	return best.history, nil
}

// gain plays a history.
func (s *schemer) gain(h *History) (*big.Rat, error) {
	got, err := Play(s.design, s.terms, h, s.distortion.Deliver(h, s.seed), false)
	if err != nil {
		return nil, err
	}
	return new(big.Rat).Sub(whole(got.Net), PromiseOn(s.terms, h).Exact), nil
}

// fresh is a history to begin with. Each of the three has something that guesses can
// be led astray by.
func (s *schemer) fresh(i int) *History {
	switch i % 3 {
	case 0:
		return Honest(s.rng)
	case 1:
		return decoys(s.rng)
	default:
		return bulk(s.rng)
	}
}

// decoys are pairs of purchases of one amount at one shop, of which one is returned,
// and other spend.
func decoys(rng *rand.Rand) *History {
	h := new(History)
	for range 2 + rng.IntN(6) {
		p := *h.buy(rng)
		q := h.buy(rng)
		q.Amount = p.Amount
		rekind(rng, q, p.Merchant)
		if rng.IntN(4) != 0 {
			h.giveBack(rng, &p, p.Amount, 60)
		} else {
			h.giveBack(rng, q, p.Amount, 60)
		}
	}
	for range rng.IntN(6) {
		h.buy(rng)
	}
	return h
}

// bulk is one shop where many things at one price are bought in a month, enough to
// reach a cap, and those of one kind are returned.
func bulk(rng *rand.Rand) *History {
	h := new(History)
	first := *h.buy(rng)
	first.Amount = max(first.Amount, 10_000)
	h.Purchases[0] = first
	for range 4 + rng.IntN(14) {
		p := h.buy(rng)
		p.At, p.Amount = first.At.Add(after(rng, 20)), first.Amount
		rekind(rng, p, first.Merchant)
	}
	for i := range h.Purchases {
		if p := &h.Purchases[i]; p.Kind == first.Kind && rng.IntN(6) != 0 {
			h.giveBack(rng, p, p.Amount, 60)
		}
	}
	return h
}

// rekind moves a purchase to a shop, to a kind that it sells.
func rekind(rng *rand.Rand, p *Purchase, at string) {
	for _, shop := range shops {
		if shop.Merchant == at {
			p.Merchant, p.Kind = at, pick(rng, shop.Sells)
		}
	}
}
