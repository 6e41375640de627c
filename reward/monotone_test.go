package reward_test

import (
	"errors"
	"testing"

	"recoup/reward"
)

// A program that is made in Go is judged as one of a file is: nobody earns less for buying
// more, nor more for returning.
func TestMonotone(t *testing.T) {
	percent := func(n int64) reward.Rate { return reward.Rate(n) * reward.MaxRate / 100 }
	rule := func(id string, rate int64, levels ...string) reward.Rule {
		r := reward.Rule{ID: id, Rate: percent(rate), Cap: reward.NoCap}
		if levels != nil {
			r.Match.Purchase = &reward.PurchaseMatch{Tiers: map[string][]string{"status": levels}}
		}
		return r
	}
	of := func(rules ...reward.Rule) reward.Program {
		return reward.Program{
			ID: "p", Currency: "USD", Method: reward.Rerate,
			Layers: []reward.Layer{{ID: "base", Rules: rules}},
			Tiers: []reward.Tier{{
				ID: "status", Earning: reward.Earning{Per: reward.PerYear},
				Spend: []reward.Level{{From: 100, Tier: "silver"}, {From: 200, Tier: "gold"}},
			}},
		}
	}
	steps := func(whole bool, list ...reward.Step) reward.Program {
		r := reward.Rule{ID: "r", Cap: reward.NoCap}
		r.Per, r.Steps, r.Whole = reward.PerYear, list, whole
		return of(r)
	}
	bonus := func(b reward.Bonus) reward.Program {
		p := of()
		p.Bonuses = []reward.Bonus{b}
		return p
	}
	levels := func(list ...reward.Level) reward.Program {
		p := of()
		p.Tiers[0].Spend = list
		return p
	}
	silver := &reward.PurchaseMatch{Tiers: map[string][]string{"status": {"silver"}}}
	excepting := rule("r", 1)
	excepting.Except.Purchase = silver
	for name, c := range map[string]struct {
		p    reward.Program
		want string
	}{
		"rates that rise by tier":           {of(rule("gold", 3, "gold"), rule("silver", 2, "silver"), rule("base", 1)), ""},
		"a rate that falls by tier":         {of(rule("gold", 1, "gold"), rule("silver", 2, "silver"), rule("base", 1)), `gold: a purchase may come here at "gold" from the rule "silver", of which the rate is 2%: rates must not fall with the tier; expected at least that`},
		"no rule above":                     {of(rule("silver", 2, "silver")), `silver: a purchase of it may have no rule at "gold" of the tier "status": rewards must not fall with the tier; expected that level among those that it asks for, or a rule that asks for no more`},
		"a reward that ends at a tier":      {of(excepting), "r.except.tier: a reward that ends at a tier would come back as purchases are returned: expected in match alone; a rule for the tier goes before this one"},
		"steps that fall, marginal":         {steps(false, reward.Step{Rate: percent(2)}, reward.Step{From: 100, Rate: percent(1)}), ""},
		"steps that fall, whole":            {steps(true, reward.Step{Rate: percent(2)}, reward.Step{From: 100, Rate: percent(1)}), "r.steps[1]: expected a rate above that of the step before it: with whole: true more spend must not earn less"},
		"steps out of order":                {steps(false, reward.Step{}, reward.Step{From: 9}, reward.Step{From: 8}), "r.steps[2]: expected from above 9, that of the step before it: steps ascend"},
		"a bonus that falls":                {bonus(reward.Bonus{ID: "b", Spend: []reward.Goal{{From: 1, Reward: 2}, {From: 2, Reward: 1}}}), "b.spend[1]: expected a reward above 2, that of the step before it: a step's reward is the whole, not an addition"},
		"a bonus out of order":              {bonus(reward.Bonus{ID: "b", Purchases: []reward.Goal{{From: 2, Reward: 1}, {From: 2, Reward: 2}}}), "b.purchases[1]: expected from above 2, that of the step before it: steps ascend"},
		"a bonus that ends at a level":      {bonus(reward.Bonus{ID: "b", Match: reward.Match{Purchase: silver}, Spend: []reward.Goal{{From: 1, Reward: 1}}}), `b: it is for "silver" of the tier "status" and not for "gold" above it: expected that, too, so that nobody earns less for buying more`},
		"levels out of order":               {levels(reward.Level{From: 2, Tier: "a"}, reward.Level{From: 1, Tier: "b"}), "status.spend[1]: expected from above 2, that of the level before it: levels ascend"},
		"a level that comes twice":          {levels(reward.Level{From: 1, Tier: "a"}, reward.Level{From: 2, Tier: "a"}), `status.spend[1]: the level "a" comes twice`},
		"plain terms, of which none can be": {reward.Program{Rules: []reward.Rule{rule("r", 1)}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.p.Monotone()
			var fault *reward.Fault
			if c.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if !errors.As(err, &fault) || err.Error() != c.want {
				t.Errorf("it says\n%v\nwant\n%s", err, c.want)
			}
		})
	}
}
