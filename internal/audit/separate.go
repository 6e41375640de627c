package audit

import (
	"cmp"
	"maps"
	"slices"
)

// Separation is what the refunds that took nothing, or too little, have in common: the
// conditions that set them apart from those that took their share, the clearest first.
type Separation struct {
	// Refunds is how many were looked at, Untaken how many of them took too little, which
	// is Amount together. Sampled: there were more refunds than that.
	Refunds int64 `json:"refunds"`
	Untaken int64 `json:"untaken"`
	Amount  int64 `json:"amount"`
	Sampled bool  `json:"sampled,omitzero"`
	// Rules hold one after the other: each is of the refunds that those before it leave.
	Rules []SeparatingRule `json:"rules,omitempty"`
	all   SeparatingRule   // on every refund
}

// SeparatingRule is one condition on refunds. The words follow on "refunds".
type SeparatingRule struct {
	Words   string `json:"words"`
	Refunds int64  `json:"refunds"`
	Untaken int64  `json:"untaken"`
	Amount  int64  `json:"amount"`
	// stake is what the refunds should have taken, and missed what of it is of those that took
	// too little: a cent says less than a hundred.
	stake, missed int64
	about         string // the trait that it is on, if it is one
	older         bool   // that much of it or more
	holds         func(*observation) bool
}

func (r *SeparatingRule) count(o *observation) {
	r.Refunds++
	r.Amount += o.Untaken
	r.stake += o.Stake
	if o.Untaken > 0 {
		r.Untaken++
		r.missed += o.Stake
	}
}

// without is the rule on those of all that it does not hold for.
func (r SeparatingRule) without(all *SeparatingRule) SeparatingRule {
	r.Refunds, r.Untaken, r.Amount = all.Refunds-r.Refunds, all.Untaken-r.Untaken, all.Amount-r.Amount
	r.stake, r.missed = all.stake-r.stake, all.missed-r.missed
	return r
}

// clear reports whether nearly all of what its refunds had at stake is of such that took too little.
func (r *SeparatingRule) clear() bool {
	return r.Untaken >= leastShown && atLeast(r.missed, 9000, r.stake)
}

// mostRules is how long a list of conditions may be, and clearer by which part of it one has
// to be clearer than another that is preferred.
const (
	mostRules = 4
	clearer   = 20
)

// separate finds the conditions. Each is the one that holds for the most untaken refunds
// beyond the taken ones that it holds for too, as long as four in five are untaken.
func separate(seen []observation, all int64, money func(int64) string) *Separation {
	seen = sample.merge(seen, nil) // the same order whatever the shards
	var sum SeparatingRule
	rest := make([]*observation, len(seen))
	for i := range seen {
		rest[i] = &seen[i]
		sum.count(&seen[i])
	}
	s := &Separation{Refunds: sum.Refunds, Untaken: sum.Untaken, Amount: sum.Amount, Sampled: sum.Refunds < all, all: sum}
	for len(s.Rules) < mostRules {
		best := condition(rest, money)
		if best.Untaken < leastShown {
			break
		}
		s.Rules = append(s.Rules, best)
		rest = slices.DeleteFunc(rest, best.holds)
	}
	return s
}

// condition is the clearest one on these refunds.
func condition(list []*observation, money func(int64) string) (best SeparatingRule) {
	gain := int64(0)
	offer := func(r SeparatingRule, words func() string, holds func(*observation) bool) {
		if g := 2*r.missed - r.stake; g > gain+gain/clearer && atLeast(r.missed, 8000, r.stake) && r.Refunds < int64(len(list)) {
			gain, best = g, r
			best.Words, best.holds = words(), holds
		}
	}
	texts := func(name string, of func(*observation) string) {
		by := map[string]*SeparatingRule{}
		for _, o := range list {
			at(by, of(o)).count(o)
		}
		delete(by, "")
		for _, text := range slices.Sorted(maps.Keys(by)) {
			offer(*by[text], func() string { return "of " + name + " " + text }, func(o *observation) bool { return of(o) == text })
		}
	}
	for i := range traits {
		if traits[i].name == "tenure" { // what was bought is preferred to when
			texts("category", func(o *observation) string { return o.Category })
			texts("rule", func(o *observation) string { return o.Rule })
		}
		byTrait(i, list, money, offer)
	}
	return best
}

// byTrait offers each division of the refunds by how much they have of a trait.
func byTrait(i int, list []*observation, money func(int64) string, offer func(SeparatingRule, func() string, func(*observation) bool)) {
	t := &traits[i]
	slices.SortStableFunc(list, func(a, b *observation) int { return cmp.Compare(a.Has[i], b.Has[i]) })
	all, below := SeparatingRule{}, SeparatingRule{about: t.name}
	for _, o := range list {
		all.count(o)
	}
	for k, o := range list {
		if n := o.Has[i]; k > 0 && n != list[k-1].Has[i] {
			above := below.without(&all)
			above.older = true
			offer(above, func() string { return t.words(n, true, money) }, func(o *observation) bool { return o.Has[i] >= n })
			if t.below != "" {
				offer(below, func() string { return t.words(n, false, money) }, func(o *observation) bool { return o.Has[i] < n })
			}
		}
		below.count(o)
	}
}
