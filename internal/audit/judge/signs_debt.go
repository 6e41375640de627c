package judge

import (
	"cmp"
	"fmt"
	"slices"

	"recoup/internal/audit/history"
	"recoup/internal/flaw"
	"recoup/reward"
)

// balanceShort reports whether less was taken for want of balance, which ended at
// just zero.
func (j *Judge) balanceShort(rf *refund) bool {
	return rf.taken < rf.least-rf.tolerance() && (rf.floored || rf.clawbacks == 1 && (rf.balanceTook == rf.taken || rf.balanceTook-rf.oddTook == rf.taken))
}

// atZero reports whether nothing was taken for a refund while there was nothing to
// take from, in an account whose clawbacks leave no debts. It may be that debts are
// not kept, and it may be that such refunds take nothing.
func (j *Judge) atZero(rf *refund) bool {
	e := &j.evidence
	return e.owed == 0 && e.rows >= e.zero && j.foundNothing(rf)
}

// foundNothing reports whether a refund took nothing and the balance was zero when
// the account's clawbacks are made.
func (j *Judge) foundNothing(rf *refund) bool {
	balance, odd := rf.balance, rf.odd
	if j.evidence.atClose > j.evidence.atOnce {
		balance, odd = rf.balanceDue, rf.oddDue
	}
	return (balance == 0 || balance == odd) && rf.place != Early && rf.outcome == Never
}

// debtSigns looks for debts that are not kept (V3(a)): clawbacks that stop at zero,
// and debts that are written off.
func (j *Judge) debtSigns() {
	code := flaw.CodeOf(flaw.V3a)
	for k := range j.refunds {
		rf := &j.refunds[k]
		if rf.of == none || rf.netted || rf.undoneAt != 0 || rf.expected <= 1 {
			continue
		}
		is := int32(k)
		switch {
		case j.atZero(rf):
			if !rf.plainly() || !j.evidence.plain[rf.place].adjusts() || j.onlyAPart(rf) {
				continue
			}
			j.showDebt(is, "nothing was taken, for the balance was zero")
		case rf.floored && rf.taken == 0:
			j.showDebt(is, "nothing was taken: the clawbacks of the close stopped at a balance of zero")
		case rf.taken == 0 || !rf.linked:
		case j.balanceShort(rf):
			j.showDebt(is, fmt.Sprintf("%s was taken, which left a balance of just zero", j.money(rf.taken)))
		case rf.balanceTook < rf.taken && rf.taken >= rf.least-rf.tolerance():
			j.could(code, rf.takenAt)
		}
	}
	for _, w := range j.offs {
		at := j.rows[w.row].At
		if s := j.shown(code, at, w.amount); s != nil {
			s.Example = &Example{
				Account: j.account.ID, Expected: "the debt is kept until rewards repay it",
				Found: fmt.Sprintf("%s was credited for no purchase, which lifted the debt to just zero", j.money(w.amount)), Amount: w.amount,
				Steps: j.steps([]int32{w.row}),
			}
		}
	}
}

func (j *Judge) showDebt(is int32, found string) {
	rf := &j.refunds[is]
	missing := rf.share() - rf.taken
	if rf.floored {
		missing = rf.expected - rf.taken
	}
	at := max(rf.at, rf.takenAt)
	if s := j.shown(flaw.CodeOf(flaw.V3a), at, missing); s != nil {
		j.exampleOfRefund(s, is, fmt.Sprintf("%s is taken, and what the balance does not cover is owed", j.money(rf.share())), found)
	}
}

// windowSigns looks for redemptions between a refund and its clawback that took of
// what had been refunded: within the cycle of a purchase that was granted at once
// (V3(b)), or later (G10).
func (j *Judge) windowSigns() {
	w := &j.window
	w.changes = w.changes[:0]
	for k := range j.refunds {
		rf := &j.refunds[k]
		if rf.taken == 0 || rf.netted || rf.of == none || rf.place == Early || !j.evidence.waitsIn(rf.place) || rf.takenFirst <= rf.row+1 || rf.lent > 0 {
			continue
		}
		p := &j.purchases[rf.of]
		if rf.outcome == AtOnce || !p.granted || p.grantAt > rf.at || rf.takenAt > rf.at+forgotten {
			continue
		}
		ends := rf.takenFirst
		if rf.outcome == AtClose {
			ends = min(ends, j.rowFrom(cycleEnd(rf.at))) // the row may be late
		}
		same := rf.place == SameCycle && rf.outcome != Late
		w.changes = append(w.changes, change{rf.row, rf.taken, same, int32(k)}, change{ends, -rf.taken, same, int32(k)})
	}
	if len(w.changes) == 0 {
		return
	}
	w.sort()
	var balance, same, later int64
	latest, next := none, 0
	for i := range j.rows {
		r := &j.rows[i]
		for ; next < len(w.changes) && w.changes[next].row <= int32(i); next++ {
			c := &w.changes[next]
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

// rowFrom is the first row from a time on.
func (j *Judge) rowFrom(at reward.Instant) int32 {
	i, _ := slices.BinarySearchFunc(j.rows, at, func(r history.Row, at reward.Instant) int { return cmp.Compare(r.At, at) })
	return int32(i)
}

// waitsIn reports whether clawbacks of a place mostly wait. A few that do are rows
// that are late.
func (e *evidence) waitsIn(p Place) bool {
	return (e.plain[p].adjusts() || !e.plain[p].any()) && e.waits[p] > e.prompt[p]
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
			if s := j.shown(code, r.At, amount); s != nil {
				j.exampleOfRefund(s, is, fmt.Sprintf("%s stays on the balance until the clawback takes it", j.money(same+later)),
					fmt.Sprintf("%s was redeemed, which left %s", j.money(r.Amount), j.money(left)))
				s.Example.Steps = append(s.Example.Steps, Step{At: r.At, What: what(r), Amount: r.Amount})
				byTime(s.Example.Steps)
			}
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
	if s := j.shown(flaw.G13, j.account.Last, f.Debt); s != nil {
		j.exampleOfRefund(s, last, "nothing is owed by somebody who does not come back",
			fmt.Sprintf("%s is owed since %s", j.money(f.Debt), j.account.Last.Time().Format("2006-01-02")))
	}
}
