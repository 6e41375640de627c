package judge

import (
	"fmt"

	"recoup/internal/audit/history"
	"recoup/internal/flaw"
)

// redemptionSigns looks for redemptions that one checked step would have refused
// (G8): above the balance, or below zero without one that they put back. A reward
// whose row is late may have been there, so rows of the next days count as well; so
// do those before the first row, which nobody knows: nothing is said of the first
// weeks of an account. What was taken by hand, or for no reason that rows show, may
// not have been taken when the redemption was checked.
func (j *Judge) redemptionSigns() {
	var balance, redeemed, odd int64
	next := 0
	known := j.account.First + recently
	for i := range j.rows {
		r := &j.rows[i]
		switch r.Kind {
		case history.Reward, history.Adjustment:
			balance += r.Amount
			loose := next < len(j.loose) && j.loose[next].row == int32(i)
			if loose {
				next++
			}
			if r.Amount < 0 && (loose || r.Kind == history.Adjustment) {
				odd -= r.Amount
			}
		case history.Redemption:
			switch {
			case r.At < known && r.Amount > balance:
			case r.Amount < 0 && -r.Amount > redeemed:
				j.showRedemption(int32(i), -r.Amount, "a redemption is above zero", "the balance rose, and nothing had been redeemed that it could put back")
			case r.Amount > max(0, balance) && r.Amount > balance+odd+j.nearby(i):
				j.showRedemption(int32(i), r.Amount-max(0, balance), fmt.Sprintf("no more than the balance of %s is redeemed", j.money(balance)), fmt.Sprintf("%s was redeemed", j.money(r.Amount)))
			default:
				j.could(flaw.G8, r.At)
			}
			balance -= r.Amount
			redeemed += r.Amount
		}
	}
}

// nearby is what may have been on the balance besides what rows say: what was taken
// in the same moment, and what comes within the days that rows may be late.
func (j *Judge) nearby(i int) (sum int64) {
	at := j.rows[i].At
	for k := i - 1; k >= 0 && j.rows[k].At >= at-together; k-- {
		if r := &j.rows[k]; r.Kind == history.Reward && r.Amount < 0 {
			sum -= r.Amount
		}
	}
	const most = 8 * glance
	for k := i + 1; k < min(len(j.rows), i+most) && j.rows[k].At <= at+lateRows; k++ {
		if r := &j.rows[k]; (r.Kind == history.Reward || r.Kind == history.Adjustment) && r.Amount > 0 || r.Kind == history.Redemption && r.Amount < 0 {
			sum += max(r.Amount, -r.Amount)
		}
	}
	return sum
}

func (j *Judge) showRedemption(row int32, amount int64, expected, found string) {
	if s := j.shown(flaw.G8, j.rows[row].At, amount); s != nil {
		s.Example = &Example{Account: j.account.ID, Expected: expected, Found: found, Amount: amount, Steps: j.steps([]int32{row})}
	}
}
