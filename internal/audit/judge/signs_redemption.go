package judge

import (
	"cmp"
	"fmt"

	"recoup/internal/flaw"
	"recoup/internal/intake/history"
)

// dip looks whether a redemption that left so much took of what had been refunded, between
// the refund and its clawback: within the cycle of a purchase that was granted at once (V3(b)),
// or later (G10). Nobody has been paid within the cycle who is promised more than was redeemed; nor
// later by a clawback that is late and does not say what it is of: it may be of something else.
func (j *Judge) dip(row int32, balance int64, came []*refund, waits [3]int) {
	r := &j.rows[row]
	var same, later int64 // reward of refunds that is still on the balance
	var latest *refund
	var vague bool // such a clawback is among them
	for k := len(came) - 1; k >= 0 && came[k].RefundedAt >= r.At-forgotten; k-- {
		rf := came[k]
		if waits[rf.Place] <= 0 || !rf.waited() {
			continue
		}
		latest = cmp.Or(latest, rf)
		vague = vague || rf.Outcome == Late && !rf.named
		switch {
		case rf.takenFirst <= row:
		case rf.Place == SameCycle && rf.Outcome != Late:
			same += rf.Taken
		default:
			later += rf.Taken
		}
	}
	took := min(r.Amount, max(0, same+later-max(0, balance)))
	if vague {
		took = min(took, j.of[row].ahead)
	}
	if took <= rounding {
		took = 0
	}
	ofSame := min(took, same, j.of[row].ahead)
	sign := func(code flaw.Code, waits, took int64) {
		if waits <= 0 {
			return
		}
		j.sign(Sign{Flaw: code, At: r.At, Amount: took, Shown: took > 0}, about{refund: latest, rows: []int32{row}}, func() (string, string) {
			return fmt.Sprintf("%s stays on the balance until the clawback takes it", j.money(waits)),
				fmt.Sprintf("%s was redeemed, which left %s", j.money(r.Amount), j.money(balance))
		})
	}
	sign(flaw.CodeOf(flaw.V3b), same, ofSame)
	sign(flaw.G10, later, took-ofSame)
}

// waits is by place how many more refunds waited for their clawback than did not. A few that
// waited where most do not are rows that are late.
func (j *Judge) waits() (by [3]int) {
	for _, rf := range j.came {
		switch rf.Outcome {
		case AtOnce:
			by[rf.Place]--
		case WithinCycle, AtClose, Late:
			by[rf.Place]++
		}
	}
	return by
}

// waited reports whether reward was there when its refund came, and was taken later.
func (rf *refund) waited() bool {
	return rf.clawbacks > 0 && !rf.netted && rf.of != nil && rf.Place != Early && rf.takenFirst > rf.row+1 && rf.Outcome != AtOnce &&
		rf.of.granted && rf.of.grantAt <= rf.RefundedAt && rf.TakenAt <= rf.RefundedAt+forgotten
}

// aboveBalance looks for redemptions that one checked step would have refused (G8): above the
// balance, or below zero without one that they put back. A reward whose row is late may have
// been there, so rows of the next days count as well; so do those before the first row, which
// nobody knows: nothing is said of the first weeks of an account. What is odd, taken by hand
// or for no reason that rows show, may not have been taken when the redemption was checked.
func (j *Judge) aboveBalance(i int, had, odd, redeemed int64) {
	r := &j.rows[i]
	if r.At < j.account.First+recently && r.Amount > had {
		return
	}
	of := about{rows: []int32{int32(i)}}
	if r.Amount < 0 {
		j.sign(Sign{Flaw: flaw.G8, At: r.At, Amount: -r.Amount, Shown: redeemed < 0}, of, func() (string, string) {
			return "a redemption is above zero", "the balance rose, and nothing had been redeemed that it could put back"
		})
		return
	}
	above := r.Amount - max(0, had)
	j.sign(Sign{Flaw: flaw.G8, At: r.At, Amount: above, Shown: above > 0 && r.Amount > had+odd+j.nearby(i)}, of, func() (string, string) {
		return fmt.Sprintf("no more than the balance of %s is redeemed", j.money(had)), fmt.Sprintf("%s was redeemed", j.money(r.Amount))
	})
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
	for k := i + 1; k < min(len(j.rows), i+8*glance) && j.rows[k].At <= at+lateRows; k++ {
		if r := &j.rows[k]; (r.Kind == history.Reward || r.Kind == history.Adjustment) && r.Amount > 0 || r.Kind == history.Redemption && r.Amount < 0 {
			sum += max(r.Amount, -r.Amount)
		}
	}
	return sum
}
