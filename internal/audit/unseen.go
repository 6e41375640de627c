package audit

import (
	"maps"
	"slices"
	"strings"

	"recoup/reward"
)

// unseenTerms names what the terms of a program go by that no export says: labels of
// purchases, and attributes of accounts but for when they opened.
func unseenTerms(p *reward.Program) string {
	words := map[string]bool{}
	look := func(m *reward.Match) {
		if m.Purchase == nil {
			return
		}
		for name := range m.Purchase.Labels {
			words["the label "+name] = true
		}
		for name := range m.Purchase.Account {
			words["the account's "+name] = true
		}
		if w := m.Purchase.Within; w != nil && w.Of != "opened" {
			words["when the account's "+w.Of+" was set"] = true
		}
	}
	for ; p != nil; p = p.Earlier {
		for _, l := range p.Layers {
			for i := range l.Rules {
				look(&l.Rules[i].Match)
				look(&l.Rules[i].Except)
			}
		}
		for i := range p.Bonuses {
			look(&p.Bonuses[i].Match)
			look(&p.Bonuses[i].Except)
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(words)), ", ")
}
