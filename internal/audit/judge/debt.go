package judge

import (
	"recoup/internal/audit/history"
	"recoup/reward"
)

// debt is what is known of the debt at hand, and of those before it.
type debt struct {
	since  reward.Instant // zero: there is none
	clawed bool           // it comes of clawbacks alone
	offs   []int32        // credits for no purchase that lifted one to just zero
}

// DebtsKeptFor is how long a debt stands if debts are kept: who forgets them does so
// sooner.
const DebtsKeptFor = 90 * reward.Day

// noteWriteOff notes a credit for nothing bought that lifts a debt to just zero. Where
// neither refunds nor rewards name their purchase, it may as well be a clawback that is given
// back. And what a redemption has overdrawn was there: the row of the reward is late.
func (j *Judge) noteWriteOff(row int32) {
	guess := j.unnamed && !j.named
	if amount := j.rows[row].Amount; j.debt.clawed && !guess && amount > 0 && j.balance == -amount {
		j.debt.offs = append(j.debt.offs, row)
	}
}

// watchDebt counts the debts that end by their ends.
func (j *Judge) watchDebt(row int32) {
	r, d := &j.rows[row], &j.debt
	switch balance := j.balance; {
	case balance < 0 && d.since == 0:
		d.since, d.clawed = r.At, r.Kind == history.Reward
	case balance < 0 && r.Kind == history.Redemption:
		d.clawed = false
	case balance >= 0 && d.since != 0:
		if n := len(d.offs); n > 0 && d.offs[n-1] == row {
			j.account.DebtsForgotten++
		} else if r.At-d.since >= DebtsKeptFor {
			j.account.DebtsKept++
		}
		d.since, d.clawed = 0, false
	}
}
