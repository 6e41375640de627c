package judge

import (
	"math/bits"

	"recoup/reward"
)

// bends are the rules, by id, under which the reward of a purchase is no fixed share of what
// is left of it: whole units, a minimum, a most for each. A part that comes back may then
// take nothing, or all.
func bends(p *reward.Program) map[string]*reward.Rule {
	found := make(map[string]*reward.Rule)
	add := func(rules []reward.Rule) {
		for i := range rules {
			if r := &rules[i]; len(r.Steps) == 0 && r.Bends() {
				found[r.ID] = r
			}
		}
	}
	add(p.Rules)
	for i := range p.Layers {
		add(p.Layers[i].Rules)
	}
	return found
}

// loses is what a purchase of which so much is left earns less if an amount of it comes
// back.
func (j *Judge) loses(p *purchase, left, amount int64) int64 {
	amount = min(amount, left)
	if r := j.bends[p.rule]; r != nil {
		return r.Alone(left) - r.Alone(left-amount)
	}
	return share(p.full, amount, p.Amount)
}

// canBeFree reports whether a refund that names no purchase can be of one that earns as
// much without what came back.
func (j *Judge) canBeFree(rf *refund) bool {
	if len(j.bends) == 0 || rf.Linked {
		return false
	}
	p := j.cheapestFor(rf)
	return p != nil && j.loses(p, p.unnamed(), rf.Amount) <= rounding
}

// share returns ⌊total · part / whole⌋ for 0 ≤ part, 0 < whole and 0 ≤ total, at most
// reward.MaxVolume.
func share(total, part, whole int64) int64 {
	hi, lo := bits.Mul64(uint64(total), uint64(part))
	if hi >= uint64(whole)>>1 {
		return reward.MaxVolume
	}
	q, _ := bits.Div64(hi, lo, uint64(whole))
	return int64(q)
}

// near reports whether two amounts differ by no more than that.
func near(a, b, by int64) bool { return a-b <= by && b-a <= by }
