package judge

import (
	"math"
	"math/bits"
	"slices"

	"recoup/internal/audit/history"
	"recoup/reward"
)

// figures adds the account up.
func (j *Judge) figures() {
	f := &j.account.Figures
	for i := range j.rows {
		switch r := &j.rows[i]; r.Kind {
		case history.Reward:
			if r.Amount > 0 {
				f.Granted += r.Amount
				f.RewardRows++
			} else {
				f.TakenBack -= r.Amount
			}
		case history.Adjustment:
			f.Adjustments += r.Amount
		case history.Redemption:
			f.Redeemed += r.Amount
		}
	}
	f.NetSpend, f.Entitlement = j.entitled.NetSpend, j.entitled.Entitlement
	if n := len(j.owedAt); n > 0 {
		j.owedAt[n-1].amount = f.Entitlement
	}
	f.NetReward = f.Granted - f.TakenBack
	f.Balance = f.NetReward + f.Adjustments - f.Redeemed
	if f.Balance != j.balance {
		panic("judge: the balance is not what was granted less what was taken back, adjusted and redeemed")
	}
	f.Debt = max(0, -f.Balance)
	f.NotDue = min(j.notDue(), f.Entitlement)
	beyond, open := j.readings()
	f.Beyond = beyond
	f.Leakage = max(0, f.NetReward-f.Entitlement-f.Beyond)
	f.ShortPaid = max(0, f.Entitlement-f.NotDue-f.NetReward)
	unnamed := j.unnamed()
	var restored int64 // by rows that may give back what was taken
	for _, l := range j.loose {
		switch {
		case l.amount == 0 || j.rows[l.row].Amount < 0 || f.Leakage == 0: // who has no more than is owed has nothing unearned
		case unnamed && restored+l.amount <= f.TakenBack:
			restored += l.amount
		default:
			f.Unearned += l.amount
			f.UnearnedRows++
		}
	}
	f.Unearned = min(f.Unearned, f.Leakage)
	var untaken int64
	for k := range j.refunds {
		rf := &j.refunds[k]
		f.FloatDays = plus(f.FloatDays, rf.floatDays)
		if rf.undoneAt == 0 && !rf.netted {
			missing := max(0, rf.share()-rf.taken)
			f.FloatDays = plus(f.FloatDays, overDays(missing, days(rf.at, j.options.End)))
			if rf.outcome == Never || rf.outcome == Partly || rf.outcome == TooEarly {
				untaken += missing
			}
		}
	}
	rest := max(0, f.Leakage-untaken-f.Unearned)
	if open > 0 {
		f.InQuestion = min(rest, plus(restored, open))
	}
	f.Unexplained = max(0, rest-f.InQuestion-f.Purchases-f.Refunds)
	if f.Leakage > 0 {
		f.LeakageNamed = min(f.Leakage-f.InQuestion, max(0, f.NetReward-j.most()-f.Beyond))
		j.account.Fit.Left = max(0, f.LeakageNamed-f.Unearned)
	}
}

// unnamed reports whether neither refunds nor rewards of the account name a purchase.
// Who then takes a refund to be of another purchase than before gives back what was taken
// for it, in a row that looks like a grant of nothing.
func (j *Judge) unnamed() bool {
	return !j.named && j.has(func(rf *refund) bool { return !rf.linked }) &&
		!slices.ContainsFunc(j.refunds, func(rf refund) bool { return rf.linked && !rf.chargeback })
}

// plus adds two sums that are not below zero, as far as 64 bits go.
func plus(a, b int64) int64 {
	if b < 0 || a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// overDays is an amount times days, as far as 64 bits go.
func overDays(amount, days int64) int64 {
	if hi, lo := bits.Mul64(uint64(amount), uint64(days)); hi == 0 && lo <= math.MaxInt64 {
		return int64(lo)
	}
	return math.MaxInt64
}

// notDue is what is promised on purchases whose cycle has not closed, or has only
// just, and which have no reward.
func (j *Judge) notDue() (total int64) {
	var lastReward reward.Instant
	for i := range j.rows {
		if j.rows[i].Kind == history.Reward {
			lastReward = j.rows[i].At
		}
	}
	for k := len(j.purchases) - 1; k >= 0; k-- {
		p := &j.purchases[k]
		if end := j.program.CycleEnd(p.cycle); end+tooEarly <= j.options.End || end <= lastReward {
			break // it has closed, and what came of it is there
		}
		if !p.granted {
			total += max(0, p.owed)
		}
	}
	return total
}
