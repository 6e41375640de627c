package reward_test

import (
	"math"
	"math/big"

	"recoup/reward"
)

// naiveShare is what a purchase has in a layer, or of a bonus.
type naiveShare struct {
	of       *naiveTransaction
	layer    int
	rule     *reward.Rule   // nil: of none; of several by tier the first
	byTier   []*reward.Rule // the rules that apply by the purchase's tier; nil: rule does
	bonus    *reward.Bonus  // nil: of none
	tier     *reward.Tier   // nil: of none
	file     int            // the rule's or bonus's place in the file
	original int64
	retained int64

	// The period that was asked for last: it is asked for over and over.
	when naiveWhen
	span naiveSpan
}

// period is the period of the share's purchase.
func (s *naiveShare) period(per reward.Period) naiveSpan {
	if when := (naiveWhen{s.of.terms, per, s.of.settlement.Time}); s.when != when {
		s.when, s.span = when, naivePeriod(when.program, when.per, when.at)
	}
	return s.span
}

// naivePot is what counts together. One of a rule without a limit has one purchase.
type naivePot struct {
	bonus  bool
	tier   bool
	shared bool
	name   string
	span   naiveSpan
	alone  *naiveShare
}

// limited says whether a rule counts purchases together.
func naiveLimited(r *reward.Rule) bool {
	return r.Cap != reward.NoCap || r.Places > 0 || len(r.Steps) > 0
}

func (s *naiveShare) pot() naivePot {
	switch {
	case s.bonus != nil:
		return naivePot{bonus: true, name: s.bonus.ID, span: s.period(s.bonus.Per)}
	case s.tier != nil:
		return naivePot{tier: true, name: s.tier.ID, span: s.period(s.tier.Per)}
	case !naiveLimited(s.rule):
		return naivePot{alone: s}
	case s.rule.Shared != "":
		return naivePot{shared: true, name: s.rule.Shared, span: s.period(s.rule.Per)}
	}
	return naivePot{name: s.rule.ID, span: s.period(s.rule.Per)}
}

func (s *naiveShare) earning() *reward.Earning {
	switch {
	case s.bonus != nil:
		return &s.bonus.Earning
	case s.tier != nil:
		return &s.tier.Earning
	}
	return &s.rule.Earning
}

// counts is q of what is left of the purchase.
func (s *naiveShare) counts(left int64) int64 {
	e := s.earning()
	if left < e.Minimum {
		return 0
	}
	return left / max(1, e.Unit) * max(1, e.Unit)
}

func naiveExactRate(r reward.Rate, f reward.Fraction) *big.Rat {
	if f.Den != 0 {
		return big.NewRat(f.Num, f.Den)
	}
	return big.NewRat(int64(r), int64(reward.MaxRate))
}

// naiveRate is what a rule earns for the first unit of spend.
func naiveRate(r *reward.Rule) *big.Rat {
	if len(r.Steps) > 0 {
		return naiveExactRate(r.Steps[0].Rate, r.Steps[0].Exact)
	}
	return naiveExactRate(r.Rate, r.Exact)
}

// naiveByItself is ψ.
func naiveByItself(r *reward.Rule, q int64) *big.Rat {
	psi := naiveTimes(naiveRate(r), q)
	if most := r.AtMost; most > 0 && psi.Cmp(big.NewRat(most, 1)) > 0 {
		return big.NewRat(most, 1)
	}
	return psi
}

// naiveEntry is a share at an allocation.
type naiveEntry struct {
	share *naiveShare
	rule  *reward.Rule // the one that applies
	q     int64
}

// naiveStairs is Φ.
func naiveStairs(steps []reward.Step, spend int64) *big.Rat {
	sum := new(big.Rat)
	for i, s := range steps {
		top := int64(math.MaxInt64)
		if i+1 < len(steps) {
			top = steps[i+1].From
		}
		if part := min(spend, top) - s.From; part > 0 {
			sum.Add(sum, naiveTimes(naiveExactRate(s.Rate, s.Exact), part))
		}
	}
	return sum
}

// naiveReached is the rate of the highest step that a spend reaches.
func naiveReached(steps []reward.Step, spend int64) *big.Rat {
	rate := naiveExactRate(steps[0].Rate, steps[0].Exact)
	for _, s := range steps {
		if spend >= s.From {
			rate = naiveExactRate(s.Rate, s.Exact)
		}
	}
	return rate
}

func naiveSpend(entries []naiveEntry) (spend, purchases int64) {
	for _, x := range entries {
		spend += x.q
		if x.q > 0 {
			purchases++
		}
	}
	return spend, purchases
}

