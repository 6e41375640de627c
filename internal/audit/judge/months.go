package judge

import (
	"slices"

	"recoup/internal/intake/history"
	"recoup/reward"
)

// months adds up what changed in each month. What a statement close posted belongs to the
// month that it closes, also in leakage, so that a program that grants at the close does not
// seem to owe everybody at the end of each month.
func (j *Judge) months() {
	for i := range j.rows {
		r := &j.rows[i]
		c := j.calendar.at(r.At)
		if j.closes[i] && r.At < c.start+lateRows {
			c.Cycle--
		}
		m := j.account.month(c.Cycle)
		switch r.Kind {
		case history.Purchase:
			if j.of[i].purchase.row == int32(i) {
				m.Spend += r.Amount
			}
		case history.Refund, history.Chargeback:
			if j.of[i].refund.row == int32(i) {
				m.Refunded += r.Amount
			}
		case history.RefundReversed, history.ChargebackReversed:
			if rf := j.of[i].refund; rf != nil && rf.undoneRow == int32(i) {
				m.Refunded -= rf.Amount
			}
		case history.Reward:
			if r.Amount > 0 {
				m.Granted += r.Amount
			} else {
				m.TakenBack -= r.Amount
			}
			m.Leakage += r.Amount
		case history.Adjustment:
			if slices.Contains(j.debt.offs, int32(i)) {
				m.Leakage += r.Amount
			}
		case history.Redemption:
			m.Redeemed += r.Amount
		}
	}
	if len(j.rows) > 0 {
		j.book(j.calendar.at(j.account.Last).Cycle, j.entitled.Entitlement)
	}
}

// book gives a month what changed in it of the entitlement, which is so much after its last row.
func (j *Judge) book(c reward.Cycle, entitlement int64) {
	j.account.month(c).Leakage -= entitlement - j.booked
	j.booked = entitlement
}

// month returns a month, near the last, which is added where it is not there yet.
func (a *Account) month(c reward.Cycle) *Month {
	at := len(a.Months)
	for at > 0 && a.Months[at-1].Cycle >= c {
		at--
		if a.Months[at].Cycle == c {
			return &a.Months[at]
		}
	}
	a.Months = append(a.Months, Month{})
	copy(a.Months[at+1:], a.Months[at:])
	a.Months[at] = Month{Cycle: c}
	return &a.Months[at]
}
