package judge

import (
	"recoup/internal/intake/history"
	"recoup/reward"
)

// trace is what is known of rewards while rows are followed in order of time.
type trace struct {
	arrived    []*purchase // so far, in order of time
	came       []*refund
	unnamed    bool      // one of them names no purchase, or one that is not there
	undone     []*refund // refunds that did not stand
	loose      []int32   // reward rows without an explanation
	debt       debt
	bonus      bonus
	sum        summing
	booked     int64 // of the entitlement, what months have
	entitled   int64 // by the terms, so far
	redeemed   int64
	given      int64 // by adjustments
	dueFrom    int   // refunds before it have their close behind them
	lastReward reward.Instant
}

// glance is how many of the latest candidates are looked at, farGlance where there may be
// many of one moment.
const (
	glance    = 8
	farGlance = 512
)

func (t *trace) reset() {
	*t = trace{
		arrived: t.arrived[:0], came: t.came[:0], undone: t.undone[:0], loose: t.loose[:0],
		sum: summing{grants: t.sum.grants[:0], pending: t.sum.pending[:0]}, debt: debt{offs: t.debt.offs[:0]},
	}
}

// follow goes through the rows in order of time: facts change what is owed, and reward rows
// are explained by what is.
func (j *Judge) follow() {
	j.trace.reset()
	j.promise.begin(j.account.ID)
	j.rests.begin()
	f := &j.account.Figures
	for i := range j.rows {
		r, row := &j.rows[i], int32(i)
		if r.At >= j.promise.now.end {
			j.turn(r.At)
		}
		switch r.Kind {
		case history.Purchase:
			j.purchased(row)
		case history.Refund, history.Chargeback:
			j.holdBefore(r.At)
			j.refunded(row)
		case history.RefundReversed, history.ChargebackReversed:
			j.reversal(row)
		case history.Reward:
			if r.Amount != 0 && !j.explain(row) {
				j.loose = append(j.loose, row)
			}
			m := j.month(row)
			m.Leakage += r.Amount
			struck := j.struck[row]
			m.Granted += struck + max(0, r.Amount)
			m.TakenBack += struck + max(0, -r.Amount)
			if max(struck, r.Amount) > 0 {
				f.RewardRows++
			}
			f.Balance += r.Amount
			f.NetReward += r.Amount
			j.lastReward = r.At
		case history.Adjustment:
			f.Adjustments += r.Amount
			j.given += max(0, r.Amount)
			f.Balance += r.Amount
		case history.Redemption:
			j.month(row).Redeemed += r.Amount
			f.Balance -= r.Amount
			j.redeemed += r.Amount
			j.of[row].ahead = max(0, j.redeemed-j.entitled-j.given)
		}
		j.watchDebt(row)
	}
	j.turn(j.end())
	j.promise.closeUntil(reward.LatestInstant)
	j.levelled(nil, j.end())
	for transaction := range j.rests.parts { // refunds without a name may have moved
		j.rests.look(j.promise.account, transaction)
	}
	s := j.promise.account.Summary()
	j.rests.adds = j.rounded(&s)
	f.NetSpend, f.Entitlement = s.NetSpend, s.Entitlement+j.rests.adds
	j.holdBefore(j.end())
	if j.debt.since != 0 && j.options.End-j.debt.since >= DebtsKeptFor {
		j.account.DebtsKept++
	}
}

// turn moves on to the cycle of an instant. Refunds of the cycles before it were due with the
// balance that there is.
func (j *Judge) turn(to reward.Instant) {
	if j.promise.now.end != 0 && to <= j.account.Last {
		j.book(j.promise.now.Cycle, j.promises())
	}
	j.promise.turn(to)
	j.levelled(nil, to)
	for ; j.dueFrom < len(j.came) && j.came[j.dueFrom].cycle < j.promise.now.Cycle; j.dueFrom++ {
		j.came[j.dueFrom].due = j.account.Figures.Balance
	}
}

// explain finds out what a reward row is for.
func (j *Judge) explain(row int32) bool {
	r := &j.rows[row]
	if r.Transaction == "" {
		if r.Amount > 0 {
			return j.credit(row)
		}
		return j.debit(row)
	}
	j.account.Figures.RewardsNaming++
	p := j.bought(r.Transaction)
	switch {
	case p == nil:
		j.account.Figures.RewardsAstray++
		return j.explainBonus(r.Amount)
	case r.Amount > 0:
		return j.creditNamed(p, row) || j.explainBonus(r.Amount) || p.grantedAgain(r.Amount, row)
	case j.debitNamed(p, -r.Amount, row) || j.explainBonus(r.Amount):
		return true
	}
	p.taken -= r.Amount
	return false
}
