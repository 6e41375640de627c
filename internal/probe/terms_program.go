package probe

import (
	"recoup/program"
	"recoup/reward"
)

// program writes the offers down as rules. What no rule names is bought in no
// category.
func (f *finder) program(offers []offer) *reward.Program {
	p, err := program.Parse("terms", []byte("id: observed\ncurrency: "+f.currency+"\nrules: []\n"))
	if err != nil {
		panic(err) // but for the currency, which the finder's maker checks, it is a constant
	}
	none := -1
	for i := range offers {
		if offers[i].at.Category == "" && offers[i].at.MCC == "" {
			none = offers[i].group
		}
	}
	byCode := codeMatters(offers)
	rules, first := map[int]*reward.Rule{}, map[int]int{}
	var order []int
	for i := range offers {
		o := &offers[i]
		if o.group == none || o.at.Category == "" && (o.at.MCC == "" || !byCode[o.at.MCC]) {
			continue
		}
		key := 2 * o.group
		if o.at.MCC != "" {
			key++ // a rule matches by categories or by codes
		}
		r := rules[key]
		if r == nil {
			r = o.rule(f.label(o.at))
			rules[key], first[key] = r, i
			order = append(order, key)
		}
		if o.at.Category != "" {
			r.Match.Categories = append(r.Match.Categories, o.at.Category)
		} else {
			code, _ := reward.ParseMCC(o.at.MCC)
			r.Match.MCCs = append(r.Match.MCCs, reward.MCCRange{First: code, Last: code})
		}
	}
	for _, key := range order {
		p.Rules = append(p.Rules, byTier(rules[key], offers[first[key]].tiers)...)
	}
	for i := range offers {
		if o := &offers[i]; o.group == none && o.at.Category == "" && o.at.MCC == "" && o.rate > 0 {
			p.Rules = append(p.Rules, byTier(o.rule("base"), o.tiers)...)
		}
	}
	if f.ladder != nil {
		p.Tiers = []reward.Tier{f.ladder.tier()}
	}
	return p
}

// rule is the offer as a rule, of all purchases.
func (o *offer) rule(id string) *reward.Rule {
	r := &reward.Rule{ID: id, Rate: o.rate, Cap: o.cap}
	if len(o.steps) > 0 {
		r.Rate, r.Steps, r.Whole = 0, o.steps, o.whole
	}
	return r
}

// codeMatters says which codes do not earn what their built-in categories do.
func codeMatters(offers []offer) map[string]bool {
	builtIn := program.Everyday().Categories
	group := map[string]int{}
	for i := range offers {
		if o := &offers[i]; o.at.MCC == "" {
			group[o.at.Category] = o.group
		}
	}
	matters := map[string]bool{}
	for i := range offers {
		if o := &offers[i]; o.at.MCC != "" {
			code, _ := reward.ParseMCC(o.at.MCC)
			matters[o.at.MCC] = group[builtIn(code)] != o.group
		}
	}
	return matters
}
