package reward

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

func (c capped) promised(all *exactly) uint128 {
	return all.psi.min(whole(c.cap, all.scale))
}

func (c capped) binds(all *exactly) bool { return all.psi.cmp(whole(c.cap, all.scale)) > 0 }

func (c capped) edges() []boundary {
	return []boundary{{func(s tally) int64 { return s.floors }, c.cap}}
}
