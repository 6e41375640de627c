package program

import (
	"maps"
	"reflect"
	"slices"

	"recoup/internal/kit/yamltree"
	"recoup/reward"
)

// judgeLayer refuses a layer in which a purchase that comes a level up may come to a rule
// that rewards it less.
func (d *draft) judgeLayer(layer *reward.Layer) error {
	asked := make(map[string]bool)
	for i := range layer.Rules {
		if m := layer.Rules[i].Match.Purchase; m != nil {
			for id := range m.Tiers {
				asked[id] = true
			}
		}
	}
	if len(asked) > 0 && len(layer.Rules) > MaxTierRules {
		return d.ids[layer.Rules[MaxTierRules].ID].Fail("expected at most %d rules in a layer of which one asks for a tier, not %d", MaxTierRules, len(layer.Rules))
	}
	for i := range d.p.Tiers {
		if x := &d.p.Tiers[i]; asked[x.ID] {
			c := climb{d, x, layer.Rules, nil}
			if err := c.judge(); err != nil {
				return err
			}
		}
	}
	return nil
}

// climb is the rules of a layer as a purchase comes up the levels of a tier.
type climb struct {
	*draft
	tier   *reward.Tier
	rules  []reward.Rule
	covers [][]bool // whether the first, leaving the tier aside, asks all that the second does
}

func (c *climb) judge() error {
	c.covers = make([][]bool, len(c.rules))
	for i := range c.rules {
		c.covers[i] = make([]bool, len(c.rules))
		for j := range c.rules {
			c.covers[i][j] = implies(&c.rules[i], &c.rules[j], c.tier.ID)
		}
	}
	for level := range c.tier.Spend {
		for i := range c.rules {
			if !c.first(i, i, level) {
				continue
			}
			from := &c.rules[i]
			kept := false // a purchase of it surely has a rule a level up
			for j := range c.rules {
				kept = kept || c.covers[i][j] && c.allows(j, level+1)
				to := &c.rules[j]
				if i == j || !c.first(j, i, level+1) || !c.first(i, j, level) || excludes(from, to, c.tier.ID) {
					continue
				}
				if err := c.compare(from, to, level+1); err != nil {
					return err
				}
			}
			if !kept {
				return c.ids[from.ID].Fail("a purchase of it may have no rule at %s of the tier %s: rewards must not fall with the tier; expected that level among those that it asks for, or a rule that asks for no more",
					yamltree.Quote(c.tier.Spend[level].Tier), yamltree.Quote(c.tier.ID))
			}
		}
	}
	return nil
}

func (c *climb) allows(rule, level int) bool { return allows(&c.rules[rule].Match, c.tier, level) }

// first reports whether a rule may be the first that applies at a level to a purchase of
// which all that it and another ask holds.
func (c *climb) first(rule, other, level int) bool {
	if !c.allows(rule, level) {
		return false
	}
	for before := range rule {
		if c.allows(before, level) && (c.covers[rule][before] || c.covers[other][before]) {
			return false
		}
	}
	return true
}

// compare refuses a rule to which a purchase comes from another by its tier.
func (c *climb) compare(from, to *reward.Rule, level int) error {
	n, at := c.ids[to.ID], yamltree.Quote(c.tier.Spend[level-1].Tier)
	one, other := rateStep(from), rateStep(to)
	switch {
	case one.Above(other):
		return n.Fail("a purchase may come here at %s from the rule %s, of which the rate is %s: rates must not fall with the tier; expected at least that",
			at, yamltree.Quote(from.ID), rateOf(one.Rate, one.Exact))
	case from.Minimum != to.Minimum || max(from.Unit, 1) != max(to.Unit, 1) || from.AtMost != to.AtMost:
		return n.Fail("a purchase may come here at %s from the rule %s: expected the same minimum, unit and at_most", at, yamltree.Quote(from.ID))
	case limited(from) != limited(to) || limited(from) && (from.Shared == "" || from.Shared != to.Shared):
		return n.Fail("a purchase may come here at %s from the rule %s: expected no limit of either, or a cap that they share: cap: {reward: …, per: …, shared: …}", at, yamltree.Quote(from.ID))
	}
	return nil
}

func rateStep(r *reward.Rule) reward.Step {
	if len(r.Steps) > 0 {
		return r.Steps[0]
	}
	return reward.Step{Rate: r.Rate, Exact: r.Exact}
}

func limited(r *reward.Rule) bool { return r.Cap != reward.NoCap || r.Places > 0 || len(r.Steps) > 0 }

// allows reports whether a match holds at a level of a tier, as far as that goes.
func allows(m *reward.Match, x *reward.Tier, level int) bool {
	if m.Purchase == nil {
		return true
	}
	levels, asked := m.Purchase.Tiers[x.ID]
	return !asked || level > 0 && slices.Contains(levels, x.Spend[level-1].Tier)
}

// asked has the values that a match asks for of what a purchase has one value of, by
// name. Nothing is said of other tiers than the one left aside.
func asked(m *reward.Match, aside string) map[string][]string {
	all := make(map[string][]string)
	if m.Categories != nil {
		all["category"] = m.Categories
	}
	if m.Merchants != nil {
		all["merchant"] = slices.Collect(maps.Keys(m.Merchants))
	}
	if m.Purchase == nil {
		return all
	}
	for name, values := range m.Purchase.Labels {
		all["label "+name] = values
	}
	for name, values := range m.Purchase.Account {
		all["account "+name] = values
	}
	for id, levels := range m.Purchase.Tiers {
		if id != aside {
			all["tier "+id] = levels
		}
	}
	for _, day := range m.Purchase.Weekdays {
		all["weekday"] = append(all["weekday"], day.String())
	}
	return all
}

// excludes reports whether no purchase can be what both rules ask for.
func excludes(one, other *reward.Rule, aside string) bool {
	theirs := asked(&other.Match, aside)
	for name, values := range asked(&one.Match, aside) {
		if also, both := theirs[name]; both && !slices.ContainsFunc(values, set(also)) {
			return true
		}
	}
	return false
}

// implies reports whether every purchase that one rule asks for is what another does.
func implies(one, other *reward.Rule, aside string) bool {
	ours := asked(&one.Match, aside)
	for name, values := range asked(&other.Match, aside) {
		own, both := ours[name]
		if in := set(values); !both || slices.ContainsFunc(own, func(v string) bool { return !in(v) }) {
			return false
		}
	}
	if other.Match.MCCs != nil && !reflect.DeepEqual(one.Match.MCCs, other.Match.MCCs) ||
		!other.Except.Empty() && !reflect.DeepEqual(one.Except, other.Except) {
		return false
	}
	x, y := new(reward.PurchaseMatch), other.Match.Purchase
	if one.Match.Purchase != nil {
		x = one.Match.Purchase
	}
	return y == nil ||
		(y.From == nil || x.From != nil && *x.From >= *y.From) &&
			(y.Until == nil || x.Until != nil && *x.Until <= *y.Until) &&
			(y.Within == nil || x.Within != nil && *x.Within == *y.Within)
}

// set is membership in a list.
func set(list []string) func(string) bool {
	in := make(map[string]bool, len(list))
	for _, v := range list {
		in[v] = true
	}
	return func(v string) bool { return in[v] }
}
