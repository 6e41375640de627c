package judge

import (
	"fmt"

	"recoup/internal/flaw"
	"recoup/internal/intake/history"
)

// waiting is reward of refunds that is still on the balance, for its clawback is to come:
// within the cycle of a purchase, or later.
type waiting struct{ same, later int64 }

// redemptionSigns goes through redemptions with the balance that they found.
func (j *Judge) redemptionSigns() {
	change := j.windows()
	var balance, redeemed, odd int64
	var waits waiting
	var latest *refund
	unexplained := j.loose
	for i := range j.rows {
		r, row := &j.rows[i], int32(i)
		if c := change[row]; c != (waiting{}) {
			waits.same += c.same
			waits.later += c.later
			if r.Kind == history.Refund || r.Kind == history.Chargeback {
				latest = j.of[i].refund
			}
		}
		switch r.Kind {
		case history.Reward, history.Adjustment:
			loose := len(unexplained) > 0 && unexplained[0] == row
			if loose {
				unexplained = unexplained[1:]
			}
			if r.Amount < 0 && (loose || r.Kind == history.Adjustment) {
				odd -= r.Amount
			}
			balance += r.Amount
		case history.Redemption:
			redeemed += r.Amount
			j.aboveBalance(i, balance, odd, redeemed)
			balance -= r.Amount
			j.dip(row, balance, waits, latest)
		}
	}
}

// dip looks whether a redemption that left so much took of what had been refunded, between
// the refund and its clawback: within the cycle of a purchase that was granted at once (V3(b)),
// or later (G10).
func (j *Judge) dip(row int32, balance int64, waits waiting, latest *refund) {
	r := &j.rows[row]
	took := min(r.Amount, max(0, waits.same+waits.later-max(0, balance)))
	if took <= rounding {
		took = 0
	}
	ofSame := min(took, waits.same)
	sign := func(code flaw.Code, waits, took int64) {
		if waits <= 0 || r.Amount <= 0 {
			return
		}
		j.sign(Sign{Flaw: code, At: r.At, Amount: took, Shown: took > 0}, about{refund: latest, rows: []int32{row}}, func() (string, string) {
			return fmt.Sprintf("%s stays on the balance until the clawback takes it", j.money(waits)),
				fmt.Sprintf("%s was redeemed, which left %s", j.money(r.Amount), j.money(balance))
		})
	}
	sign(flaw.CodeOf(flaw.V3b), waits.same, ofSame)
	sign(flaw.G10, waits.later, took-ofSame)
}

// windows are the refunds whose clawbacks waited, as what changes with each row of what waits.
// A few that waited where most do not are rows that are late.
func (j *Judge) windows() map[int32]waiting {
	var waits [3]int
	for k := range j.refunds {
		switch rf := &j.refunds[k]; rf.Outcome {
		case AtOnce:
			waits[rf.Place]--
		case WithinCycle, AtClose, Late:
			waits[rf.Place]++
		}
	}
	change := map[int32]waiting{}
	for k := range j.refunds {
		rf := &j.refunds[k]
		if rf.Taken == 0 || rf.netted || rf.of == nil || rf.Place == Early || waits[rf.Place] <= 0 || rf.takenFirst <= rf.row+1 || rf.Outcome == AtOnce {
			continue
		}
		if p := rf.of; !p.granted || p.grantAt > rf.RefundedAt || rf.TakenAt > rf.RefundedAt+forgotten {
			continue
		}
		came, went := change[rf.row], change[rf.takenFirst]
		if rf.Place == SameCycle && rf.Outcome != Late {
			came.same, went.same = came.same+rf.Taken, went.same-rf.Taken
		} else {
			came.later, went.later = came.later+rf.Taken, went.later-rf.Taken
		}
		change[rf.row], change[rf.takenFirst] = came, went
	}
	return change
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
