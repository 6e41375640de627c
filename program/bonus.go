package program

import (
	"recoup/internal/kit/yamltree"
	"recoup/reward"
)

// readBonuses reads the rewards of a period that are of no single purchase.
func (d *draft) readBonuses(n yamltree.Node) error {
	d.isLayered = true
	items, err := n.ListOf("bonuses", MaxRules)
	if err != nil || len(items) == 0 {
		return err
	}
	d.needs = append(d.needs, need{n, "bonuses"})
	d.p.Bonuses = make([]reward.Bonus, len(items))
	for i, item := range items {
		b := &d.p.Bonuses[i]
		if err := d.readBonus(item, b); err != nil {
			return err
		}
		if err := d.take(item, b.ID); err != nil {
			return err
		}
	}
	return nil
}

func (d *draft) readBonus(n yamltree.Node, b *reward.Bonus) error {
	var ways []yamltree.Node
	way := func(read yamltree.Reader) yamltree.Reader {
		return func(n yamltree.Node) error {
			ways = append(ways, n)
			return read(n)
		}
	}
	err := n.Mapping(
		yamltree.Required("id", "the bonus's id", yamltree.Text(&b.ID, "text")),
		yamltree.Optional("match", d.readMatch(&b.Match)),
		yamltree.Optional("except", d.readMatch(&b.Except)),
		yamltree.Optional("minimum", minorUnits(&b.Minimum)),
		yamltree.Optional("unit", yamltree.Between(&b.Unit, "minor units", 1, reward.MaxAmount)),
		yamltree.Required("per", "the period of the bonus: "+periods, readPeriod(&b.Per)),
		yamltree.Optional("spend", way(readGoals(&b.Spend, "minor units", reward.MaxAmount))),
		yamltree.Optional("purchases", way(readGoals(&b.Purchases, "purchases", MaxTimes))),
		yamltree.Optional("every", way(func(n yamltree.Node) error {
			return n.Mapping(
				yamltree.Optional("spend", yamltree.Between(&b.Every.Spend, "minor units", 1, reward.MaxAmount)),
				yamltree.Optional("purchases", yamltree.Between(&b.Every.Purchases, "purchases", 1, int64(MaxTimes))),
				yamltree.Required("reward", "what it pays each time, in minor units", yamltree.Between(&b.Every.Reward, "minor units", 1, reward.MaxAmount)),
				yamltree.Optional("at_most", yamltree.Between(&b.Every.AtMost, "times", 1, int64(MaxTimes))),
			)
		})),
	)
	switch {
	case err != nil:
		return err
	case len(ways) == 0:
		return n.Fail("expected what the bonus is for: spend, purchases or every")
	case len(ways) > 1:
		return ways[1].Fail("a bonus is for one of spend, purchases and every; make another bonus of this")
	case b.Every.Reward > 0 && (b.Every.Spend > 0) == (b.Every.Purchases > 0):
		return ways[0].Fail("expected one of spend and purchases: what it pays for each time")
	case b.Every.Spend > 0 && b.Every.Reward > reward.MostPerUnit*b.Every.Spend:
		return ways[0].Fail("expected a reward of at most %d minor units for each of spend", reward.MostPerUnit)
	}
	return nil
}

// readGoals reads steps, of which the highest that is reached pays.
func readGoals(dst *[]reward.Goal, units string, most int64) yamltree.Reader {
	return func(n yamltree.Node) error {
		items, err := n.ListOf("steps", MaxSteps)
		if err != nil {
			return err
		}
		if len(items) == 0 {
			return n.Fail("expected at least one step, such as {from: 50000, reward: 20000}")
		}
		list := make([]reward.Goal, len(items))
		for i, item := range items {
			g := &list[i]
			err := item.Mapping(
				yamltree.Required("from", "what must be reached", yamltree.Between(&g.From, units, 1, most)),
				yamltree.Required("reward", "the whole reward at that step, in minor units", yamltree.Between(&g.Reward, "minor units", 1, reward.MaxAmount)),
			)
			if err != nil {
				return err
			}
		}
		*dst = list
		return nil
	}
}
