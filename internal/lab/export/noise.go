package export

import (
	"math/rand/v2"
	"time"

	"recoup/reward"
)

// NoiseDone says what noise an export has. Amounts are in minor units and may be
// below zero.
type NoiseDone struct {
	LateRewards     int64 `json:"late_rewards"`
	UnlinkedRefunds int64 `json:"unlinked_refunds"`
	// Adjustments say that they are; Unmarked ones look like rewards.
	Adjustments    int64 `json:"adjustments"`
	Adjusted       int64 `json:"adjusted"`
	Unmarked       int64 `json:"unmarked_adjustments"`
	UnmarkedAmount int64 `json:"unmarked_adjusted"`
}

// noise draws what goes wrong in an export.
type noise struct {
	shares Noise
	dice   *rand.Rand
	done   NoiseDone
}

func newNoise(o Options) *noise {
	const stream = 0x6578706f7274
	return &noise{shares: o.Noise, dice: rand.New(rand.NewPCG(o.Seed, stream))}
}

// chance is true for that share per mille.
func (n *noise) chance(permille int) bool {
	return permille > 0 && n.dice.Int64N(1000) < int64(permille)
}

// within draws a period in whole seconds, both ends included.
func (n *noise) within(from, to reward.Instant) reward.Instant {
	const second = reward.Instant(time.Second)
	return from + reward.Instant(n.dice.Int64N(int64((to-from)/second)+1))*second
}

// adjustment draws an amount: $5 to $25, a fifth of them taken.
func (n *noise) adjustment() int64 {
	amount := 100 * (5 + n.dice.Int64N(21))
	if n.chance(200) {
		return -amount
	}
	return amount
}

// adjustByHand writes adjustments, each at some time between the first and the
// last fact of its account.
func (f *facts) adjustByHand() {
	n := f.noise
	for _, account := range f.order {
		if !n.chance(n.shares.AdjustPermille) {
			continue
		}
		known := f.accounts[account]
		at, amount := n.within(known.first, known.last), n.adjustment()
		if n.done.Adjustments <= n.done.Unmarked {
			n.done.Adjustments++
			n.done.Adjusted += amount
			f.rows.reward(account, amount, "", "adjustment", at)
		} else {
			n.done.Unmarked++
			n.done.UnmarkedAmount += amount
			f.rows.reward(account, amount, "", "", at)
		}
	}
}
