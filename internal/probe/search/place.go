package search

import (
	"regexp"
	"slices"

	"recoup/internal/probe"
	"recoup/program"
	"recoup/reward"
)

// place is where purchases fall under one rule.
type place struct {
	rule      int // reward.NoRule: they earn nothing
	rate      reward.Rate
	limit     int64     // the rule's cap, or reward.NoCap
	merchants [2]string // two shops, the same one where the rule names it
	mcc       string
	category  string
}

// What a scenario file can hold of a merchant and of a category.
var (
	merchantWord = regexp.MustCompile(`^[A-Za-z0-9_.:/-]{1,64}$`)
	categoryWord = regexp.MustCompile(`^[A-Z][A-Z0-9_.:/-]{0,63}$`)
)

// mostPlaces is how many rules a search buys under: more would take sequences
// away from the one that earns best.
const mostPlaces = 3

// placesOf returns where to buy, the best rate first, then the best of another
// rate, then one without a reward. A best rate without a cap is joined by one that
// has a cap.
func placesOf(p *reward.Program, can *probe.Capabilities) []place {
	var all []place
	for i := range p.Rules {
		if at, ok := placeOf(p, i, can); ok && at.rate > 0 {
			all = append(all, at)
		}
	}
	if len(all) == 0 {
		return nil
	}
	slices.SortStableFunc(all, func(a, b place) int { return int(b.rate - a.rate) })
	chosen := all[:1:1]
	add := func(fits func(*place) bool) {
		i := slices.IndexFunc(all, func(at place) bool { return fits(&at) })
		if i >= 0 && len(chosen) < mostPlaces && !slices.ContainsFunc(chosen, func(at place) bool { return at.rule == all[i].rule }) {
			chosen = append(chosen, all[i])
		}
	}
	add(func(at *place) bool { return at.rate < all[0].rate })
	if all[0].limit == reward.NoCap {
		add(func(at *place) bool { return at.limit != reward.NoCap })
	}
	if nothing := (reward.Terms{Merchant: "m1"}); p.RuleFor(nothing) == reward.NoRule && len(chosen) < mostPlaces {
		chosen = append(chosen, place{rule: reward.NoRule, limit: reward.NoCap, merchants: [2]string{"m1", "m2"}})
	}
	return chosen
}

// placeOf finds what a settlement must say to fall under a rule.
func placeOf(p *reward.Program, rule int, can *probe.Capabilities) (place, bool) {
	r := &p.Rules[rule]
	categories := append(slices.Clone(r.Match.Categories), "")
	if r.Match.Categories == nil {
		categories = append(categories, program.BuiltInCategories()...)
	}
	codes := []string{""}
	if can.MCC {
		for _, m := range r.Match.MCCs {
			codes = append(codes, m.First.String())
		}
	}
	shops := [][2]string{{"m1", "m2"}}
	if r.Match.Merchants != nil {
		shops = nil
		for m := range r.Match.Merchants {
			shops = append(shops, [2]string{m, m})
		}
		slices.SortFunc(shops, func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	}
	for _, merchants := range shops {
		for _, category := range categories {
			for _, code := range codes {
				if !merchantWord.MatchString(merchants[0]) || category != "" && !categoryWord.MatchString(category) {
					continue
				}
				at := place{rule, r.Rate, r.Cap, merchants, code, category}
				if at.falls(p, 0) && at.falls(p, 1) {
					return at, true
				}
			}
		}
	}
	return place{}, false
}

// falls reports whether purchases in a shop there fall under the place's rule.
func (at *place) falls(p *reward.Program, shop int) bool {
	code, _ := reward.ParseMCC(at.mcc)
	return p.RuleFor(reward.Terms{Merchant: at.merchants[shop], MCC: code, Category: at.category}) == at.rule
}

// fills is the smallest amount whose reward fills the cap, zero where there is
// none or no purchase would.
func (at *place) fills() int64 {
	if at.limit == reward.NoCap || at.rate == 0 {
		return 0
	}
	low, high := int64(1), int64(reward.MaxAmount)
	if at.rate.Of(high) < at.limit {
		return 0
	}
	for low < high {
		if mid := low + (high-low)/2; at.rate.Of(mid) >= at.limit {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low
}
