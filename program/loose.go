package program

import (
	"fmt"
	"slices"

	"recoup/reward"
)

// loose is about what a program says that can make no difference: limits that never bind,
// and steps and levels that nothing is ever worth. A limit that only a spend beyond what
// anybody spends would reach is none of these, but for one above all amounts.
func loose(p *reward.Program) (list []string) {
	say := func(is bool, format string, figures ...any) {
		if is {
			list = append(list, fmt.Sprintf(format, figures...))
		}
	}
	sharing := make(map[string]int)
	for _, l := range layersOf(p) {
		for i := range l.Rules {
			sharing[l.Rules[i].Shared]++
		}
	}
	for _, l := range layersOf(p) {
		for i := range l.Rules {
			r := &l.Rules[i]
			path := "rules." + r.ID + "."
			looseRule(r, func(is bool, format string, figures ...any) { say(is, path+format, figures...) })
			say(r.Shared != "" && sharing[r.Shared] == 1, "%scap.shared: no other rule shares %s, so it is a cap of this rule alone.", path, r.Shared)
		}
	}
	for i := range p.Bonuses {
		b := &p.Bonuses[i]
		path := "bonuses." + b.ID + "."
		looseEarning(&b.Earning, func(is bool, format string, figures ...any) { say(is, path+format, figures...) })
		from := each(b.Spend, func(g reward.Goal) int64 { return g.From })
		for j := range b.Spend {
			say(passed(&b.Earning, from, j), "%sspend: its step from %d pays nothing, because the first purchase that counts comes to the next one.", path, from[j])
		}
	}
	for i := range p.Tiers {
		list = append(list, looseTier(p, &p.Tiers[i])...)
	}
	return list
}

// looseRule is the same of a rule.
func looseRule(r *reward.Rule, say func(is bool, format string, figures ...any)) {
	nothing := !slices.ContainsFunc(rateSteps(r), func(s reward.Step) bool { return s.Rate != 0 || s.Exact.Num != 0 })
	const never = ": a rate of nothing never reaches it."
	say(nothing && r.Cap != reward.NoCap, "cap"+never)
	say(nothing && r.Places > 0, "cap"+never)
	say(nothing && r.AtMost > 0, "at_most"+never)
	say(nothing && len(r.Steps) > 1, "steps: all of them have a rate of nothing.")
	say(!nothing && r.Cap == 0, "cap: it is nothing, so the rule earns nothing.")
	say(r.AtMost > 0 && r.Cap > 0 && r.AtMost >= r.Cap, "at_most: it never binds, because the cap of %d minor units is less for all purchases of a period together.", r.Cap)
	say(!nothing && r.AtMost > 0 && r.AtMost >= earned(rateSteps(r)[0], reward.MaxAmount), "at_most: it never binds, because no purchase of any amount earns as much.")
	for i, s := range r.Steps {
		say(!nothing && i > 0 && !r.Whole && !s.Above(r.Steps[i-1]) && !r.Steps[i-1].Above(s), "steps: the one from %d makes no difference, because its rate is that of the step before it.", s.From)
		say(r.Whole && passed(&r.Earning, each(r.Steps, func(s reward.Step) int64 { return s.From }), i), "steps: the rate of the one from %d is nobody's, because the first purchase that counts comes to the next one.", s.From)
	}
	looseEarning(&r.Earning, say)
}

// looseEarning is the same of what counts of a purchase.
func looseEarning(e *reward.Earning, say func(is bool, format string, figures ...any)) {
	say(e.Unit == 1, "unit: it makes no difference, because nothing is smaller.")
	say(e.Minimum > 0 && e.Minimum <= max(e.Unit, 1), "minimum: it makes no difference, because nothing below the unit of %d minor units counts anyway.", max(e.Unit, 1))
}

// looseTier is the same of a tier: a level that no rule or bonus tells from the one below
// it, or that nobody stays at.
func looseTier(p *reward.Program, x *reward.Tier) (list []string) {
	path := "tiers." + x.ID
	looseEarning(&x.Earning, func(is bool, format string, figures ...any) {
		if is {
			list = append(list, fmt.Sprintf(path+"."+format, figures...))
		}
	})
	from := each(x.Spend, func(l reward.Level) int64 { return l.From })
	for i, l := range x.Spend {
		switch {
		case !toldApart(p, x, i+1):
			list = append(list, fmt.Sprintf("%s: the level %s makes no difference, because no rule or bonus tells it from what is below it.", path, l.Tier))
		case passed(&x.Earning, from, i):
			list = append(list, fmt.Sprintf("%s: nobody is at %s, because the first purchase that counts comes to the next level.", path, l.Tier))
		}
	}
	return list
}

// toldApart reports whether a rule or bonus asks for a level, or for the one below it,
// and not for both.
func toldApart(p *reward.Program, x *reward.Tier, level int) bool {
	differs := func(m *reward.Match) bool { return m.Allows(x, level) != m.Allows(x, level-1) }
	return slices.ContainsFunc(layersOf(p), func(l reward.Layer) bool {
		return slices.ContainsFunc(l.Rules, func(r reward.Rule) bool { return differs(&r.Match) })
	}) || slices.ContainsFunc(p.Bonuses, func(b reward.Bonus) bool { return differs(&b.Match) })
}

// passed reports whether any spend that counts reaches the step after one of some steps:
// the least that a purchase can count with is the unit, or what is left of the minimum in
// whole units.
func passed(e *reward.Earning, from []int64, i int) bool {
	unit := max(e.Unit, 1)
	least := max(e.Minimum, unit)
	return i+1 < len(from) && from[i+1] <= least-least%unit
}

// rateSteps are the rates of a rule.
func rateSteps(r *reward.Rule) []reward.Step {
	if len(r.Steps) > 0 {
		return r.Steps
	}
	return []reward.Step{{Rate: r.Rate, Exact: r.Exact}}
}
