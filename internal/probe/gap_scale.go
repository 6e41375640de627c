package probe

import (
	"maps"
	"slices"

	"recoup/internal/scenario"
	"recoup/reward"
)

// bucketOf is a rule and a month of a file, and what is bought there.
type bucketOf struct {
	rule  int
	cycle reward.Cycle
}

// spending is what is bought under each rule in each month of the file. A purchase
// that is delivered twice counts twice, so that there is room for two grants.
func (a *transposer) spending() map[bucketOf]int64 {
	sums := map[bucketOf]int64{}
	for i := range a.file.Steps {
		if s := &a.file.Steps[i]; s.Move.Kind == scenario.Settle {
			sums[bucketOf{a.file.Program.RuleFor(terms(&s.Move)), reward.CycleAt(reward.At(s.At))}] += s.Move.Amount
		}
	}
	return sums
}

// mapRules finds for each rule of the file one of the target: for the best that
// is bought under the best that there is, with a cap if one binds in the file;
// for the others some of another rate, lower if possible.
func (a *transposer) mapRules() error {
	rules := a.file.Program.Rules
	a.fileMain = reward.NoRule
	var used []int
	for b, sum := range a.spending() {
		if !slices.Contains(used, b.rule) {
			used = append(used, b.rule)
		}
		if b.rule == reward.NoRule {
			continue
		}
		r := &rules[b.rule]
		a.needsCap = a.needsCap || r.Cap != reward.NoCap && r.Rate.Of(sum) >= r.Cap
		if a.fileMain == reward.NoRule || r.Rate > rules[a.fileMain].Rate {
			a.fileMain = b.rule
		}
	}
	if a.fileMain == reward.NoRule {
		return notApplicable("buys nothing that earns")
	}
	ours := a.program.Rules
	reachable := slices.Sorted(maps.Keys(a.spots))
	a.main = reward.NoRule
	for _, r := range reachable {
		if r == reward.NoRule || ours[r].Rate == 0 || a.needsCap && ours[r].Cap == reward.NoCap {
			continue
		}
		if a.main == reward.NoRule || ours[r].Rate > ours[a.main].Rate {
			a.main = r
		}
	}
	switch {
	case a.main == reward.NoRule && a.needsCap:
		return notApplicable("needs a cap: no rule of the target has one")
	case a.main == reward.NoRule:
		return notApplicable("needs a category that earns")
	}
	a.to[a.fileMain] = a.main
	for _, r := range slices.Sorted(slices.Values(used)) {
		if r == a.fileMain {
			continue
		}
		other, ok := a.another(reachable, r == reward.NoRule)
		if !ok {
			return notApplicable("needs purchases of a second rate")
		}
		a.to[r] = other
	}
	return nil
}

// another picks a rule for what is not bought under the main one: the best of
// those that earn less, else any other. What earns nothing in the file must earn
// nothing at the target.
func (a *transposer) another(reachable []int, nothing bool) (int, bool) {
	rate := func(r int) reward.Rate {
		if r == reward.NoRule {
			return 0
		}
		return a.program.Rules[r].Rate
	}
	best, found := 0, false
	for _, r := range reachable {
		if r == a.main || rate(r) == rate(a.main) || nothing && rate(r) != 0 {
			continue
		}
		lower := func(r int) bool { return rate(r) < rate(a.main) }
		better := !found || lower(r) && !lower(best) || lower(r) == lower(best) && rate(r) > rate(best)
		if better {
			best, found = r, true
		}
	}
	return best, found
}

// mostSpent is the most that is bought under the main rule in one month, in units.
func (a *transposer) mostSpent() (units int64) {
	for b, sum := range a.spending() {
		if b.rule == a.fileMain {
			units = max(units, sum/a.gcd)
		}
	}
	return units
}

// scale finds what the file's amounts become. All are multiples of one unit, so
// that parts still add up.
func (a *transposer) scale() error {
	for i := range a.file.Steps {
		m := &a.file.Steps[i].Move
		if m.Kind == scenario.Redeem {
			continue
		}
		a.gcd = gcd(a.gcd, m.Amount)
		for _, part := range m.Really {
			a.gcd = gcd(a.gcd, part.Amount)
		}
	}
	theirs, ours := &a.file.Program.Rules[a.fileMain], &a.program.Rules[a.main]
	scale := int64(reward.MaxRate)
	most := a.mostSpent()
	switch {
	case a.needsCap: // bought in relation to what fills the cap
		a.unit = ceiling(divide(a.gcd, ours.Cap, theirs.Cap)+1, int64(theirs.Rate), int64(ours.Rate))
	case a.full && ours.Cap != reward.NoCap:
		a.unit = ceiling(ours.Cap, scale, int64(ours.Rate)*most)
	default: // earns what it earns in the file
		a.unit = ceiling(a.gcd, int64(theirs.Rate), int64(ours.Rate))
		if least := 3 * a.program.Redemption.MinimumBalance; ours.Rate.Of(a.unit*most) < least {
			a.unit = ceiling(least, scale, int64(ours.Rate)*most)
		}
	}
	if a.needsCap || a.full {
		return nil
	}
	for b, sum := range a.spending() {
		if b.rule == reward.NoRule {
			continue
		}
		to := a.to[b.rule]
		if to == reward.NoRule || a.program.Rules[to].Cap == reward.NoCap {
			continue
		}
		if r := &a.program.Rules[to]; r.Rate > 0 {
			a.unit = min(a.unit, divide(r.Cap, scale, int64(r.Rate)*(sum/a.gcd)))
		}
	}
	if ours.Rate.Of(a.unit*most) < 20 {
		return notApplicable("needs a cap with room for some purchases: the target's is too small to tell anything")
	}
	return nil
}

func (a *transposer) amount(n int64) int64 { return n / a.gcd * a.unit }

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// ceiling returns ⌈a·b/c⌉ for a, b ≥ 0 and c > 0.
func ceiling(a, b, c int64) int64 { return -divide(-a, b, c) }
