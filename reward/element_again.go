package reward

import "math"

// again is a bonus for each time that so many purchases are made:
// R · min(at_most, ⌊N / purchases⌋).
type again struct {
	onlyABonus
	Every
}

func everyPurchases(b *Bonus) element {
	if b.Every.Purchases == 0 {
		return nil
	}
	e := again{Every: b.Every}
	if e.AtMost == 0 {
		e.AtMost = math.MaxInt64
	}
	return e
}

func (again) prefers() preference { return leastSpend }

func (e again) worth(all tally) int64 { return e.Reward * min(e.AtMost, all.count/e.Purchases) }

func (e again) promised(all *exactly) uint128 { return whole(e.worth(all.tally), all.scale) }
func (e again) binds(all *exactly) bool       { return e.worth(all.tally) > 0 }
