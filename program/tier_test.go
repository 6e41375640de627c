package program_test

import (
	"reflect"
	"strings"
	"testing"

	"recoup/program"
)

const tiersHead = "id: p\ncurrency: USD\nclawback_method: rerate\n" // three lines

const status = "tiers: [{id: status, per: year, spend: [{from: 5, tier: silver}, {from: 9, tier: gold}], keeps: this}]\n" // the fourth

// Each file is refused with exactly this message.
func TestRefusalsOfTiers(t *testing.T) {
	tier := func(x string) string { return tiersHead + "tiers:\n  - {id: t, " + x + "}\nrules: []\n" }
	rules := func(list ...string) string {
		return tiersHead + status + "rules:\n  - {" + strings.Join(list, "}\n  - {") + "}\n"
	}
	const gold, silver = "id: g, match: {tier: {status: [gold]}}, rate: 3%", "id: s, match: {tier: {status: [silver]}}, rate: 2%"
	for _, c := range []struct{ name, file, want string }{
		{"proportional", "id: p\ncurrency: USD\n" + status + "rules: []\n", `:3: tiers: tiers needs clawback_method: rerate: the proportional share of an original reward would leave what the terms do not promise on the purchases that are kept`},
		{"no keeps", tier("per: year, spend: [{from: 1, tier: a}]"), `:5: tiers[0].keeps: missing; expected what the tier is kept for: this, the rest of the period, or next, all of the next one`},
		{"other keeps", tier("per: year, spend: [{from: 1, tier: a}], keeps: always"), `:5: tiers[0].keeps: expected this or next, not "always"`},
		{"after a lifetime", tier("per: lifetime, spend: [{from: 1, tier: a}], keeps: next"), `:5: tiers[0].keeps: no period comes after a lifetime: expected this, or another period, such as per: year`},
		{"no level", tier("per: year, spend: [], keeps: this"), `:5: tiers[0].spend: expected at least one level, such as {from: 500000, tier: silver}`},
		{"levels that do not ascend", tier("per: year, spend: [{from: 5, tier: a}, {from: 5, tier: b}], keeps: this"), `:5: tiers[0].spend[1]: expected from above 5, that of the level before it: levels ascend`},
		{"a level twice", tier("per: year, spend: [{from: 5, tier: a}, {from: 6, tier: a}], keeps: this"), `:5: tiers[0].spend[1]: the level "a" comes twice`},
		{"too many tiers", tiersHead + "tiers: [" + strings.Repeat("{},", 17) + "]\n", `:4: tiers: expected at most 16 tiers, not 17`},
		{"a tier by a tier", tier("per: year, match: {tier: {t: [a]}}, spend: [{from: 5, tier: a}], keeps: this"), `:5: tiers[0].match.tier: a tier follows from spend, not from tiers: expected in match of a rule or a bonus`},
		{"id of a rule", tiersHead + status + "rules: [{id: status, rate: 1%}]\n", `:5: rules[0]: the id "status" is that of tiers[0] (line 4) too`},
		{"except", rules("id: a, rate: 1%, except: {tier: {status: [gold]}}"), `:6: rules[0].except.tier: a reward that ends at a tier would come back as purchases are returned: expected in match alone; a rule for the tier goes before this one`},
		{"unknown tier", rules("id: a, rate: 1%, match: {tier: {plan: [gold]}}"), `:6: rules[0].match.tier.plan: there is no tier "plan"; expected one of status`},
		{"unknown level", rules("id: a, rate: 1%, match: {tier: {status: [gold, bronze]}}"), `:6: rules[0].match.tier.status[1]: expected a level of the tier "status": silver, gold, not "bronze"`},
		{"no tier at all", tiersHead + "rules:\n  - {id: a, rate: 1%, match: {tier: {status: [gold]}}}\n", `:5: rules[0].match.tier.status: there is no tier "status"; expected tiers: to say it`},
		{"a rate that falls", rules(gold, silver, "id: a, rate: 2.5%"), `:7: rules[1]: a purchase may come here at "silver" from the rule "a", of which the rate is 2.5%: rates must not fall with the tier; expected at least that`},
		{"a rule that ends", rules(silver), `:6: rules[0]: a purchase of it may have no rule at "gold" of the tier "status": rewards must not fall with the tier; expected that level among those that it asks for, or a rule that asks for no more`},
		{"back to the base", rules(silver, "id: a, rate: 1%"), `:7: rules[1]: a purchase may come here at "gold" from the rule "s", of which the rate is 2%: rates must not fall with the tier; expected at least that`},
		{"another's category", rules("id: g, match: {category: [GAS], tier: {status: [gold]}}, rate: 3%", "id: b, match: {category: [GAS, HOME]}, rate: 4%"), `:6: rules[0]: a purchase may come here at "gold" from the rule "b", of which the rate is 4%: rates must not fall with the tier; expected at least that`},
		{"a minimum", rules("id: g, match: {tier: {status: [silver, gold]}}, rate: 3%, minimum: 5", "id: a, rate: 1%"), `:6: rules[0]: a purchase may come here at "silver" from the rule "a": expected the same minimum, unit and at_most`},
		{"a cap of its own", rules("id: g, match: {tier: {status: [silver, gold]}}, rate: 3%, cap: {reward: 5, per: year}", "id: a, rate: 1%"), `:6: rules[0]: a purchase may come here at "silver" from the rule "a": expected no limit of either, or a cap that they share: cap: {reward: …, per: …, shared: …}`},
		{"a bonus that ends", tiersHead + status + "bonuses:\n  - {id: b, match: {tier: {status: [silver]}}, per: year, every: {spend: 5, reward: 1}}\n", `:6: bonuses[0]: it is for "silver" of the tier "status" and not for "gold" above it: expected that, too, so that nobody earns less for buying more`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := program.Parse("program.yaml", []byte(c.file))
			if err == nil || err.Error() != "program.yaml"+c.want {
				t.Errorf("\ngot  %v\nwant program.yaml%s", err, c.want)
			}
		})
	}
}

