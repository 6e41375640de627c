package program

import (
	"errors"
	"slices"
	"strings"

	"recoup/internal/kit/yamltree"
	"recoup/reward"
)

// Limits on tiers.
const (
	MaxTiers     = 16
	MaxLevels    = 16
	MaxTierRules = 100 // of a layer of which a rule asks for a tier
)

// tierAsk is a tier that a match asks for, and the nodes of its levels.
type tierAsk struct {
	node   yamltree.Node
	id     string
	levels []yamltree.Node
}

// readTiers reads what spend earns as a status.
func (d *draft) readTiers(n yamltree.Node) error {
	d.isLayered = true
	items, err := n.ListOf("tiers", MaxTiers)
	if err != nil || len(items) == 0 {
		return err
	}
	d.needs = append(d.needs, need{n, "tiers"})
	d.p.Tiers = make([]reward.Tier, len(items))
	for i, item := range items {
		x := &d.p.Tiers[i]
		if err := d.readTier(item, x); err != nil {
			return err
		}
		if err := d.take(item, x.ID); err != nil {
			return err
		}
	}
	return nil
}

func (d *draft) readTier(n yamltree.Node, x *reward.Tier) error {
	var keeps yamltree.Node
	err := n.Mapping(
		yamltree.Required("id", "the tier's id", yamltree.Text(&x.ID, "text")),
		yamltree.Optional("match", d.readMatch(&x.Match)),
		yamltree.Optional("except", d.readMatch(&x.Except)),
		yamltree.Optional("minimum", minorUnits(&x.Minimum)),
		yamltree.Optional("unit", yamltree.Between(&x.Unit, "minor units", 1, reward.MaxAmount)),
		yamltree.Required("per", "the period whose spend earns the tier: "+periods, readPeriod(&x.Per)),
		yamltree.Required("spend", "its levels, such as [{from: 500000, tier: silver}]", readLevels(&x.Spend)),
		yamltree.Required("keeps", "what the tier is kept for: this, the rest of the period, or next, all of the next one", func(n yamltree.Node) error {
			keeps = n
			return yamltree.Either(&x.Next, "this", "next")(n)
		}),
	)
	if err == nil && x.Next && x.Per == reward.PerLifetime {
		err = keeps.Fail("no period comes after a lifetime: expected this, or another period, such as per: year")
	}
	return err
}

func readLevels(dst *[]reward.Level) yamltree.Reader {
	return func(n yamltree.Node) error {
		items, err := n.ListOf("levels", MaxLevels)
		if err != nil {
			return err
		}
		if len(items) == 0 {
			return n.Fail("expected at least one level, such as {from: 500000, tier: silver}")
		}
		list := make([]reward.Level, len(items))
		for i, item := range items {
			l := &list[i]
			err := item.Mapping(
				yamltree.Required("from", "the spend that reaches the level, in minor units", yamltree.Between(&l.From, "minor units", 1, reward.MaxAmount)),
				yamltree.Required("tier", "the level's name, such as silver", yamltree.Text(&l.Tier, "text")),
			)
			if err != nil {
				return err
			}
		}
		*dst = list
		return nil
	}
}

// readAsked reads the levels that a match asks for, by tier.
func (d *draft) readAsked(m *reward.PurchaseMatch, n yamltree.Node) error {
	entries, err := n.Entries()
	if err != nil {
		return err
	}
	if len(entries) == 0 {
		return n.Expected("the levels by tier, such as {status: [silver, gold]}")
	}
	m.Tiers = make(map[string][]string, len(entries))
	for _, e := range entries {
		items, err := e.ListOf("levels", MaxLevels)
		if err != nil {
			return err
		}
		if len(items) == 0 {
			return e.Expected("at least one level")
		}
		if m.Tiers[e.Name], err = texts(e.Node); err != nil {
			return err
		}
		d.asks = append(d.asks, tierAsk{e.Node, e.Name, items})
	}
	return nil
}

// judge checks that there are the tiers that are asked for, and that nobody earns less for
// buying more.
func (d *draft) judge() error {
	for _, ask := range d.asks {
		x := d.tier(ask.id)
		if x == nil {
			return ask.node.Fail("there is no tier %s; expected %s", yamltree.Quote(ask.id), d.tierNames())
		}
		for _, n := range ask.levels {
			level, err := n.Text("text")
			if err != nil {
				return err
			}
			if levelOf(x, level) == 0 {
				return n.Expected("a level of the tier " + yamltree.Quote(x.ID) + ": " + strings.Join(levelNames(x), ", "))
			}
		}
	}
	for i := range d.p.Layers {
		rules := d.p.Layers[i].Rules
		if len(rules) > MaxTierRules && slices.ContainsFunc(rules, func(r reward.Rule) bool { return r.Match.Purchase != nil && r.Match.Purchase.Tiers != nil }) {
			return d.ids[rules[MaxTierRules].ID].Fail("expected at most %d rules in a layer of which one asks for a tier, not %d", MaxTierRules, len(rules))
		}
	}
	err := d.p.Monotone()
	var fault *reward.Fault
	if !errors.As(err, &fault) {
		return err
	}
	n := d.ids[fault.ID]
	if fault.Member != "" {
		n = n.Find(fault.Member)
	}
	return n.Fail("%s", fault.Message)
}

func (d *draft) tier(id string) *reward.Tier {
	i := slices.IndexFunc(d.p.Tiers, func(x reward.Tier) bool { return x.ID == id })
	if i < 0 {
		return nil
	}
	return &d.p.Tiers[i]
}

func (d *draft) tierNames() string {
	if len(d.p.Tiers) == 0 {
		return "tiers: to say it"
	}
	return "one of " + strings.Join(each(d.p.Tiers, func(x reward.Tier) string { return x.ID }), ", ")
}

func levelNames(x *reward.Tier) []string {
	return each(x.Spend, func(l reward.Level) string { return l.Tier })
}

// levelOf counts levels from one; zero is below the first.
func levelOf(x *reward.Tier, name string) int { return slices.Index(levelNames(x), name) + 1 }
