package program

import (
	"slices"

	"recoup/reward"
)

// loose is about what a program says that can make no difference: limits that never bind,
// and steps and levels that nothing is ever worth. A limit that only a spend beyond what
// anybody spends would reach is none of these, but for one above all amounts.
func (w *words) loose() (list []string) {
	p := w.p
	sharing := make(map[string]int)
	for _, l := range layersOf(p) {
		for i := range l.Rules {
			sharing[l.Rules[i].Shared]++
		}
	}
	for _, l := range layersOf(p) {
		for i := range l.Rules {
			r := &l.Rules[i]
			f := finds{path: "rules." + r.ID + "."}
			w.looseRule(r, &f)
			f.add(r.Shared != "" && sharing[r.Shared] == 1, w.tell("cap.shared: no other rule shares %s, so it is a cap of this rule alone.", r.Shared))
			list = append(list, f.list...)
		}
	}
	for i := range p.Bonuses {
		b := &p.Bonuses[i]
		f := finds{path: "bonuses." + b.ID + "."}
		w.looseEarning(&b.Earning, &f)
		from := each(b.Spend, func(g reward.Goal) int64 { return g.From })
		for j := range b.Spend {
			f.add(passed(&b.Earning, from, j), w.tell("spend: its step from %d pays nothing, because the first purchase that counts comes to the next one.", from[j]))
		}
		list = append(list, f.list...)
	}
	for i := range p.Tiers {
		list = append(list, w.looseTier(&p.Tiers[i])...)
	}
	return list
}

// finds are notices about one rule, bonus or tier.
type finds struct {
	path string // that each of them begins with
	list []string
}

func (f *finds) add(is bool, notice string) {
	if is {
		f.list = append(f.list, f.path+notice)
	}
}

// looseRule is the same of a rule.
func (w *words) looseRule(r *reward.Rule, f *finds) {
	nothing := !slices.ContainsFunc(rateSteps(r), func(s reward.Step) bool { return s.Rate != 0 || s.Exact.Num != 0 })
	f.add(nothing && r.Cap != reward.NoCap, w.tell("cap: a rate of nothing never reaches it."))
	f.add(nothing && r.Places > 0, w.tell("cap: a rate of nothing never reaches it."))
	f.add(nothing && r.AtMost > 0, w.tell("at_most: a rate of nothing never reaches it."))
	f.add(nothing && len(r.Steps) > 1, w.tell("steps: all of them have a rate of nothing."))
	f.add(!nothing && r.Cap == 0, w.tell("cap: it is nothing, so the rule earns nothing."))
	f.add(r.AtMost > 0 && r.Cap > 0 && r.AtMost >= r.Cap, w.tell("at_most: it never binds, because the cap of %d minor units is less for all purchases of a period together.", r.Cap))
	f.add(!nothing && r.AtMost > 0 && r.AtMost >= earned(rateSteps(r)[0], reward.MaxAmount), w.tell("at_most: it never binds, because no purchase of any amount earns as much."))
	for i, s := range r.Steps {
		f.add(!nothing && i > 0 && !r.Whole && !s.Above(r.Steps[i-1]) && !r.Steps[i-1].Above(s), w.tell("steps: the one from %d makes no difference, because its rate is that of the step before it.", s.From))
		f.add(r.Whole && passed(&r.Earning, each(r.Steps, func(s reward.Step) int64 { return s.From }), i), w.tell("steps: the rate of the one from %d is nobody's, because the first purchase that counts comes to the next one.", s.From))
	}
	w.looseEarning(&r.Earning, f)
}

// looseEarning is the same of what counts of a purchase.
func (w *words) looseEarning(e *reward.Earning, f *finds) {
	f.add(e.Unit == 1, w.tell("unit: it makes no difference, because nothing is smaller."))
	f.add(e.Minimum > 0 && e.Minimum <= max(e.Unit, 1), w.tell("minimum: it makes no difference, because nothing below the unit of %d minor units counts anyway.", max(e.Unit, 1)))
}

// looseTier is the same of a tier: a level that no rule or bonus tells from the one below
// it, or that nobody stays at.
func (w *words) looseTier(x *reward.Tier) []string {
	f := finds{path: "tiers." + x.ID + "."}
	w.looseEarning(&x.Earning, &f)
	from := each(x.Spend, func(l reward.Level) int64 { return l.From })
	for i, l := range x.Spend {
		switch {
		case !toldApart(w.p, x, i+1):
			f.list = append(f.list, w.tell("tiers.%s: the level %s makes no difference, because no rule or bonus tells it from what is below it.", x.ID, l.Tier))
		case passed(&x.Earning, from, i):
			f.list = append(f.list, w.tell("tiers.%s: nobody is at %s, because the first purchase that counts comes to the next level.", x.ID, l.Tier))
		}
	}
	return f.list
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