// naiveBonus is what a bonus pays.
func naiveBonus(b *reward.Bonus, entries []naiveEntry) int64 {
	spend, purchases := naiveSpend(entries)
	var pays int64
	for _, g := range b.Spend {
		if spend >= g.From {
			pays = g.Reward
		}
	}
	for _, g := range b.Purchases {
		if purchases >= g.From {
			pays = g.Reward
		}
	}
	if b.Every.Spend > 0 {
		times := spend / b.Every.Spend
		if b.Every.AtMost > 0 {
			times = min(times, b.Every.AtMost)
		}
		pays = times * b.Every.Reward
	}
	if b.Every.Purchases > 0 {
		times := purchases / b.Every.Purchases
		if b.Every.AtMost > 0 {
			times = min(times, b.Every.AtMost)
		}
		pays = times * b.Every.Reward
	}
	return pays
}

// naiveRewards are f of all entries of a pot of rules, in their order.
func naiveRewards(entries []naiveEntry) []int64 {
	f := make([]int64, len(entries))
	var before, counted, given int64
	all, _ := naiveSpend(entries)
	for i, x := range entries {
		r := x.rule
		switch {
		case len(r.Steps) > 0 && r.Whole:
			f[i] = naiveFloor(naiveTimes(naiveReached(r.Steps, all), x.q))
		case len(r.Steps) > 0:
			more := naiveStairs(r.Steps, before+x.q)
			f[i] = naiveFloor(more.Sub(more, naiveStairs(r.Steps, before)))
		case r.Places > 0:
			if x.q > 0 && counted < r.Places {
				f[i] = naiveFloor(naiveByItself(x.rule, x.q))
			}
		case r.Cap != reward.NoCap:
			f[i] = max(0, min(naiveFloor(naiveByItself(x.rule, x.q)), r.Cap-given))
		default:
			f[i] = naiveFloor(naiveByItself(x.rule, x.q))
		}
		before += x.q
		given += f[i]
		if x.q > 0 {
			counted++
		}
	}
	return f
}

// naivePromised is E of a pot, nothing rounded.
func naivePromised(entries []naiveEntry) *big.Rat {
	if len(entries) == 0 {
		return new(big.Rat)
	}
	if b := entries[0].share.bonus; b != nil {
		return big.NewRat(naiveBonus(b, entries), 1)
	}
	if entries[0].share.tier != nil {
		return new(big.Rat) // it earns by what it makes of others
	}
	r := entries[0].share.rule
	spend, _ := naiveSpend(entries)
	switch {
	case len(r.Steps) > 0 && r.Whole:
		return naiveTimes(naiveReached(r.Steps, spend), spend)
	case len(r.Steps) > 0:
		return naiveStairs(r.Steps, spend)
	}
	sum, counted := new(big.Rat), int64(0)
	for _, x := range entries {
		if r.Places > 0 && counted >= r.Places {
			break
		}
		if x.q > 0 {
			counted++
		}
		sum.Add(sum, naiveByItself(x.rule, x.q))
	}
	if r.Cap != reward.NoCap && sum.Cmp(big.NewRat(r.Cap, 1)) > 0 {
		return big.NewRat(r.Cap, 1)
	}
	return sum
}

// naiveBinds says whether what a unit takes depends on what else is reversed.
func naiveBinds(entries []naiveEntry) bool {
	if b := entries[0].share.bonus; b != nil {
		return naiveBonus(b, entries) > 0
	}
	spend, purchases := naiveSpend(entries)
	if x := entries[0].share.tier; x != nil {
		return spend >= naiveFirstTier(entries).Spend[0].From
	}
	r := entries[0].share.rule
	switch {
	case len(r.Steps) == 1:
		return false
	case len(r.Steps) > 1 && r.Whole:
		return spend >= r.Steps[1].From
	case len(r.Steps) > 1:
		return spend > r.Steps[1].From
	case r.Places > 0:
		return purchases > r.Places
	case r.Cap != reward.NoCap:
		sum := new(big.Rat)
		for _, x := range entries {
			sum.Add(sum, naiveByItself(x.rule, x.q))
		}
		return sum.Cmp(big.NewRat(r.Cap, 1)) > 0
	}
	return false
}

// pots are all there are, in posting order of their first purchases.
func (b *naiveBook) pots() (list []naivePot) {
	known := map[naivePot]bool{}
	for _, t := range b.posted {
		for _, s := range t.all() {
			if p := s.pot(); t.counts && !known[p] {
				known[p] = true
				list = append(list, p)
			}
		}
	}
	return list
}

// entries are those of a pot, of purchases of which so much is left.
func (b *naiveBook) entries(p naivePot, left func(*naiveTransaction) int64, counts func(*naiveTransaction) bool) (list []naiveEntry) {
	for _, t := range b.posted {
		for _, s := range t.all() {
			if t.counts && counts(t) && s.pot() == p {
				list = append(list, b.entry(s, left(t), naiveView{left, counts}))
			}
		}
	}
	return list
}

// all are the purchase's shares: of rules, by layer, then of bonuses and of tiers.
func (t *naiveTransaction) all() []*naiveShare {
	return append(append(t.shares[:len(t.shares):len(t.shares)], t.bonuses...), t.tiers...)
}
