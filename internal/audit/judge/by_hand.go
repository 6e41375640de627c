package judge

import (
	"slices"

	"recoup/internal/intake/history"
	"recoup/reward"
)

// Adjustments say which of them are by hand, and no part of what a program rewards, and which are
// what it calls some of its rewards and clawbacks.
type Adjustments uint8

// What adjustments are.
const (
	ByHand                     Adjustments = iota
	RewardsAfterRefunds                    // those that take something soon after a refund
	Clawbacks                              // all that take something, and those that give no more than that back
	ClawbacksAndGifts                      // all that take something; what is given is by hand
	ClawbacksOfUnnamed                     // as Clawbacks, after the first refund that names no purchase
	ClawbacksOfUnnamedAndGifts             // as ClawbacksAndGifts, after the first refund that names no purchase
	AllRewards                             // those of any sign
)

// AdjustmentsNamed are the adjustments by the names that people and files give them.
var AdjustmentsNamed = map[string]Adjustments{
	"by-hand": ByHand, "rewards": AllRewards, "after-refunds": RewardsAfterRefunds,
	"clawbacks": Clawbacks, "clawbacks-and-gifts": ClawbacksAndGifts,
	"after-unnamed": ClawbacksOfUnnamed, "after-unnamed-and-gifts": ClawbacksOfUnnamedAndGifts,
}

// SoonAfter is how long after a refund its clawback may come for RewardsAfterRefunds: with the
// night's batch.
const SoonAfter = reward.Day

// TakesByHand reports whether a row is an adjustment that takes something.
func TakesByHand(r *history.Row) bool { return r.Kind == history.Adjustment && r.Amount < 0 }

// asRewards are the rows with rewards in the place of the adjustments that are.
func (j *Judge) asRewards(rows []history.Row) []history.Row {
	are := j.options.Adjustments
	ofUnnamed := are == ClawbacksOfUnnamed || are == ClawbacksOfUnnamedAndGifts
	copied, unnamed, latest, taken := false, false, reward.Instant(0), int64(0)
	for i := range rows {
		r, is := &rows[i], false
		switch {
		case r.Kind.Returns():
			latest, unnamed = r.At, unnamed || r.Transaction == ""
		case r.Kind != history.Adjustment:
		case are == AllRewards:
			is = true
		case are == ByHand, ofUnnamed && !unnamed, are == RewardsAfterRefunds && (latest == 0 || r.At > latest+SoonAfter):
		case are == Clawbacks, are == ClawbacksOfUnnamed:
			is = r.Amount <= taken // below zero, too
		default:
			is = r.Amount < 0
		}
		if !is {
			continue
		}
		if !copied {
			rows, copied = slices.Clone(rows), true
		}
		taken -= r.Amount
		j.account.TakenByHand = max(0, taken)
		rows[i].Kind = history.Reward
		j.account.AdjustmentsRead++
	}
	return rows
}
