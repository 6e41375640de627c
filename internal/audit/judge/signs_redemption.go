package judge

import (
	"cmp"
	"fmt"
	"slices"

	"recoup/internal/audit/history"
	"recoup/internal/flaw"
)

// windowSigns looks for redemptions between a refund and its clawback that took of what had
// been refunded: within the cycle of a purchase that was granted at once (V3(b)), or later
// (G10).
func (j *Judge) windowSigns() {
	begins, ends := j.windows()
	if len(begins) == 0 {
		return
	}
	var balance, same, later int64
	var latest *refund
	for i := range j.rows {
		for ; len(ends) > 0 && ends[0].takenFirst <= int32(i); ends = ends[1:] {
			if ends[0].waitsInCycle() {
				same -= ends[0].taken
			} else {
				later -= ends[0].taken
			}
		}
		for ; len(begins) > 0 && begins[0].row <= int32(i); begins = begins[1:] {
			if latest = begins[0]; latest.waitsInCycle() {
				same += latest.taken
			} else {
				later += latest.taken
			}
		}
		switch r := &j.rows[i]; r.Kind {
		case history.Reward, history.Adjustment:
			balance += r.Amount
		case history.Redemption:
			balance -= r.Amount
			dip := min(r.Amount, max(0, same+later-max(0, balance)))
			if dip <= rounding {
				dip = 0
			}
			ofSame := min(dip, same)
			of := about{refund: latest, rows: []int32{int32(i)}}
			say := func() (string, string) {
				return fmt.Sprintf("%s stays on the balance until the clawback takes it", j.money(same+later)),
					fmt.Sprintf("%s was redeemed, which left %s", j.money(r.Amount), j.money(balance))
			}
			if same > 0 && r.Amount > 0 {
				j.sign(Sign{Flaw: flaw.CodeOf(flaw.V3b), At: r.At, Amount: ofSame, Shown: ofSame > 0}, of, say)
			}
			if later > 0 && r.Amount > 0 {
				j.sign(Sign{Flaw: flaw.G10, At: r.At, Amount: dip - ofSame, Shown: dip > ofSame}, of, say)
			}
		}
	}
}

// waitsInCycle reports whether a clawback waits within the cycle of the purchase.
func (rf *refund) waitsInCycle() bool { return rf.place == SameCycle && rf.outcome != Late }

// windows are the refunds whose clawbacks waited, by their rows and by their clawbacks'. A few
// that did where most do not are rows that are late.
func (j *Judge) windows() (begins, ends []*refund) {
	var waits [3]int
	for k := range j.refunds {
		switch rf := &j.refunds[k]; rf.outcome {
		case AtOnce:
			waits[rf.place]--
		case WithinCycle, AtClose, Late:
			waits[rf.place]++
		}
	}
	for k := range j.refunds {
		rf := &j.refunds[k]
		if rf.taken == 0 || rf.netted || rf.of == none || rf.place == Early || waits[rf.place] <= 0 || rf.takenFirst <= rf.row+1 || rf.outcome == AtOnce {
			continue
		}
		if p := &j.purchases[rf.of]; p.granted && p.grantAt <= rf.at && rf.takenAt <= rf.at+forgotten {
			begins = append(begins, rf)
		}
	}
	ends = slices.SortedFunc(slices.Values(begins), func(a, b *refund) int { return cmp.Compare(a.takenFirst, b.takenFirst) })
	return begins, ends
}

// redemptionSigns looks for redemptions that one checked step would have refused
// (G8): above the balance, or below zero without one that they put back. A reward
// whose row is late may have been there, so rows of the next days count as well; so
// do those before the first row, which nobody knows: nothing is said of the first
// weeks of an account. What was taken by hand, or for no reason that rows show, may
// not have been taken when the redemption was checked.
func (j *Judge) redemptionSigns() {
	var balance, redeemed, odd int64
	unexplained := j.loose
	for i := range j.rows {
		r := &j.rows[i]
		switch r.Kind {
		case history.Reward, history.Adjustment:
			loose := len(unexplained) > 0 && unexplained[0] == int32(i)
			if loose {
				unexplained = unexplained[1:]
			}
			if r.Amount < 0 && (loose || r.Kind == history.Adjustment) {
				odd -= r.Amount
			}
			balance += r.Amount
		case history.Redemption:
			had := balance
			balance -= r.Amount
			redeemed += r.Amount
			if r.At < j.account.First+recently && r.Amount > had {
				break
			}
			s := Sign{Flaw: flaw.G8, At: r.At, Amount: r.Amount - max(0, had)}
			if r.Amount < 0 {
				s.Amount, s.Shown = -r.Amount, redeemed < 0
			} else {
				s.Shown = s.Amount > 0 && r.Amount > had+odd+j.nearby(i)
			}
			j.sign(s, about{rows: []int32{int32(i)}}, func() (string, string) {
				if r.Amount < 0 {
					return "a redemption is above zero", "the balance rose, and nothing had been redeemed that it could put back"
				}
				return fmt.Sprintf("no more than the balance of %s is redeemed", j.money(had)), fmt.Sprintf("%s was redeemed", j.money(r.Amount))
			})
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
	for k := i + 1; k < min(len(j.rows), i+8*glance) && j.rows[k].At <= at+lateRows; k++ {
		if r := &j.rows[k]; (r.Kind == history.Reward || r.Kind == history.Adjustment) && r.Amount > 0 || r.Kind == history.Redemption && r.Amount < 0 {
			sum += max(r.Amount, -r.Amount)
		}
	}
	return sum
}
