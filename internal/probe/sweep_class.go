package probe

import (
	"maps"
	"slices"
	"time"

	"recoup/internal/flaw"
	"recoup/internal/scenario"
)

// tellsShort reports whether too little is held against a program: where a second delivery
// takes again, or a part more than its share. That a cap's room is lost to what is kept is
// the paper's own.
func (c *sweepCase) tellsShort() bool { return c.axis == ByRedelivery || c.axis == BySize }

// codeOf names what a leak shows: the class where plain whole refunds of those ages leave
// something as well, and else what the case is about.
func (r *run) codeOf(c *sweepCase) flaw.Code {
	class := r.plainClass()
	leaves := r.leaves(c)
	alone := func(a Axis, code flaw.Code) bool { // a leak of its own of that axis, beyond rounding
		return slices.ContainsFunc(r.cases, func(o *sweepCase) bool {
			return o.axis == a && o.flaw == code && o.leak > int64(len(o.h.steps)) && !r.leaves(o)
		})
	}
	switch {
	case c.leak < 0 && c.axis == BySize:
		return flaw.OverClawed
	case c.leak < 0:
		return c.flaw
	case class == flaw.V1 || (class == flaw.V2 || class == flaw.V3a) && (c.flaw == "" || leaves):
		return flaw.CodeOf(class)
	case leaves || c.flaw == "":
		return flaw.CodeOf(flaw.Other)
	case c.axis == ByDebt && c.partial && (alone(BySize, flaw.PartsIgnored) || alone(ByPrice, flaw.PartsIgnored)):
		return flaw.PartsIgnored // which leave something without a debt as well
	case c.axis == ByDebt && (2*c.leak <= c.h.redeemed || class == flaw.Other):
		return flaw.CodeOf(flaw.Other) // most of what was redeemed is owed, or some stays without a debt as well
	case c.axis == ByDebt && slices.ContainsFunc(r.cases, func(o *sweepCase) bool { return o.axis == ByDebt && !o.aside && o.leak > 0 }):
		return flaw.CodeOf(flaw.V3a)
	case c.axis == ByDebt && c.flaw == flaw.CodeOf(flaw.V3a):
		return flaw.CodeOf(flaw.Other) // debts are kept; what they were repaid by is forgotten
	case c.axis != ByParts || c.flaw == flaw.G2:
		return c.flaw
	case c.leak <= int64(len(c.h.steps)):
		return flaw.CodeOf(flaw.Other) // less than a unit a part: each is rounded for the customer
	case alone(BySize, flaw.PartsIgnored):
		return flaw.PartsIgnored // a part by itself leaves something
	case alone(ByParts, flaw.Compounding):
		return flaw.Compounding // so do parts of one day
	}
	return c.flaw
}

// leaves reports whether a plain whole refund of one of the ages in a case leaves something.
func (r *run) leaves(c *sweepCase) bool {
	axis := ByAge
	if c.axis == ByDebt && c.h.steps[0].Move.Amount > r.sample.Amount {
		axis = ByAgeOfLarge
	}
	bought := map[string]time.Time{}
	for i := range c.h.steps {
		s := &c.h.steps[i]
		if s.Move.Kind == scenario.Settle {
			bought[s.Move.ID] = s.At
		}
		for _, part := range broughtBack(&s.Move) {
			if at, ok := bought[part.Purchase]; ok && r.leavesPlainly(axis, int(s.At.Sub(at)/(24*time.Hour))) {
				return true
			}
		}
	}
	return false
}

// leavesPlainly reports whether a plain whole refund of that age, or of the next, leaves
// something.
func (r *run) leavesPlainly(a Axis, days int) bool {
	list := ofAxis(r.cases, a)
	i := slices.IndexFunc(list, func(c *sweepCase) bool { return c.days >= days })
	return i >= 0 && list[i].leak > 0
}

// plainClass is what plain whole refunds show by their age and day: V1 if none takes the reward
// back, V2 if some take all of it and others next to none, or V3(a) if those take it as well
// where there is something to take, Other if some is left, and none of these if all take it.
func (r *run) plainClass() flaw.Class {
	usual := r.classByAge(ByAge, r.scout.reward)
	switch {
	case (usual == flaw.V2 || usual == flaw.Other) && r.offsets(ByAge):
		return flaw.V3a
	case usual != "":
		return usual
	}
	// A bonus is what a large purchase earns above as many small ones. Of purchases of
	// which the small take all back, it is the bonus that stays or is taken.
	bonus := r.scout.large - large*r.scout.reward
	if bonus <= 0 {
		bonus = r.scout.large
	}
	switch class := r.classByAge(ByAgeOfLarge, bonus); {
	case class == flaw.V2 && r.offsets(ByAgeOfLarge):
		return flaw.V3a
	case class == "", class == flaw.V2:
		return class
	}
	return flaw.Other
}

// offsets reports whether returns that leave something by themselves take all of it back
// where as much is bought on their day, or shortly before: it is the debt that is forgotten
// (section 5.3).
func (r *run) offsets(a Axis) bool {
	taken := map[int]bool{} // by age
	for _, c := range ofAxis(r.cases, ByNeighbours) {
		if c.offset == a && r.leavesPlainly(a, c.days) {
			taken[c.days] = taken[c.days] || c.leak <= 0
		}
	}
	return len(taken) > 0 && !slices.Contains(slices.Collect(maps.Values(taken)), false)
}

func (r *run) classByAge(a Axis, earned int64) flaw.Class {
	list := ofAxis(r.cases, a)
	if a == ByAge {
		// The same returns on other days, or heard of later.
		list = slices.Concat(list, ofAxis(r.cases, ByPosition), ofAxis(r.cases, ByDelay))
		list = slices.DeleteFunc(list, func(c *sweepCase) bool { return c.aside })
	}
	leaks := leaking(list)
	// whole took next to nothing: what takes a share is of another kind. Of a purchase that
	// earned more than usual, by its day, what is left may as well be a share: usual are the others.
	whole, usual := 0, 0
	for _, c := range leaks {
		if 10*c.leak >= 9*earned {
			whole++
			if 10*c.leak <= 11*earned {
				usual++
			}
		}
	}
	switch {
	case len(leaks) == 0:
		return ""
	case whole == len(list):
		return flaw.V1
	case usual > 0 && len(leaks) < len(list):
		return flaw.V2
	}
	return flaw.Other
}
