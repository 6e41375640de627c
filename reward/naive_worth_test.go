package reward_test

import (
	"cmp"
	"math/big"
	"slices"

	"recoup/reward"
)

// naiveBucket is what a cap bounds: a rule's purchases of one cycle. The rule is
// that of a version, so that two versions have buckets of their own.
type naiveBucket struct {
	rule  *reward.Rule
	cycle reward.Cycle
}

func (t *naiveTransaction) bucket() naiveBucket { return naiveBucket{t.rule, t.cycle} }

// alone says whether the purchase's reward is its own, whatever becomes of the
// others: it was granted under terms that take back a share of it.
func (t *naiveTransaction) alone() bool {
	return t.granted && t.method() == reward.Proportional
}

// ownWorth is what a reversal takes for each unit of a purchase that earns, its
// cap not binding.
func (t *naiveTransaction) ownWorth() *big.Rat {
	if t.alone() && t.cutByCap() {
		return big.NewRat(t.original, t.base)
	}
	return naiveRate(t.rule)
}

// promised is what the terms promise before the cap on what is left of a
// bucket's purchases that count.
func (a *naiveAllocation) promised(in naiveBucket, counts func(*naiveTransaction) bool) *big.Rat {
	sum := new(big.Rat)
	for _, t := range a.book.posted {
		if t.earns && t.bucket() == in && counts(t) {
			sum.Add(sum, naiveTimes(naiveRate(in.rule), a.left(t)))
		}
	}
	return sum
}

func everyPurchase(*naiveTransaction) bool { return true }

func notAlone(t *naiveTransaction) bool { return !t.alone() }

// binds says whether a bucket's cap cuts what it promises.
func (a *naiveAllocation) binds(in naiveBucket) bool {
	return in.rule.Cap != reward.NoCap && a.promised(in, everyPurchase).Cmp(big.NewRat(in.rule.Cap, 1)) > 0
}

// together is what all purchases are worth, each counted with the others.
func (a *naiveAllocation) together() *big.Rat {
	sum := new(big.Rat)
	counted := map[naiveBucket]bool{}
	for _, t := range a.book.posted {
		switch {
		case !t.earns:
		case t.alone():
			sum.Add(sum, naiveTimes(t.ownWorth(), a.left(t)))
		case !counted[t.bucket()]:
			counted[t.bucket()] = true
			sum.Add(sum, naiveCapped(t.rule, a.promised(t.bucket(), notAlone)))
		}
	}
	return sum
}

// naiveTarget is a group of purchases that a claim is placed on as one.
type naiveTarget struct {
	linear  bool
	worth   *big.Rat    // of a linear one
	bucket  naiveBucket // of a binding one
	members []*naiveTransaction
}

// targets groups what is left. The bucket apart, if there is one, is a target
// of its own even where its cap does not bind any more.
func (a *naiveAllocation) targets(apart *naiveBucket) []*naiveTarget {
	var list []*naiveTarget
	add := func(t *naiveTransaction, same func(*naiveTarget) bool, fresh naiveTarget) {
		i := slices.IndexFunc(list, same)
		if i < 0 {
			i = len(list)
			list = append(list, &fresh)
		}
		list[i].members = append(list[i].members, t)
	}
	for _, t := range a.book.posted {
		if a.left(t) == 0 {
			continue
		}
		worth := new(big.Rat)
		if t.earns {
			in := t.bucket()
			if !t.alone() && (a.binds(in) || apart != nil && in == *apart) {
				add(t, func(g *naiveTarget) bool { return !g.linear && g.bucket == in }, naiveTarget{bucket: in})
				continue
			}
			worth = t.ownWorth()
		}
		add(t, func(g *naiveTarget) bool { return g.linear && g.worth.Cmp(worth) == 0 }, naiveTarget{linear: true, worth: worth})
	}
	return list
}

// bindingBuckets are those in which a cap binds, in the order of their tries.
func (a *naiveAllocation) bindingBuckets() []naiveBucket {
	var list []naiveBucket
	for _, g := range a.targets(nil) {
		if !g.linear {
			list = append(list, g.bucket)
		}
	}
	slices.SortFunc(list, a.bucketOrder)
	return list
}

// bucketOrder puts the newest cycle first, then the earlier rule.
func (a *naiveAllocation) bucketOrder(x, y naiveBucket) int {
	position := func(in naiveBucket) int {
		rules := a.book.latest.In(in.cycle).Rules
		return slices.IndexFunc(rules, func(r reward.Rule) bool { return r.ID == in.rule.ID })
	}
	return cmp.Or(cmp.Compare(y.cycle, x.cycle), cmp.Compare(position(x), position(y)))
}

// takes is what a placement of so much on a binding target takes per unit.
func (a *naiveAllocation) takes(in naiveBucket, placement int64) *big.Rat {
	all := a.promised(in, everyPurchase)
	without := new(big.Rat).Sub(all, naiveTimes(naiveRate(in.rule), placement))
	taken := new(big.Rat).Sub(naiveCapped(in.rule, all), naiveCapped(in.rule, without))
	return taken.Quo(taken, big.NewRat(placement, 1))
}

func naiveRate(rule *reward.Rule) *big.Rat {
	return big.NewRat(int64(rule.Rate), int64(reward.MaxRate))
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
