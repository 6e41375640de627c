package probe

import (
	"fmt"
	"slices"

	"recoup/internal/scenario"
)

// usualNames are what programs call what they pay more for, beyond the built-in categories.
var usualNames = []string{
	"RESTAURANT", "SUPERMARKET", "CONVENIENCE", "PHARMACY", "HEALTH", "BEAUTY", "FASHION", "CLOTHING", "ELECTRONICS", "SHOPPING", "BOOKS",
	"TOYS", "SPORTS", "PETS", "AIRLINE", "HOTEL", "PARKING", "UTILITIES", "TELECOM", "INSURANCE", "EDUCATION",
}

// mostNames is how many of them are looked into: each takes as many calls as a built-in one.
const mostNames = 6

// findNames buys once by each of the usual names, where the target says none: a category of
// which nothing is bought may have a rate, and a flaw, that nothing else shows. Those that earn
// what a purchase in no category does are left at that.
func (r *run) findNames() error {
	can := &r.target.Can
	if r.plan.Program != nil || can.Categories != nil {
		return nil
	}
	r.logf("Buying by %d names that categories usually have: about %d calls.", len(usualNames), aboutNames)
	g := &grid{can: can, times: 1}
	list := make([]*history, 0, len(usualNames)+2)
	for i, name := range append([]string{"", ""}, usualNames...) {
		d := g.draft()
		d.name = fmt.Sprintf("name-%d", i+1)
		d.add(d.at(0), scenario.Move{Kind: scenario.Settle, ID: "t1", Amount: modest, Merchant: "m1", Category: name})
		if r.stage.canWait() {
			d.watch(1, readings[0])
		} else {
			d.add(d.at(0), scenario.Move{Kind: scenario.Wait})
		}
		list = append(list, d.history)
	}
	replays, err := r.stage.playEach(list)
	r.result.Replays += replays
	if err != nil {
		return fmt.Errorf("looking for categories that earn more: %w", err)
	}
	most := func(h *history) (earned int64) {
		for n := range waits(h) {
			earned = max(earned, h.last(n).NetReward())
		}
		return earned
	}
	none := list[0]
	if none.failed != nil || list[1].failed != nil || most(none) != most(list[1]) {
		return nil // rewards go by something else than categories
	}
	var found []string
	for i, name := range usualNames {
		h := list[i+2]
		if earned := most(h); h.failed == nil && earned > 0 && earned != most(none) && len(found) < mostNames {
			found = append(found, name)
		}
	}
	if found != nil {
		can.Categories = slices.Concat(categories(can), found)
	}
	return nil
}
