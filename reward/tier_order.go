package reward

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
)

// climb is the rules of a layer as a purchase comes up the levels of a tier.
type climb struct {
	tier   *Tier
	rules  []Rule
	covers [][]bool // whether the first, leaving the tier aside, asks all that the second does
}

// newClimb is of no rules where none of a layer asks for the tier.
func newClimb(x *Tier, rules []Rule) *climb {
	c := &climb{tier: x}
	if !slices.ContainsFunc(rules, func(r Rule) bool { return r.Match.askedTiers()[x.ID] != nil }) {
		return c
	}
	c.rules, c.covers = rules, make([][]bool, len(rules))
	for i := range rules {
		c.covers[i] = make([]bool, len(rules))
		for j := range rules {
			c.covers[i][j] = implies(&rules[i], &rules[j], x.ID)
		}
	}
	return c
}

// judge refuses rules by which a purchase that comes a level up may come to less.
func (c *climb) judge() error {
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
				return fault(from.ID, "", "a purchase of it may have no rule at %s of the tier %s: rewards must not fall with the tier; expected that level among those that it asks for, or a rule that asks for no more",
					strconv.Quote(c.tier.Spend[level].Tier), strconv.Quote(c.tier.ID))
			}
		}
	}
	return nil
}

func (c *climb) allows(rule, level int) bool { return c.rules[rule].Match.Allows(c.tier, level) }

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
func (c *climb) compare(from, to *Rule, level int) error {
	at := strconv.Quote(c.tier.Spend[level-1].Tier)
	one, other := from.firstStep(), to.firstStep()
	switch {
	case one.Above(other):
		return fault(to.ID, "", "a purchase may come here at %s from the rule %s, of which the rate is %s: rates must not fall with the tier; expected at least that",
			at, strconv.Quote(from.ID), one.rate())
	case from.Minimum != to.Minimum || max(from.Unit, 1) != max(to.Unit, 1) || from.AtMost != to.AtMost:
		return fault(to.ID, "", "a purchase may come here at %s from the rule %s: expected the same minimum, unit and at_most", at, strconv.Quote(from.ID))
	case from.limited() != to.limited() || from.limited() && (from.Shared == "" || from.Shared != to.Shared):
		return fault(to.ID, "", "a purchase may come here at %s from the rule %s: expected no limit of either, or a cap that they share: cap: {reward: …, per: …, shared: …}", at, strconv.Quote(from.ID))
	}
	return nil
}

// firstStep is the rate of the first spend.
func (r *Rule) firstStep() Step {
	if len(r.Steps) > 0 {
		return r.Steps[0]
	}
	return Step{Rate: r.Rate, Exact: r.Exact}
}

// rate is how a program writes it.
func (s Step) rate() string {
	if s.Exact.Den != 0 {
		return s.Exact.String()
	}
	return s.Rate.String()
}

// Allows reports whether a match may hold of a purchase at a level of a tier, counted from
// one; zero is below the first.
func (m *Match) Allows(x *Tier, level int) bool {
	levels, asked := m.askedTiers()[x.ID]
	return !asked || level > 0 && slices.Contains(levels, x.Spend[level-1].Tier)
}

// asked has the values that a match asks for of what a purchase has one value of, by
// name. Nothing is said of other tiers than the one left aside.
func askedFor(m *Match, aside string) map[string][]string {
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
func excludes(one, other *Rule, aside string) bool {
	theirs := askedFor(&other.Match, aside)
	for name, values := range askedFor(&one.Match, aside) {
		if also, both := theirs[name]; both && !slices.ContainsFunc(values, set(also)) {
			return true
		}
	}
	return false
}

// implies reports whether every purchase that one rule asks for is what another does.
func implies(one, other *Rule, aside string) bool {
	ours := askedFor(&one.Match, aside)
	for name, values := range askedFor(&other.Match, aside) {
		own, both := ours[name]
		if in := set(values); !both || slices.ContainsFunc(own, func(v string) bool { return !in(v) }) {
			return false
		}
	}
	if other.Match.MCCs != nil && !slices.Equal(one.Match.MCCs, other.Match.MCCs) ||
		!other.Except.Empty() && !one.Except.same(&other.Except) {
		return false
	}
	x, y := new(PurchaseMatch), other.Match.Purchase
	if one.Match.Purchase != nil {
		x = one.Match.Purchase
	}
	return y == nil ||
		(y.From == nil || x.From != nil && *x.From >= *y.From) &&
			(y.Until == nil || x.Until != nil && *x.Until <= *y.Until) &&
			(y.Within == nil || x.Within != nil && *x.Within == *y.Within)
}

// same reports whether two matches ask the same, in the same order.
func (m *Match) same(o *Match) bool {
	x, y := m.Purchase, o.Purchase
	if x == nil || y == nil {
		x, y = cmp.Or(x, new(PurchaseMatch)), cmp.Or(y, new(PurchaseMatch))
	}
	byName := func(a, b map[string][]string) bool { return maps.EqualFunc(a, b, slices.Equal[[]string]) }
	return slices.Equal(m.Categories, o.Categories) && slices.Equal(m.MCCs, o.MCCs) && maps.Equal(m.Merchants, o.Merchants) &&
		byName(x.Labels, y.Labels) && byName(x.Account, y.Account) && byName(x.Tiers, y.Tiers) && slices.Equal(x.Weekdays, y.Weekdays) &&
		equal(x.From, y.From) && equal(x.Until, y.Until) && equal(x.Within, y.Within)
}

func equal[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }

// set is membership in a list.
func set(list []string) func(string) bool {
	in := make(map[string]bool, len(list))
	for _, v := range list {
		in[v] = true
	}
	return func(v string) bool { return in[v] }
}
