package judge

import (
	"slices"

	"recoup/reward"
)

// month is the one that a row belongs to. What a statement close posted belongs to the month
// that it closes, also in leakage, so that a program that grants at the close does not seem to
// owe everybody at the end of each month.
func (j *Judge) month(row int32) *Month {
	if j.of[row].closes && j.rows[row].At < j.promise.now.start+lateRows {
		return j.account.month(j.promise.now.Cycle - 1)
	}
	return j.account.month(j.promise.now.Cycle)
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
	a.Months = slices.Insert(a.Months, at, Month{Cycle: c})
	return &a.Months[at]
}
