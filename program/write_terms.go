package program

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"recoup/reward"
)

// writeTerms writes what only a program has that is not plain.
func writeTerms(line func(string, ...any), p *reward.Program) {
	if p.Zone != nil {
		line("zone: %s", quoted(p.Zone.String()))
	}
	if p.StatementDay != 0 {
		line("cycle: {day: %d}", p.StatementDay)
	}
	if p.Reward.Name != "" {
		line("reward: {unit: %s, decimals: %d}", p.Reward.Name, p.Reward.Decimals)
	}
	line("layers:")
	for i := range p.Layers {
		line("  - id: %s", quoted(p.Layers[i].ID))
		writeRules(line, "    ", "rules", p.Layers[i].Rules)
	}
	if len(p.Bonuses) > 0 {
		line("bonuses:")
		for i := range p.Bonuses {
			line("  - {%s}", strings.Join(bonusMembers(&p.Bonuses[i]), ", "))
		}
	}
	if len(p.Tiers) > 0 {
		line("tiers:")
		for i := range p.Tiers {
			line("  - {%s}", strings.Join(tierMembers(&p.Tiers[i]), ", "))
		}
	}
}

func tierMembers(x *reward.Tier) []string {
	members := append([]string{"id: " + quoted(x.ID)}, matchMembers(&x.Match, &x.Except)...)
	members = append(members, countMembers(&x.Earning)...)
	levels := each(x.Spend, func(l reward.Level) string { return fmt.Sprintf("{from: %d, tier: %s}", l.From, quoted(l.Tier)) })
	keeps := "this"
	if x.Next {
		keeps = "next"
	}
	return append(members, "per: "+x.Per.String(), "spend: ["+strings.Join(levels, ", ")+"]", "keeps: "+keeps)
}

func bonusMembers(b *reward.Bonus) []string {
	members := append([]string{"id: " + quoted(b.ID)}, matchMembers(&b.Match, &b.Except)...)
	members = append(append(members, countMembers(&b.Earning)...), "per: "+b.Per.String())
	goals := func(list []reward.Goal) string {
		return "[" + strings.Join(each(list, func(g reward.Goal) string { return fmt.Sprintf("{from: %d, reward: %d}", g.From, g.Reward) }), ", ") + "]"
	}
	switch e := b.Every; {
	case len(b.Spend) > 0:
		return append(members, "spend: "+goals(b.Spend))
	case len(b.Purchases) > 0:
		return append(members, "purchases: "+goals(b.Purchases))
	default:
		return append(members, "every: {"+everyText(e)+"}")
	}
}

func everyText(e reward.Every) string {
	text := fmt.Sprintf("spend: %d", e.Spend)
	if e.Purchases > 0 {
		text = fmt.Sprintf("purchases: %d", e.Purchases)
	}
	text += fmt.Sprintf(", reward: %d", e.Reward)
	if e.AtMost > 0 {
		text += fmt.Sprintf(", at_most: %d", e.AtMost)
	}
	return text
}

// countMembers are what a rule or a bonus says of how it counts one purchase.
func countMembers(e *reward.Earning) (members []string) {
	for _, m := range [...]struct {
		name string
		n    int64
	}{{"minimum", e.Minimum}, {"unit", e.Unit}, {"at_most", e.AtMost}} {
		if m.n != 0 {
			members = append(members, fmt.Sprintf("%s: %d", m.name, m.n))
		}
	}
	return members
}

func rateOf(r reward.Rate, exact reward.Fraction) string {
	if exact.Den != 0 {
		return exact.String()
	}
	return r.String()
}

func stepText(s reward.Step) string {
	rate := "rate: " + rateOf(s.Rate, s.Exact)
	if s.From == 0 {
		return "{" + rate + "}"
	}
	return fmt.Sprintf("{from: %d, %s}", s.From, rate)
}

func matchMembers(match, except *reward.Match) (members []string) {
	if asked := asks(match); asked != nil {
		members = append(members, "match: {"+strings.Join(asked, ", ")+"}")
	}
	if asked := asks(except); asked != nil {
		members = append(members, "except: {"+strings.Join(asked, ", ")+"}")
	}
	return members
}

// asks are the members of a match.
func asks(m *reward.Match) (asked []string) {
	list := func(key string, values []string) {
		asked = append(asked, key+": ["+strings.Join(values, ", ")+"]")
	}
	if m.Categories != nil {
		list("category", each(m.Categories, quoted))
	}
	if m.MCCs != nil {
		list("mcc", each(m.MCCs, func(m reward.MCCRange) string {
			if m.First == m.Last {
				return quoted(m.First.String())
			}
			return quoted(m.First.String() + "-" + m.Last.String())
		}))
	}
	if m.Merchants != nil {
		list("merchant", each(slices.Sorted(maps.Keys(m.Merchants)), quoted))
	}
	x := m.Purchase
	if x == nil {
		return asked
	}
	byName := func(key string, values map[string][]string) {
		var pairs []string
		for _, name := range slices.Sorted(maps.Keys(values)) {
			pairs = append(pairs, quoted(name)+": ["+strings.Join(each(values[name], quoted), ", ")+"]")
		}
		asked = append(asked, key+": {"+strings.Join(pairs, ", ")+"}")
	}
	if x.Labels != nil {
		byName("label", x.Labels)
	}
	if x.Account != nil {
		byName("account", x.Account)
	}
	if x.Weekdays != nil {
		list("weekday", each(x.Weekdays, func(d time.Weekday) string { return weekdayNames[d] }))
	}
	if x.From != nil {
		asked = append(asked, "from: "+x.From.String())
	}
	if x.Until != nil {
		asked = append(asked, "until: "+x.Until.String())
	}
	if x.Within != nil {
		asked = append(asked, fmt.Sprintf("within: {days: %d, of: %s}", x.Within.Days, quoted(x.Within.Of)))
	}
	if x.Tiers != nil {
		byName("tier", x.Tiers)
	}
	return asked
}
