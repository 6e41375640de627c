package judge

import (
	"recoup/internal/audit/history"
	"recoup/reward"
)

// writeOff is a credit for no purchase that lifted a debt to zero.
type writeOff struct {
	row    int32
	amount int64
}

// noteWriteOff notes a credit for nothing bought that lifts a debt to just zero. Where
// neither refunds nor rewards name their purchase, it may as well be a clawback that is
// given back because its refund was of another purchase. And what a redemption has
// overdrawn was there: the row of the reward is late.
func (j *Judge) noteWriteOff(row int32) {
	if !j.clawed || len(j.placed) > 0 && !j.named {
		return
	}
	if amount := j.rows[row].Amount; j.balance < 0 && j.balance+amount == 0 {
		j.offs = append(j.offs, writeOff{row, amount})
	}
}

// DebtsKeptFor is how long a debt stands if debts are kept: who forgets them does so
// sooner.
const DebtsKeptFor = 90 * reward.Day

// watchDebt counts the debts that end by their ends.
func (j *Judge) watchDebt(row int32) {
	at := j.rows[row].At
	switch {
	case j.balance < 0 && j.owing == 0:
		j.owing, j.clawed = at, j.rows[row].Kind == history.Reward
	case j.balance < 0 && j.rows[row].Kind == history.Redemption:
		j.clawed = false
	case j.balance >= 0 && j.owing != 0:
		if n := len(j.offs); n > 0 && j.offs[n-1].row == row {
			j.account.DebtsForgotten++
		} else if at-j.owing >= DebtsKeptFor {
			j.account.DebtsKept++
		}
		j.owing, j.clawed = 0, false
	}
}
