package judge

import (
	"recoup/internal/audit/history"
	"recoup/reward"
)

// months adds up what changed in each calendar month. What a statement close
// posted belongs to the month that it closes, also in leakage, so that a program
// that grants at the close does not seem to owe everybody at the end of each month.
func (j *Judge) months() {
	if len(j.rows) == 0 {
		return
	}
	j.cycle, j.cycleStart, j.cycleEnd = 0, 0, 0
	at := none // the month of the row at hand
	for i := range j.rows {
		r := &j.rows[i]
		if r.At >= j.cycleEnd {
			j.turn(r.At)
			at = j.month(j.cycle)
		}
		m := &j.account.Months[at]
		if j.closes[i] && r.At < j.cycleStart+closeWithin {
			m = &j.account.Months[j.month(j.cycle-1)]
		}
		switch r.Kind {
		case history.Purchase:
			if j.purchases[j.rowIs[i]].row == int32(i) {
				m.Spend += r.Amount
			}
		case history.Refund, history.Chargeback:
			if j.refunds[j.rowIs[i]].row == int32(i) {
				m.Refunded += r.Amount
			}
		case history.RefundReversed, history.ChargebackReversed:
			m.Refunded -= j.undoneBy(int32(i))
		case history.Reward:
			if r.Amount > 0 {
				m.Granted += r.Amount
			} else {
				m.TakenBack -= r.Amount
			}
			m.Leakage += r.Amount
		case history.Redemption:
			m.Redeemed += r.Amount
		}
	}
	var before int64
	for _, e := range j.owedAt {
		j.account.Months[j.month(e.cycle)].Leakage -= e.amount - before
		before = e.amount
	}
}

// undoneBy is the amount of the refund that a row undoes.
func (j *Judge) undoneBy(row int32) int64 {
	by := &j.refundsByID
	if j.rows[row].Kind == history.ChargebackReversed {
		by = &j.disputesBy
	}
	if is := by.find(j.rows[row].ID); is != none && j.refunds[is].undoneRow == row {
		return j.refunds[is].amount
	}
	return 0
}

// month returns the place of a month, of which there is one before the row's at the
// most that is not there yet.
func (j *Judge) month(c reward.Cycle) int32 {
	list := j.account.Months
	at := len(list)
	for at > 0 && list[at-1].Cycle >= c {
		at--
		if list[at].Cycle == c {
			return int32(at)
		}
	}
	list = append(list, Month{})
	copy(list[at+1:], list[at:])
	list[at] = Month{Cycle: c}
	j.account.Months = list
	return int32(at)
}
