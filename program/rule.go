package program

import (
	"recoup/internal/kit/yamltree"
	"recoup/reward"
)

// readRules reads the rules in order. There may be none: such a program rewards
// nothing.
func readRules(dst *[]reward.Rule) yamltree.Reader {
	return func(n yamltree.Node) error {
		items, err := n.ListOf("rules", MaxRules)
		if err != nil || len(items) == 0 {
			return err
		}
		rules := make([]reward.Rule, len(items))
		first := make(map[string]yamltree.Node, len(items))
		for i, item := range items {
			if err := readRule(item, &rules[i]); err != nil {
				return err
			}
			id := rules[i].ID
			if other, ok := first[id]; ok {
				return item.Fail("the id %s is that of %s (line %d) too", yamltree.Quote(id), other.Path(), other.Line())
			}
			first[id] = item
			if i > 0 && always(&rules[i-1].Match) {
				return item.Fail("can never apply, because the rule before it, %s (line %d), matches every purchase",
					yamltree.Quote(rules[i-1].ID), items[i-1].Line())
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

func readRule(n yamltree.Node, rule *reward.Rule) error {
	rule.Cap = reward.NoCap
	return n.Mapping(
		yamltree.Required("id", "the rule's id", yamltree.Text(&rule.ID, "text")),
		yamltree.Optional("match", readMatch(&rule.Match)),
		yamltree.Required("rate", "a percentage such as 5% or 4.75%", readRate(&rule.Rate)),
		yamltree.Optional("cap", readCap(&rule.Cap)),
	)
}

func readRate(dst *reward.Rate) yamltree.Reader {
	return func(n yamltree.Node) error {
		const want = "a percentage from 0% to 100% with at most six decimals, such as 5% or 4.75%"
		text, err := n.Scalar(want)
		if err != nil {
			return err
		}
		rate, err := reward.ParseRate(text)
		if err != nil {
			return n.Expected(want)
		}
		*dst = rate
		return nil
	}
}

func readCap(dst *int64) yamltree.Reader {
	return func(n yamltree.Node) error {
		return n.Mapping(
			yamltree.Required("reward", "the most that the rule rewards, in minor units: a cap without amount is none", minorUnits(dst)),
			yamltree.Required("per", "cycle", only("cycle", "the only period that caps are counted in")),
		)
	}
}

func readMatch(m *reward.Match) yamltree.Reader {
	return func(n yamltree.Node) error {
		return n.Mapping(
			yamltree.Optional("category", func(n yamltree.Node) (err error) {
				m.Categories, err = texts(n)
				return err
			}),
			yamltree.Optional("mcc", func(n yamltree.Node) (err error) {
				m.MCCs, err = readMCCs(n)
				return err
			}),
			yamltree.Optional("merchant", func(n yamltree.Node) error {
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
func texts(n yamltree.Node) ([]string, error) {
	items, err := n.List()
	if err != nil {
		return nil, err
	}
	list := make([]string, len(items))
	for i, item := range items {
		if list[i], err = item.Text("text"); err != nil {
			return nil, err
		}
	}
	return list, nil
}
