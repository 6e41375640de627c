package reward_test

import (
	"math"
	"slices"
	"time"

	"recoup/reward"
)

// judgeTiers says at which tier purchases are, by those that are there.
type judgeTiers struct {
	zone         *time.Location
	statementDay int
	there        []*judgePurchase
}

// suit reports whether a purchase is at the tiers that a match names.
func (x judgeTiers) suit(p *judgePurchase, m *reward.Match) bool {
	if m.Purchase == nil {
		return true
	}
	for id, names := range m.Purchase.Tiers {
		if !slices.Contains(names, x.level(p, id)) {
			return false
		}
	}
	return true
}

// level is a purchase's level of a tier, "" for none.
func (x judgeTiers) level(p *judgePurchase, id string) string {
	own := tierOf(p.terms, id)
	if own == nil {
		return ""
	}
	day := judgeDay(x.zone, p.settled)
	period := periodOfDay(x.statementDay, own.Per, day)
	if !own.Next {
		return levelAt(own, x.spend(id, period, p.order))
	}
	for before := day; ; {
		before = before.AddDate(0, 0, -1)
		if earlier := periodOfDay(x.statementDay, own.Per, before); earlier != period {
			period = earlier
			break
		}
	}
	for _, y := range x.there {
		if z := qualifies(y, id); z != nil && judgePeriod(x.zone, x.statementDay, z.Per, y.settled) == period {
			return levelAt(z, x.spend(id, period, math.MaxInt))
		}
	}
	return ""
}

// spend is S of a period, of what posted before a place in the order.
func (x judgeTiers) spend(id, period string, before int) (sum int64) {
	for _, y := range x.there {
		if z := qualifies(y, id); z != nil && y.order < before && judgePeriod(x.zone, x.statementDay, z.Per, y.settled) == period {
			sum += counting(&z.Earning, y.left())
		}
	}
	return sum
}

func qualifies(p *judgePurchase, id string) *reward.Tier {
	at := slices.IndexFunc(p.tiers, func(z *reward.Tier) bool { return z.ID == id })
	if at < 0 {
		return nil
	}
	return p.tiers[at]
}

func tierOf(terms *reward.Program, id string) *reward.Tier {
	for i := range terms.Tiers {
		if terms.Tiers[i].ID == id {
			return &terms.Tiers[i]
		}
	}
	return nil
}

func levelAt(z *reward.Tier, spend int64) (name string) {
	for _, l := range z.Spend {
		if spend >= l.From {
			name = l.Tier
		}
	}
	return name
}
