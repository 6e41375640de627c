package judge

import (
	"cmp"
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
	f.Leakage = max(0, f.NetReward-f.Entitlement)
	f.ShortPaid = max(0, f.Entitlement-f.NotDue-f.NetReward)
	open, unnamed := j.leavesOpen(), j.unnamed()
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
	rest := max(0, f.Leakage-untaken-f.Unearned-f.Purchases-f.Refunds)
	if open {
		f.InQuestion = min(rest, plus(restored, j.inQuestion()))
	}
	f.Unexplained = rest - f.InQuestion
}

// leavesOpen reports whether the account has refunds of which it is open whose reward they
// take: that name no purchase, or exceed theirs. The core takes the dearest that they may
// be of, and the rest of an excess from others at the merchant; a program may see it
// otherwise.
func (j *Judge) leavesOpen() bool {
	return slices.ContainsFunc(j.refunds, func(rf refund) bool { return rf.stands() && (!rf.linked || rf.over) })
}

// unnamed reports whether neither refunds nor rewards of the account name a purchase.
// Who then takes a refund to be of another purchase than before gives back what was taken
// for it, in a row that looks like a grant of nothing.
func (j *Judge) unnamed() bool {
	return !j.named && j.leavesOpen() && !slices.ContainsFunc(j.refunds, func(rf refund) bool { return rf.linked && !rf.chargeback })
}

// inQuestion is what may be out because of that: what the core took when they came, or
// may take when it has seen more, less what the program did. One that names no purchase
// may be of the dearest.
func (j *Judge) inQuestion() (sum int64) {
	dearest := j.dearest()
	for k := range j.refunds {
		rf := &j.refunds[k]
		if !rf.stands() || rf.linked && (rf.of == none || !rf.over) {
			continue
		}
		takes := max(rf.owes, rf.net)
		switch {
		case !rf.linked && dearest != nil:
			takes = max(takes, share(dearest.full, min(rf.amount, dearest.amount), dearest.amount))
		case rf.linked:
			p := &j.purchases[rf.of]
			takes = max(takes, rf.owes+share(p.full, rf.amount-rf.part, p.amount))
		}
		sum = plus(sum, max(1, takes-rf.taken-rf.nettedBy))
	}
	return sum
}

// dearest is the purchase that earns the most per unit; nil if none earns anything.
func (j *Judge) dearest() (best *purchase) {
	for k := range j.purchases {
		if p := &j.purchases[k]; p.full > 0 && (best == nil || perUnit(p, best) > 0) {
			best = p
		}
	}
	return best
}

// perUnit compares what two purchases earn per unit.
func perUnit(a, b *purchase) int {
	hi1, lo1 := bits.Mul64(uint64(a.full), uint64(b.amount))
	hi2, lo2 := bits.Mul64(uint64(b.full), uint64(a.amount))
	return cmp.Or(cmp.Compare(hi1, hi2), cmp.Compare(lo1, lo2))
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
