package judge

import (
	"math/bits"

	"recoup/reward"
)

// bends are the rules under which the reward of a purchase is no fixed share of what is
// left of it: whole units, a minimum, a most for each. A part that comes back may then take
// nothing, or all. They are by id; nil if there are none.
func bends(p *reward.Program) map[string]*reward.Rule {
	var found map[string]*reward.Rule
	add := func(rules []reward.Rule) {
		for i := range rules {
			if r := &rules[i]; len(r.Steps) == 0 && r.Bends() {
				if found == nil {
					found = make(map[string]*reward.Rule)
				}
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
	hi, lo := bits.Mul64(uint64(p.full), uint64(amount))
	loses, _ := bits.Div64(hi, lo, uint64(p.amount)) // of no more than p.amount
	return int64(loses)
}

// canBeFree reports whether a refund that names no purchase can be of one that earns as
// much without what came back.
func (j *Judge) canBeFree(rf *refund) bool {
	if j.bends == nil || rf.linked {
		return false
	}
	left := j.unnamedLeft()
	k := j.cheapestFor(rf, left)
	return k != none && j.loses(&j.purchases[k], left[k], rf.amount) <= rounding
}
