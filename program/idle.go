package program

import (
	"maps"
	"slices"
	"time"

	"recoup/reward"
)

// idle is about rules of a layer that apply to no purchase.
func (w *words) idle(rules []reward.Rule) (list []string) {
	for i := range rules {
		r := &rules[i]
		if never(&r.Match, &r.Except) {
			list = append(list, w.tell("rules.%s: it never applies, because %s.", r.ID, w.whyNever(&r.Match)))
		}
		if j := slices.IndexFunc(rules[:i], func(earlier reward.Rule) bool { return shadows(&earlier, r) }); j >= 0 {
			list = append(list, w.tell("rules.%s: it never applies, because %s before it matches every purchase that it does: the first that matches does.", r.ID, rules[j].ID))
		}
		if all(r) && i+1 < len(rules) {
			list = append(list, w.tell("rules.%s: the rules after it never apply, because it matches every purchase: the first that matches does.", r.ID))
			break
		}
	}
	return list
}

// neverApplies is the same of one rule of a layer.
func neverApplies(rules []reward.Rule, i int) bool {
	return never(&rules[i].Match, &rules[i].Except) || slices.ContainsFunc(rules[:i], func(earlier reward.Rule) bool {
		return all(&earlier) || shadows(&earlier, &rules[i])
	})
}

// all reports whether a rule matches every purchase.
func all(r *reward.Rule) bool { return r.Match.Empty() && r.Except.Empty() }

// shadows reports whether every purchase that a rule matches is one of an earlier rule of
// its layer, as far as categories, codes and merchants say.
func shadows(earlier, r *reward.Rule) bool {
	e, m := &earlier.Match, &r.Match
	if e.Purchase != nil || !earlier.Except.Empty() || e.Empty() {
		return false
	}
	return (e.Categories == nil || within(m.Categories, e.Categories)) &&
		(e.Merchants == nil || within(merchants(m), merchants(e))) &&
		(e.MCCs == nil || codesWithin(m.MCCs, e.MCCs))
}

// never reports whether a match holds for no purchase: for its dates, or because what is
// excepted is all of it. A member of except alone excludes, so one is enough.
func never(match, except *reward.Match) bool {
	if !between(match, except) ||
		within(match.Categories, except.Categories) || within(merchants(match), merchants(except)) || codesWithin(match.MCCs, except.MCCs) {
		return true
	}
	x := except.Purchase
	if x == nil {
		return false
	}
	m := new(reward.PurchaseMatch)
	if match.Purchase != nil {
		m = match.Purchase
	}
	on := m.Weekdays
	if on == nil {
		on = []time.Weekday{0, 1, 2, 3, 4, 5, 6}
	}
	return within(on, x.Weekdays) || namedWithin(m.Labels, x.Labels) || namedWithin(m.Account, x.Account) ||
		m.Within != nil && x.Within != nil && m.Within.Of == x.Within.Of && m.Within.Days <= x.Within.Days
}

// between reports whether there is a date on which a match holds and nothing excepted does.
func between(match, except *reward.Match) bool {
	from, until := reward.Date(-1<<31), reward.Date(1<<31-1)
	if m := match.Purchase; m != nil {
		if m.From != nil {
			from = *m.From
		}
		if m.Until != nil {
			until = *m.Until
		}
	}
	if x := except.Purchase; x != nil {
		if x.From != nil {
			until = min(until, *x.From)
		}
		if x.Until != nil {
			from = max(from, *x.Until)
		}
	}
	return from < until
}

// whyNever says which of these it is.
func (w *words) whyNever(match *reward.Match) string {
	if m := match.Purchase; m != nil && m.From != nil && m.Until != nil && *m.From >= *m.Until {
		return w.tell("no purchase is on or after %s and before %s: until is the first date on which it does not hold", m.From, m.Until)
	}
	return w.tell("all that match asks for is what except takes out")
}

// within reports whether all of some values are among others. No values at all stand for
// every value, which no list has.
func within[T comparable](some, others []T) bool {
	return some != nil && others != nil && !slices.ContainsFunc(some, func(v T) bool { return !slices.Contains(others, v) })
}

func merchants(m *reward.Match) []string {
	if m.Merchants == nil {
		return nil
	}
	return slices.Collect(maps.Keys(m.Merchants))
}

// codesWithin is within for ranges of merchant category codes.
func codesWithin(some, others []reward.MCCRange) bool {
	return some != nil && others != nil && !slices.ContainsFunc(some, func(r reward.MCCRange) bool {
		return !slices.ContainsFunc(others, func(x reward.MCCRange) bool { return x.First <= r.First && r.Last <= x.Last })
	})
}

// namedWithin is within for labels or attributes: of every name that others ask for, all
// values that some may have are among those.
func namedWithin(some, others map[string][]string) bool {
	if others == nil {
		return false
	}
	for name, values := range others {
		if !within(some[name], values) {
			return false
		}
	}
	return true
}