// Programs that nobody can lose by: each is accepted, and written and read again.
func TestTiersAreWrittenAndReadAgain(t *testing.T) {
	for _, rules := range []string{
		"rules: [{id: g, match: {tier: {status: [gold]}}, rate: 3%}, {id: s, match: {tier: {status: [silver]}}, rate: 2%}, {id: a, rate: 1%}]\n",
		"rules: [{id: g, match: {tier: {status: [gold]}}, rate: 3%, cap: {reward: 5, per: year, shared: x}}, {id: a, rate: 1%, cap: {reward: 5, per: year, shared: x}}]\n",
		// What is of one category is of no other.
		"rules: [{id: g, match: {category: [GAS], tier: {status: [gold]}}, rate: 3%}, {id: h, match: {category: [HOME]}, rate: 9%}, {id: a, rate: 1%}]\n",
		// Below it there is nothing, so it may have a limit of its own.
		"layers: [{id: l, rules: [{id: g, match: {tier: {status: [silver, gold]}}, rate: 3%, cap: {purchases: 5, per: year}}]}]\n",
		"bonuses: [{id: b, match: {tier: {status: [gold]}}, per: year, every: {spend: 5, reward: 1}}]\nrules: []\n",
	} {
		p := parse(t, tiersHead+"tiers:\n  - {id: status, match: {category: [GAS]}, except: {merchant: [m]}, minimum: 3, unit: 2, per: quarter, spend: [{from: 5, tier: silver}, {from: 9, tier: gold}], keeps: next}\n"+rules)
		written := program.Write(p)
		read, err := program.Parse("written.yaml", written)
		if err != nil {
			t.Fatalf("%v\n%s", err, written)
		}
		read.Categories, p.Categories = nil, nil
		if !reflect.DeepEqual(read, p) {
			t.Errorf("read %+v\nwant %+v\n%s", read, p, written)
		}
	}
}
