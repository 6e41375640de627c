package probe

import (
	"fmt"
	"slices"

	"recoup/reward"
)

// mostTiers is how many tiers are looked for.
const mostTiers = 5

// ladder is what has to be spent, at a place where it was tried, for the rates of tiers.
type ladder struct {
	at   Spot
	base reward.Rate
	from []int64
}

// tierName is the status of those who have climbed so many steps of a ladder.
func tierName(step int) string { return fmt.Sprintf("tier-%d", step+1) }

// statusTier is the id of the tiers that were found.
const statusTier = "status"

// after is what a purchase earns that comes after another, in a period of its own.
func (l *ladder) after(m *meter, spent int64, at Spot, amount int64) (int64, error) {
	if err := m.open(m.account); err != nil {
		return 0, err
	}
	earned, err := m.sumOf(tried{l.at, spent}, tried{at, amount})
	return earned - l.base.Of(spent), err
}

// findTiers finds out after which spend at a place another purchase there earns more than
// the first: each an amount at which it begins.
func (f *finder) findTiers(o *offer, usual int64) error {
	l := &ladder{at: o.at, base: o.rate}
	for low, earns := int64(0), usual; ; {
		most, err := l.after(f.meter, f.vast, o.at, modest)
		if err != nil {
			return err
		}
		if most-earns <= 1 {
			break
		}
		if len(l.from) == mostTiers {
			return strange("what purchases at %s earn changes more than %d times with what was spent before", o.at, mostTiers)
		}
		high := f.vast
		for high-low > 1 {
			middle := low + (high-low)/2
			came, err := l.after(f.meter, middle, o.at, modest)
			if err != nil {
				return err
			}
			if came-earns > 1 {
				high, most = middle, came
			} else {
				low = middle
			}
		}
		low, earns = high, most
		l.from = append(l.from, high)
	}
	if len(l.from) > 0 {
		f.ladder = l
	}
	return nil
}

// climb finds the rates of a place in each tier.
func (f *finder) climb(o *offer) error {
	is := o.rate.String()
	for i, from := range f.ladder.from {
		came, err := f.ladder.after(f.meter, from, o.at, f.vast)
		if err != nil {
			return err
		}
		rate := around(f.vast, came).simplest()
		if abs(came-o.rate.Of(f.vast)) <= 2 {
			rate = o.rate
		}
		o.tiers = append(o.tiers, rate)
		is += fmt.Sprintf(", %s after %s", rate, f.money(from))
		if rate < o.rate || i > 0 && rate < o.tiers[i-1] {
			return strange("purchases at %s earn less (%s) the more was spent before", o.at, is)
		}
	}
	if !slices.ContainsFunc(o.tiers, func(r reward.Rate) bool { return r != o.rate }) {
		o.tiers = nil
		return nil
	}
	f.terms.saw("tiers of "+o.at.String(), is, fmt.Sprintf("the largest purchase, after one at %s in the same month", f.ladder.at))
	return nil
}

// byTier are the rules of a place by tier, the highest first, and last the one for who has
// none.
func byTier(r *reward.Rule, tiers []reward.Rate) (rules []reward.Rule) {
	for i, rate := range slices.Backward(tiers) {
		of := *r
		of.ID, of.Rate = fmt.Sprintf("%s-%s", r.ID, tierName(i)), rate
		of.Match.Purchase = &reward.PurchaseMatch{Tiers: map[string][]string{statusTier: {tierName(i)}}}
		rules = append(rules, of)
	}
	return append(rules, *r)
}

// tier is the ladder as a program has it, of all spend of a month.
func (l *ladder) tier() reward.Tier {
	t := reward.Tier{ID: statusTier}
	for i, from := range l.from {
		t.Spend = append(t.Spend, reward.Level{From: from, Tier: tierName(i)})
	}
	return t
}
