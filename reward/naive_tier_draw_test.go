package reward_test

import (
	"maps"
	"slices"

	"recoup/reward"
)

// tiers gives a drawn program tiers, and rules and bonuses that go by them.
func (d *promiseDraw) tiers() {
	for range pick(d.t, "tiers", 0, 1, 1, 2) {
		d.p.Tiers = append(d.p.Tiers, d.tier())
	}
	if len(d.p.Tiers) == 0 {
		return
	}
	for i := range d.p.Layers {
		var rules []reward.Rule
		for _, r := range d.p.Layers[i].Rules {
			if (r.Cap == reward.NoCap && r.Places == 0 && len(r.Steps) == 0 || r.Shared != "") && pick(d.t, "by tier", 0, 1, 1) == 1 {
				rules = append(rules, d.dearer(r)...)
			}
			rules = append(rules, r)
		}
		d.p.Layers[i].Rules = rules
	}
	if pick(d.t, "tier's own", 0, 1) == 1 {
		r := d.rule() // with a limit of its own, and nothing below it
		for _, x := range d.p.Tiers {
			r.Match = asking(r.Match, x.ID, pick(d.t, "from which level", []string{"gold"}, []string{"silver", "gold"}))
		}
		d.p.Layers = append(d.p.Layers, reward.Layer{ID: "own", Rules: []reward.Rule{r}})
	}
	for i := range d.p.Bonuses {
		b := &d.p.Bonuses[i]
		if pick(d.t, "bonus by tier", 0, 1) == 1 {
			b.Match = asking(b.Match, d.p.Tiers[0].ID, pick(d.t, "from which level", []string{"gold"}, []string{"silver", "gold"}))
		}
	}
}

func (d *promiseDraw) tier() reward.Tier {
	t := d.t
	x := reward.Tier{ID: d.id("t"), Next: pick(t, "keeps next", false, true)}
	x.Per = d.per()
	if x.Next && x.Per == reward.PerLifetime {
		x.Per = reward.PerMonth
	}
	x.Minimum = pick[int64](t, "minimum", 0, 0, 2_000)
	x.Unit = pick[int64](t, "unit", 0, 0, 100)
	if pick(t, "matches", 0, 0, 1) == 1 {
		x.Match = d.match()
	}
	if pick(t, "excepts", 0, 0, 0, 1) == 1 {
		x.Except = d.match()
	}
	x.Spend = []reward.Level{{From: pick[int64](t, "from", 1, 4_000, 10_000), Tier: "silver"}, {From: pick[int64](t, "then", 12_000, 20_000), Tier: "gold"}}
	return x
}

// dearer are rules for what a rule matches, at higher rates for a tier.
func (d *promiseDraw) dearer(r reward.Rule) (list []reward.Rule) {
	x := d.p.Tiers[d.n%len(d.p.Tiers)]
	with := func(rate int64, levels ...string) {
		o := r
		o.ID, o.Rate, o.Exact = d.id("r"), 0, reward.Fraction{Num: rate, Den: 1}
		o.Match = asking(r.Match, x.ID, levels)
		list = append(list, o)
	}
	if pick(d.t, "levels apart", 0, 1) == 1 {
		with(3, "gold")
		with(2, "silver")
	} else {
		with(2, "silver", "gold")
	}
	return list
}

// asking has a match ask for a tier besides.
func asking(m reward.Match, tier string, levels []string) reward.Match {
	more := new(reward.PurchaseMatch)
	if m.Purchase != nil {
		*more = *m.Purchase
	}
	more.Tiers = maps.Clone(more.Tiers)
	if more.Tiers == nil {
		more.Tiers = map[string][]string{}
	}
	more.Tiers[tier] = slices.Clone(levels)
	m.Purchase = more
	return m
}
