package reward

import "math/big"

// capped has the rewards of a basket end at a sum: f_i = max(0, min(⌊ψ_i⌋, C − Σ f_j)),
// over the j before i.
type capped struct {
	notABonus
	cap int64
}

func rewardCap(r *Rule) element {
	if r.Cap == NoCap {
		return nil
	}
	return capped{cap: r.Cap}
}

func (c capped) share(before tally, own entry, _ tally) int64 {
	return min(own.floor, c.cap-min(c.cap, before.floors))
}

func (c capped) asLast(own entry, _ tally, used int64) int64 {
	return max(0, min(own.floor, c.cap-used))
}

func (c capped) promised(all *exactly) *big.Rat {
	if most := whole(c.cap); most.Cmp(all.psi) < 0 {
		return most
	}
	return new(big.Rat).Set(all.psi)
}

func (c capped) binds(all *exactly) bool { return all.psi.Cmp(whole(c.cap)) > 0 }

func (c capped) edges() []edge2 {
	return []edge2{{func(s tally) int64 { return s.floors }, c.cap}}
}
