package program

import (
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
		yamltree.Optional("match", d.readMatch(&x.Match, notInTier)),
		yamltree.Optional("except", d.readMatch(&x.Except, notInTier)),
		yamltree.Optional("minimum", minorUnits(&x.Minimum)),
		yamltree.Optional("unit", yamltree.Between(&x.Unit, "minor units", 1, reward.MaxAmount)),
		yamltree.Required("per", "the period whose spend earns the tier: "+periods, readPeriod(&x.Per)),
		yamltree.Required("spend", "its levels, such as [{from: 500000, tier: silver}]", readLevels(&x.Spend)),
		yamltree.Required("keeps", "what the tier is kept for: this, the rest of the period, or next, all of the next one", func(n yamltree.Node) error {
			keeps = n
			return yamltree.Choice(&x.Next, yamltree.Word("this", false), yamltree.Word("next", true))(n)
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
			switch {
			case err != nil:
				return err
			case i > 0 && l.From <= list[i-1].From:
				return item.Fail("expected from above %d, that of the level before it: levels ascend", list[i-1].From)
			case slices.ContainsFunc(list[:i], func(o reward.Level) bool { return o.Tier == l.Tier }):
				return item.Fail("the level %s comes twice", yamltree.Quote(l.Tier))
			}
		}
		*dst = list
		return nil
	}
}

// What is wrong with asking for a tier where that cannot be.
const (
	notInExcept = "a reward that ends at a tier would come back as purchases are returned: expected in match alone; a rule for the tier goes before this one"
	notInTier   = "a tier follows from spend, not from tiers: expected in match of a rule or a bonus"
)

// readAsked reads the levels that a match asks for, by tier; refused says why it cannot
// here, "" if it can.
func (d *draft) readAsked(refused string) func(*reward.PurchaseMatch, yamltree.Node) error {
	return func(m *reward.PurchaseMatch, n yamltree.Node) error {
		if refused != "" {
			return n.Fail("%s", refused)
		}
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
}

// judgeTiers checks that there is what is asked for, and that nobody earns less for
// buying more.
func (d *draft) judgeTiers() error {
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
	if len(d.asks) == 0 {
		return nil
	}
	for i := range d.p.Layers {
		if err := d.judgeLayer(&d.p.Layers[i]); err != nil {
			return err
		}
	}
	for i := range d.p.Bonuses {
		b := &d.p.Bonuses[i]
		for j := range d.p.Tiers {
			x := &d.p.Tiers[j]
			for l := range x.Spend {
				if l > 0 && allows(&b.Match, x, l) && !allows(&b.Match, x, l+1) {
					return d.ids[b.ID].Fail("it is for %s of the tier %s and not for %s above it: expected that, too, so that nobody earns less for buying more",
						yamltree.Quote(x.Spend[l-1].Tier), yamltree.Quote(x.ID), yamltree.Quote(x.Spend[l].Tier))
				}
			}
		}
	}
	return nil
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
