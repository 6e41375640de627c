package judge

import (
	"math"
	"math/bits"

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
			} else {
				f.TakenBack -= r.Amount
			}
		case history.Adjustment:
			f.Adjustments += r.Amount
		case history.Redemption:
			f.Redeemed += r.Amount
		}
	}
	f.NetSpend = j.terms.end.NetSpend
	f.Entitlement = j.terms.end.Entitlement
	f.NetReward = f.Granted - f.TakenBack
	f.Balance = f.NetReward + f.Adjustments - f.Redeemed
	if f.Balance != j.balance {
		panic("judge: the balance is not what was granted less what was taken back, adjusted and redeemed")
	}
	f.Debt = max(0, -f.Balance)
	f.NotDue = min(j.notDue(), f.Entitlement)
	f.Leakage = max(0, f.NetReward-f.Entitlement)
	f.ShortPaid = max(0, f.Entitlement-f.NotDue-f.NetReward)
	for k := range j.refunds {
		rf := &j.refunds[k]
		f.FloatDays = plus(f.FloatDays, rf.floatDays)
		if rf.undoneAt == 0 && !rf.netted {
			missing := max(0, rf.share()-rf.taken)
			f.FloatDays = plus(f.FloatDays, overDays(missing, days(rf.at, j.options.End)))
		}
	}
	j.account.Simulation = j.terms.sim
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
	for k := len(j.buckets) - 1; k >= 0; k-- {
		b := &j.buckets[k]
		if end := b.cycle.End(); end+tooEarly <= j.options.End || end <= lastReward {
			break // it has closed, and what came of it is there
		}
		var net int64
		for i := len(j.purchases) - 1; i >= 0 && j.purchases[i].cycle >= b.cycle; i-- {
			if p := &j.purchases[i]; p.bucket == int32(k) && !p.granted {
				net += p.left()
			}
		}
		total += max(0, min(b.rate.Of(net), b.promised(b.net)-max(0, b.granted-b.taken)))
	}
	return total
}
