package program

import (
	"go.yaml.in/yaml/v3"

	"recoup/reward"
)

// readRules reads the rules in order. There may be none: such a program rewards
// nothing.
func readRules(dst *[]reward.Rule) func(node) error {
	return func(n node) error {
		if err := n.require(yaml.SequenceNode, "a list of rules"); err != nil {
			return err
		}
		if len(n.yaml.Content) == 0 {
			return nil
		}
		if len(n.yaml.Content) > MaxRules {
			return n.fail("expected at most %d rules, not %d", MaxRules, len(n.yaml.Content))
		}
		items, err := n.items()
		if err != nil {
			return err
		}
		rules := make([]reward.Rule, len(items))
		first := make(map[string]node, len(items))
		for i, item := range items {
			if err := readRule(item, &rules[i]); err != nil {
				return err
			}
			id := rules[i].ID
			if other, ok := first[id]; ok {
				return item.fail("the id %s is that of %s (line %d) too", quote(id), other.path, other.yaml.Line)
			}
			first[id] = item
			if i > 0 && always(&rules[i-1].Match) {
				return item.fail("can never apply, because the rule before it, %s (line %d), matches every purchase",
					quote(rules[i-1].ID), items[i-1].yaml.Line)
			}
		}
		*dst = rules
		return nil
	}
}

// always reports whether the match holds for every purchase.
func always(m *reward.Match) bool {
	return m.Categories == nil && m.MCCs == nil && m.Merchants == nil
}

func readRule(n node, rule *reward.Rule) error {
	rule.Cap = reward.NoCap
	return n.mapping(
		required("id", "the rule's id", text(&rule.ID)),
		optional("match", readMatch(&rule.Match)),
		required("rate", "a percentage such as 5% or 4.75%", readRate(&rule.Rate)),
		optional("cap", readCap(&rule.Cap)),
	)
}

func readRate(dst *reward.Rate) func(node) error {
	return func(n node) error {
		const want = "a percentage from 0% to 100% with at most six decimals, such as 5% or 4.75%"
		if err := n.require(yaml.ScalarNode, want); err != nil {
			return err
		}
		rate, err := reward.ParseRate(n.yaml.Value)
		if err != nil {
			return n.expected(want)
		}
		*dst = rate
		return nil
	}
}

func readCap(dst *int64) func(node) error {
	return func(n node) error {
		return n.mapping(
			required("reward", "the most that the rule rewards, in minor units: a cap without amount is none", minorUnits(dst)),
			required("per", "cycle", only("cycle", "the only period that caps are counted in")),
		)
	}
}

func readMatch(m *reward.Match) func(node) error {
	return func(n node) error {
		return n.mapping(
			optional("category", func(n node) (err error) {
				m.Categories, err = texts(n)
				return err
			}),
			optional("mcc", func(n node) (err error) {
				m.MCCs, err = readMCCs(n)
				return err
			}),
			optional("merchant", func(n node) error {
				merchants, err := texts(n)
				if err != nil {
					return err
				}
				m.Merchants = make(map[string]bool, len(merchants))
				for _, merchant := range merchants {
					m.Merchants[merchant] = true
				}
				return nil
			}),
		)
	}
}

// texts returns a list of texts.
func texts(n node) ([]string, error) {
	items, err := n.items()
	if err != nil {
		return nil, err
	}
	list := make([]string, len(items))
	for i, item := range items {
		if list[i], err = item.text(); err != nil {
			return nil, err
		}
	}
	return list, nil
}
