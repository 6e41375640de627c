package judge

import (
	"math"
	"math/bits"
	"slices"
)

// figures adds the account up, beside what was counted on the way.
func (j *Judge) figures() {
	f := &j.account.Figures
	for _, m := range j.account.Months {
		f.Spend += m.Spend
		f.Refunded += m.Refunded
		f.Granted += m.Granted
		f.TakenBack += m.TakenBack
		f.Redeemed += m.Redeemed
	}
	if len(j.rows) > 0 {
		j.book(j.calendar.at(j.account.Last).Cycle, f.Entitlement)
	}
	f.Debt, f.Rounding = max(0, -f.Balance), j.unsaid(f.Purchases)+f.Refunds
	f.NotDue = min(j.notDue(), f.Entitlement)
	f.Beyond = j.beyond()
	kept := f.NetReward + f.Forgiven
	f.Leakage = max(0, kept-f.Entitlement-f.Beyond)
	f.ShortPaid = max(0, f.Entitlement-f.NotDue-kept)
	f.Forgiven = min(f.Forgiven, f.Leakage) // who is due it all the same has no more for it
	if !j.unnamed {
		j.account.Fit.Named = f.Entitlement - f.NotDue
		j.account.Fit.Short = max(0, f.ShortPaid-f.Rounding-j.account.TakenByHand)
	}
	untaken := j.untaken()
	j.account.Fit.Pending = min(j.account.Fit.Pending, f.Leakage-f.Forgiven)
	if f.Leakage > 0 {
		j.leakage(untaken)
	} else { // who has no more than is owed has nothing unearned, and no debt forgotten
		j.debt.offs, j.account.DebtsForgotten = j.debt.offs[:0], 0
	}
}

// leakage says what the leakage is of.
func (j *Judge) leakage(untaken int64) {
	f := &j.account.Figures
	restores := j.mayRestore()
	var restored int64 // by rows that may give back what was taken
	for _, row := range j.loose {
		switch amount := j.rows[row].Amount; {
		case amount < 0:
		case restores && restored+amount <= f.TakenBack:
			restored += amount
		default:
			f.Unearned += amount
			f.UnearnedRows++
		}
	}
	f.Unearned = min(f.Unearned, f.Leakage)
	rest := max(0, f.Leakage-untaken-f.Unearned-f.Forgiven)
	cheapest, most := j.ifUnnamed()
	if open := cheapest - f.Beyond; open > 0 {
		f.InQuestion = min(rest, restored+open)
	}
	f.Unexplained = max(0, rest-f.InQuestion-f.Rounding)
	f.LeakageNamed = min(f.Leakage-f.InQuestion, max(0, f.Leakage-most))
	j.account.Fit.Left = max(0, f.LeakageNamed-f.Unearned-f.Forgiven-j.account.Fit.Pending)
}

// untaken adds up what was not taken.
func (j *Judge) untaken() (untaken int64) {
	f := &j.account.Figures
	for _, rf := range j.came {
		if rf.undoneAt != 0 || rf.netted {
			continue
		}
		missing := max(0, rf.share()-rf.Taken)
		f.floats(missing, days(rf.RefundedAt, j.options.End))
		switch rf.Outcome {
		case TooEarly:
			j.account.Fit.Pending += missing
			untaken += missing
		case Never, Partly:
			untaken += missing
		}
	}
	return untaken
}

// mayRestore reports whether neither refunds nor rewards of the account name a purchase. Who
// then takes a refund to be of another purchase than before gives back what was taken for it,
// in a row that looks like a grant of nothing.
func (j *Judge) mayRestore() bool {
	return j.account.Figures.RewardsNaming == 0 && j.leavesNames() &&
		!slices.ContainsFunc(j.came, func(rf *refund) bool { return rf.Linked && !rf.Chargeback })
}

// floats adds an amount that was not taken for some days, as far as 64 bits go.
func (f *Figures) floats(amount, days int64) {
	hi, product := bits.Mul64(uint64(amount), uint64(days))
	sum, carry := bits.Add64(product, uint64(f.FloatDays), 0)
	if hi+carry > 0 {
		sum = math.MaxInt64
	}
	f.FloatDays = int64(min(sum, math.MaxInt64))
}

// notDue is what is promised on purchases whose cycle has not closed, or has only
// just, and which have no reward.
func (j *Judge) notDue() (total int64) {
	for _, p := range slices.Backward(j.arrived) {
		if end := j.calendar.at(p.At).end; end+tooEarly <= j.options.End || end <= j.lastReward {
			break // it has closed, and what came of it is there
		}
		if !p.granted {
			total += max(0, p.owed) + 1 - j.unsaid(1) // which it may be rounded up by
		}
	}
	return total
}
