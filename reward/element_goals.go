package reward

// goals is a bonus of the highest step that spend, or the number of purchases,
// reaches: its reward is the whole at that step.
type goals struct {
	onlyABonus
	list    []Goal
	measure func(tally) int64
	prefer  preference
}

func goalsOfSpend(b *Bonus) element {
	if len(b.Spend) == 0 {
		return nil
	}
	return goals{list: b.Spend, measure: func(s tally) int64 { return s.spend }}
}

func goalsOfPurchases(b *Bonus) element {
	if len(b.Purchases) == 0 {
		return nil
	}
	return goals{list: b.Purchases, measure: func(s tally) int64 { return s.count }, prefer: leastSpend}
}

func (g goals) prefers() preference { return g.prefer }

func (g goals) worth(all tally) (reward int64) {
	for _, goal := range g.list {
		if g.measure(all) >= goal.From {
			reward = goal.Reward
		}
	}
	return reward
}

func (g goals) promised(all *exactly) uint128 { return whole(g.worth(all.tally), all.scale) }
func (g goals) binds(all *exactly) bool       { return g.worth(all.tally) > 0 }
