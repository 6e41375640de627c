package judge

import (
	"recoup/internal/intake/history"
	"recoup/reward"
)

// debt is what is known of the debt at hand, and of those before it.
type debt struct {
	since  reward.Instant // zero: there is none
	clawed bool           // a clawback began it
	offs   []int32        // credits for no purchase that lifted one to just zero
}

// DebtsKeptFor is how long a debt stands if debts are kept: who forgets them does so
// sooner.
const DebtsKeptFor = 90 * reward.Day

// watchDebt counts the debts that end by their ends. A credit for nothing bought that lifts one
// to just zero writes it off. Where neither refunds nor rewards name their purchase, it may as
// well be a clawback that is given back. And what a redemption has overdrawn was there: the row
// of the reward is late.
func (j *Judge) watchDebt(row int32) {
	r, d, f := &j.rows[row], &j.debt, &j.account.Figures
	switch n := len(j.loose); {
	case f.Balance < 0 && d.since == 0:
		d.since, d.clawed = r.At, r.Kind == history.Reward
	case f.Balance >= 0 && d.since != 0:
		forNothing := r.Kind == history.Adjustment || n > 0 && j.loose[n-1] == row
		if forNothing && d.clawed && f.Balance == 0 && (f.RewardsNaming > 0 || !j.unnamed) {
			d.offs = append(d.offs, row)
			if r.Kind == history.Adjustment {
				f.Forgiven += r.Amount
				j.month(row).Leakage += r.Amount
			}
			j.account.DebtsForgotten++
		} else if r.At-d.since >= DebtsKeptFor {
			j.account.DebtsKept++
		}
		d.since = 0
	}
}
