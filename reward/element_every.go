package reward

import (
	"math"
)

// repeated is a bonus for each time that an amount is spent: R · min(at_most, ⌊S / spend⌋).
type repeated struct {
	onlyABonus
	Every
}

func every(b *Bonus) element {
	if b.Every.Spend == 0 {
		return nil
	}
	r := repeated{Every: b.Every}
	if r.AtMost == 0 {
		r.AtMost = math.MaxInt64
	}
	return r
}

func (repeated) prefers() preference { return asSettled }

func (r repeated) worth(all tally) int64 { return r.Reward * min(r.AtMost, all.spend/r.Spend) }

func (r repeated) promised(all *exactly) uint128 { return whole(r.worth(all.tally), all.scale) }
func (r repeated) binds(all *exactly) bool       { return r.worth(all.tally) > 0 }
