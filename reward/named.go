package reward

import "slices"

// What terms name of an account's texts, which stays legible when the account is
// forgotten: what is earned depends on it.

// NamesMerchant reports whether any version up to this one names a merchant.
func (p *Program) NamesMerchant(merchant string) bool {
	return p.names(func(m *Match) bool { return m.Merchants[merchant] })
}

// NamesLabel reports whether any version up to this one names a value of a label.
func (p *Program) NamesLabel(value string) bool {
	return p.names(func(m *Match) bool { return m.Purchase != nil && namesValue(m.Purchase.Labels, value) })
}

// NamesAttribute reports whether any version up to this one names a value of an
// attribute.
func (p *Program) NamesAttribute(value string) bool {
	return p.names(func(m *Match) bool { return m.Purchase != nil && namesValue(m.Purchase.Account, value) })
}

func namesValue(asked map[string][]string, value string) bool {
	for _, values := range asked {
		if slices.Contains(values, value) {
			return true
		}
	}
	return false
}

// names reports whether something holds of a match of any version up to this one.
func (p *Program) names(holds func(*Match) bool) bool {
	ofRules := func(rules []Rule) bool {
		return slices.ContainsFunc(rules, func(r Rule) bool { return holds(&r.Match) || holds(&r.Except) })
	}
	for ; p != nil; p = p.Earlier {
		if ofRules(p.Rules) ||
			slices.ContainsFunc(p.Layers, func(l Layer) bool { return ofRules(l.Rules) }) ||
			slices.ContainsFunc(p.Bonuses, func(b Bonus) bool { return holds(&b.Match) || holds(&b.Except) }) {
			return true
		}
	}
	return false
}
