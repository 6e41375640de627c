package judge

import (
	"cmp"
	"fmt"
	"slices"

	"recoup/internal/audit/history"
	"recoup/internal/flaw"
	"recoup/reward"
)

// writeOffSigns are the debts that a credit for nothing bought lifted to just zero: a
// sign that debts are not kept (V3(a)).
func (j *Judge) writeOffSigns() {
	for _, w := range j.offs {
		j.shown(flaw.CodeOf(flaw.V3a), j.rows[w.row].At, w.amount, func() *Example {
			return &Example{
				Expected: "the debt is kept until rewards repay it",
				Found:    fmt.Sprintf("%s was credited for no purchase, which lifted the debt to just zero", j.money(w.amount)),
				Steps:    j.steps([]int32{w.row}),
			}
		})
	}
}

// change is a refund that waits from a row on, or its clawback.
type change struct {
	row    int32
	amount int64
	same   bool // it came in the cycle of its purchase
	refund int32
}

// windowSigns looks for redemptions between a refund and its clawback that took of
// what had been refunded: within the cycle of a purchase that was granted at once
// (V3(b)), or later (G10).
func (j *Judge) windowSigns() {
	var changes []change
	waits := j.waitingPlaces()
	for k := range j.refunds {
		rf := &j.refunds[k]
		if rf.taken == 0 || rf.netted || rf.of == none || rf.place == Early || !waits[rf.place] || rf.takenFirst <= rf.row+1 || rf.outcome == AtOnce {
			continue
		}
		p := &j.purchases[rf.of]
		if !p.granted || p.grantAt > rf.at || rf.takenAt > rf.at+forgotten {
			continue
		}
		ends := rf.takenFirst
		if rf.outcome == AtClose {
			ends = min(ends, j.rowFrom(j.closeAfter(rf.at))) // the row may be late
		}
		same := rf.place == SameCycle && rf.outcome != Late
		changes = append(changes, change{rf.row, rf.taken, same, int32(k)}, change{ends, -rf.taken, same, int32(k)})
	}
	if len(changes) == 0 {
		return
	}
	slices.SortFunc(changes, func(a, b change) int { return cmp.Compare(a.row, b.row) })
	var balance, same, later int64
	latest := none
	for i := range j.rows {
		r := &j.rows[i]
		for ; len(changes) > 0 && changes[0].row <= int32(i); changes = changes[1:] {
			c := &changes[0]
			if c.same {
				same += c.amount
			} else {
				later += c.amount
			}
			if c.amount > 0 {
				latest = c.refund
			}
		}
		switch r.Kind {
		case history.Reward, history.Adjustment:
			balance += r.Amount
		case history.Redemption:
			balance -= r.Amount
			if r.Amount > 0 && same+later > 0 {
				j.dipped(int32(i), latest, balance, same, later)
			}
		}
	}
}

// waitingPlaces are those where most of the account's clawbacks wait. A few that do are
// rows that are late.
func (j *Judge) waitingPlaces() (waits [3]bool) {
	var n [3]int
	for k := range j.refunds {
		switch rf := &j.refunds[k]; rf.outcome {
		case AtOnce:
			n[rf.place]--
		case WithinCycle, AtClose, Late:
			n[rf.place]++
		}
	}
	for place := range n {
		waits[place] = n[place] > 0
	}
	return waits
}

// rowFrom is the first row from a time on.
func (j *Judge) rowFrom(at reward.Instant) int32 {
	i, _ := slices.BinarySearchFunc(j.rows, at, func(r history.Row, at reward.Instant) int { return cmp.Compare(r.At, at) })
	return int32(i)
}

// dipped judges one redemption while clawbacks wait.
func (j *Judge) dipped(row, is int32, left, same, later int64) {
	r := &j.rows[row]
	dip := min(r.Amount, max(0, same+later-max(0, left)))
	if dip <= rounding {
		dip = 0
	}
	judge := func(code flaw.Code, waits, amount int64) {
		switch {
		case waits == 0:
		case amount == 0:
			j.could(code, r.At)
		default:
			j.shown(code, r.At, amount, func() *Example {
				e := j.ofRefund(is, fmt.Sprintf("%s stays on the balance until the clawback takes it", j.money(same+later)),
					fmt.Sprintf("%s was redeemed, which left %s", j.money(r.Amount), j.money(left)))
				e.Steps = append(e.Steps, j.steps([]int32{row})...)
				slices.SortStableFunc(e.Steps, func(a, b Step) int { return cmp.Compare(a.At, b.At) })
				return e
			})
		}
	}
	ofSame := min(dip, same)
	judge(flaw.CodeOf(flaw.V3b), same, ofSame)
	judge(flaw.G10, later, dip-ofSame)
}

// walkAway looks for accounts that were left in debt (G13): redeemed, returned
// everything, and not heard of for 60 days.
func (j *Judge) walkAway() {
	const quiet = 60 * reward.Day
	const leastLeak = 10 // who was left more owes nothing because nothing was taken
	f := &j.account.Figures
	if f.Redeemed <= 0 || f.Refunds == 0 || j.account.Last+quiet > j.options.End {
		return
	}
	if f.Debt == 0 {
		if f.NetSpend <= 0 && f.Leakage <= leastLeak {
			j.could(flaw.G13, j.account.Last)
		}
		return
	}
	last := int32(len(j.refunds) - 1)
	j.shown(flaw.G13, j.account.Last, f.Debt, func() *Example {
		return j.ofRefund(last, "nothing is owed by somebody who does not come back", fmt.Sprintf("%s is owed since %s", j.money(f.Debt), date(j.account.Last)))
	})
}

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
	show := func(i int, amount int64, expected, found string) {
		j.shown(flaw.G8, j.rows[i].At, amount, func() *Example {
			return &Example{Expected: expected, Found: found, Steps: j.steps([]int32{int32(i)})}
		})
	}
	for i := range j.rows {
		r := &j.rows[i]
		switch r.Kind {
		case history.Reward, history.Adjustment:
			balance += r.Amount
			unexplained := next < len(j.loose) && j.loose[next].row == int32(i)
			if unexplained {
				next++
			}
			if r.Amount < 0 && (unexplained || r.Kind == history.Adjustment) {
				odd -= r.Amount
			}
		case history.Redemption:
			switch {
			case r.At < known && r.Amount > balance:
			case r.Amount < 0 && -r.Amount > redeemed:
				show(i, -r.Amount, "a redemption is above zero", "the balance rose, and nothing had been redeemed that it could put back")
			case r.Amount > max(0, balance) && r.Amount > balance+odd+j.nearby(i):
				show(i, r.Amount-max(0, balance), fmt.Sprintf("no more than the balance of %s is redeemed", j.money(balance)), fmt.Sprintf("%s was redeemed", j.money(r.Amount)))
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
	for k := i + 1; k < min(len(j.rows), i+8*glance) && j.rows[k].At <= at+lateRows; k++ {
		if r := &j.rows[k]; (r.Kind == history.Reward || r.Kind == history.Adjustment) && r.Amount > 0 || r.Kind == history.Redemption && r.Amount < 0 {
			sum += max(r.Amount, -r.Amount)
		}
	}
	return sum
}
