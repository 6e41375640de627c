package reward_test

import (
	"cmp"
	"math/big"
	"slices"

	"recoup/reward"
)

// alone says whether the purchase's reward is its own, whatever becomes of the
// others: it was granted under terms that take back a share of it.
func (t *naiveTransaction) alone() bool {
	return t.granted && t.method() == reward.Proportional
}

// ownWorth is what a reversal takes for each unit of a purchase where nothing but
// its rates decides, summed over layers.
func (a *naiveAllocation) ownWorth(t *naiveTransaction) *big.Rat {
	sum := new(big.Rat)
	if !t.counts {
		return sum
	}
	for _, s := range t.shares {
		switch rule := a.book.applies(s, naiveView{a.left, everyPurchase}); {
		case t.alone() && s.cutByCap():
			sum.Add(sum, big.NewRat(s.original, t.base))
		case rule != nil:
			sum.Add(sum, naiveRate(rule))
		}
	}
	return sum
}

func everyPurchase(*naiveTransaction) bool { return true }

func notAlone(t *naiveTransaction) bool { return !t.alone() }

// worthOf is E of some pots.
func (a *naiveAllocation) worthOf(pots []naivePot, counts func(*naiveTransaction) bool) *big.Rat {
	sum := new(big.Rat)
	for _, p := range pots {
		sum.Add(sum, naivePromised(a.book.entries(p, a.left, counts)))
	}
	return sum
}

// together is what all purchases are worth, each counted with the others.
func (a *naiveAllocation) together() *big.Rat {
	sum := a.worthOf(a.book.pots(), notAlone)
	for _, t := range a.book.posted {
		if t.alone() {
			sum.Add(sum, naiveTimes(a.ownWorth(t), a.left(t)))
		}
	}
	return sum
}

// naiveTarget is a group of purchases that a claim is placed on as one.
type naiveTarget struct {
	linear  bool
	worth   *big.Rat    // of a linear one
	pot     naivePot    // of another
	single  *naiveShare // of one purchase whose rule bends
	file    int
	members []*naiveTransaction
}

// bends says whether a rule's reward of one purchase is no fixed share of it.
func naiveBends(r *reward.Rule) bool { return r.Minimum > 0 || r.Unit > 1 || r.AtMost > 0 }

// targets groups what is left. The pot apart, if there is one, is a target of its own
// even where its limit does not bind any more.
func (a *naiveAllocation) targets(apart *naivePot) []*naiveTarget {
	var list []*naiveTarget
	add := func(t *naiveTransaction, fresh naiveTarget) {
		i := slices.IndexFunc(list, func(g *naiveTarget) bool {
			if g.linear != fresh.linear || g.single != fresh.single {
				return false
			}
			return g.linear && g.worth.Cmp(fresh.worth) == 0 || !g.linear && g.single == nil && g.pot == fresh.pot
		})
		if i < 0 {
			i = len(list)
			list = append(list, &fresh)
		}
		if !slices.Contains(list[i].members, t) {
			list[i].members = append(list[i].members, t)
		}
	}
	binds, files := map[naivePot]bool{}, map[naivePot]int{}
	for _, p := range a.book.pots() {
		entries := a.book.entries(p, a.left, everyPurchase)
		binds[p] = p.alone == nil && (naiveBinds(entries) || apart != nil && *apart == p)
		files[p] = entries[0].share.file
		for _, x := range entries {
			files[p] = min(files[p], x.share.file)
		}
		if p.shared {
			files[p] = naiveFirstShared(entries[0].share.of.terms, p.name)
		}
	}
	for _, t := range a.book.posted {
		if a.left(t) == 0 {
			continue
		}
		linear := true
		if t.counts && !t.alone() {
			for _, s := range t.all() {
				p := s.pot()
				switch {
				case !a.book.takesPart(s, naiveView{a.left, everyPurchase}):
				case binds[p]:
					add(t, naiveTarget{pot: p, file: files[p]})
					linear = linear && p.tier
				case s.rule != nil && naiveBends(s.rule):
					add(t, naiveTarget{single: s, file: s.file})
					linear = false
				}
			}
		}
		if linear {
			add(t, naiveTarget{linear: true, worth: a.ownWorth(t)})
		}
	}
	return list
}

// naiveFirstShared is the place in the file of the first rule that shares a cap.
func naiveFirstShared(p *reward.Program, name string) int {
	n := 0
	for _, l := range naiveLayers(p) {
		for i := range l.Rules {
			if l.Rules[i].Shared == name {
				return n
			}
			n++
		}
	}
	panic("nobody shares " + name)
}

// before orders targets of equal worth.
func (g *naiveTarget) before(h *naiveTarget) int {
	begins := func(g *naiveTarget) reward.Instant {
		if g.single != nil {
			return g.single.of.settlement.Time
		}
		return g.pot.span.begins
	}
	id := func(g *naiveTarget) string {
		if g.single != nil {
			return g.single.of.id
		}
		return ""
	}
	yes := func(x, y bool) int {
		switch {
		case x && !y:
			return -1
		case y && !x:
			return 1
		}
		return 0
	}
	return cmp.Or(
		yes(g.linear, h.linear),
		cmp.Compare(begins(h), begins(g)),
		yes(!g.pot.tier, !h.pot.tier),
		yes(!g.pot.bonus, !h.pot.bonus),
		cmp.Compare(g.file, h.file),
		cmp.Compare(id(h), id(g)),
	)
}

// bindingPots are those of the tries, in their order.
func (a *naiveAllocation) bindingPots() []naivePot {
	list := a.targets(nil)
	list = slices.DeleteFunc(list, func(g *naiveTarget) bool { return g.linear || g.single != nil })
	slices.SortFunc(list, (*naiveTarget).before)
	var pots []naivePot
	for _, g := range list {
		pots = append(pots, g.pot)
	}
	return pots
}

func naiveTimes(rate *big.Rat, amount int64) *big.Rat {
	return new(big.Rat).Mul(rate, big.NewRat(amount, 1))
}

// naiveCapped is what a rule's cap leaves of a reward.
func naiveCapped(rule *reward.Rule, x *big.Rat) *big.Rat {
	if rule.Cap == reward.NoCap {
		return x
	}
	if most := big.NewRat(rule.Cap, 1); most.Cmp(x) < 0 {
		return most
	}
	return x
}

func naiveFloor(x *big.Rat) int64 {
	return new(big.Int).Div(x.Num(), x.Denom()).Int64()
}
