package judge

import (
	"slices"

	"recoup/internal/intake/history"
	"recoup/reward"
)

// earning is an amount on the balance that was earned together. First earned is first
// redeemed.
type earning struct {
	purchase *purchase // nil: adjusted, or not explained
	left     int64
	redeemed int64
	at       reward.Instant // when it was redeemed first
}

// queue is the balance in the order in which it was earned.
type queue struct {
	earnings []earning
	head     int
	debt     int64 // spent beyond what was earned
}

// redemptions goes through redemptions with the balance that they found: how long rewards
// waited for them, which of them went out while the purchase could still be returned, which
// were part of a round, and what of them a checked program would have refused.
func (j *Judge) redemptions() {
	q := &j.queue
	*q = queue{earnings: q.earnings[:0]}
	waits := j.waits()
	var came int                     // refunds so far
	var balance, redeemed, odd int64 // see aboveBalance
	for i := range j.rows {
		r, row := &j.rows[i], int32(i)
		switch r.Kind {
		case history.Reward, history.Adjustment:
			if _, loose := slices.BinarySearch(j.loose, row); r.Amount < 0 && (loose || r.Kind == history.Adjustment) {
				odd -= r.Amount
			}
			balance += r.Amount
			rest := r.Amount
			for p := j.of[i].purchase; p != nil; p = p.with {
				if p.initial > 0 {
					q.earn(p, p.initial)
					rest -= p.initial
				}
			}
			switch {
			case rest > 0:
				q.earn(nil, rest)
			case rest < 0 && r.Transaction != "":
				j.spend(q.unearn(j.bought(r.Transaction), -rest), nil)
			case rest < 0:
				j.spend(-rest, nil)
			}
		case history.Redemption:
			redeemed += r.Amount
			j.aboveBalance(i, balance, odd, redeemed)
			balance -= r.Amount
			if r.Amount < 0 {
				q.earn(nil, -r.Amount)
			} else {
				j.dip(row, balance, j.came[:came], waits)
				j.spend(r.Amount, r)
			}
		case history.Refund, history.Chargeback:
			if rf := j.of[i].refund; rf.row == row {
				came++
				j.noteSpent(rf)
			}
		}
	}
	j.returnable()
	j.rounds()
}

// earn adds what was earned, less what was spent of it before.
func (q *queue) earn(p *purchase, amount int64) {
	repaid := min(q.debt, amount)
	q.debt -= repaid
	q.earnings = append(q.earnings, earning{purchase: p, left: amount - repaid})
	if p != nil {
		p.earning = len(q.earnings)
	}
}

// earned is what a purchase earned; nil if nothing.
func (q *queue) earned(p *purchase) *earning {
	if p == nil || p.earning == 0 {
		return nil
	}
	return &q.earnings[p.earning-1]
}

// unearn takes a clawback from what its purchase earned, and returns the rest.
func (q *queue) unearn(p *purchase, amount int64) int64 {
	if e := q.earned(p); e != nil {
		part := min(e.left, amount)
		e.left -= part
		amount -= part
	}
	return amount
}

// spend takes an amount from the balance, first earned first; of a redemption it is noted.
// What is spent beyond the balance is owed by what is earned next.
func (j *Judge) spend(amount int64, redemption *history.Row) {
	q := &j.queue
	for ; amount > 0 && q.head < len(q.earnings); q.head++ {
		e := &q.earnings[q.head]
		part := min(e.left, amount)
		e.left -= part
		amount -= part
		if redemption != nil && part > 0 {
			if e.redeemed == 0 {
				e.at = redemption.At
			}
			e.redeemed += part
			if e.purchase != nil && e.purchase.home == 0 {
				j.account.Waits = append(j.account.Waits, Wait{int(days(e.purchase.At, redemption.At)), part})
			}
		}
		if e.left > 0 {
			return
		}
	}
	q.debt += amount
}

// noteSpent notes whether the reward that a refund is to take was redeemed when it came: a
// program that takes back no more than is left of it writes the rest off. Of a refund that
// names no purchase that would be a guess.
func (j *Judge) noteSpent(rf *refund) {
	if e := j.queue.earned(rf.of); e != nil && rf.Linked {
		rf.Spent = e.left < rf.Expected && e.redeemed >= rf.Expected-e.left
		rf.Floored = rf.Floored || rf.Spent && (rf.Outcome == Never || rf.Outcome == Partly) && near(rf.Taken, e.left, rf.tolerance())
	}
}

// returnable adds up what was redeemed of rewards whose purchase can still be returned.
func (j *Judge) returnable() {
	from := j.options.End - reward.Instant(j.options.ReturnDays)*reward.Day
	for k := len(j.arrived) - 1; k >= 0 && j.arrived[k].At > from; k-- {
		p := j.arrived[k]
		if e := j.queue.earned(p); e != nil {
			j.account.Figures.RedeemedOpen += min(e.redeemed, max(0, p.retained()))
		}
	}
}

// rounds lists the courses of the four phases: a purchase, the redemption of its reward soon
// after it came, the return of half of the purchase at least, and reward that the program is
// without since.
func (j *Judge) rounds() {
	const soon = 14 * reward.Day
	for _, rf := range j.came {
		e := j.queue.earned(rf.of)
		if e == nil || e.redeemed == 0 || rf.Unrecovered == 0 {
			continue
		}
		p := rf.of
		if e.at > p.grantAt+soon || e.at > rf.RefundedAt && rf.Taken > 0 && e.at > rf.TakenAt {
			continue
		}
		if n := len(j.account.Rounds); n > 0 && j.account.Rounds[n-1].Purchase == rf.Purchase {
			last := &j.account.Rounds[n-1]
			last.Returned = min(p.Amount, last.Returned+rf.Amount)
			last.Kept += rf.Unrecovered
			continue
		}
		if 2*max(rf.part, p.Amount-p.left()) >= p.Amount {
			j.account.Rounds = append(j.account.Rounds, Round{
				Purchase: rf.Purchase, BoughtAt: p.At, RedeemedAt: e.at, ReturnedAt: rf.RefundedAt,
				Bought: p.Amount, Reward: p.original, Redeemed: e.redeemed, Returned: rf.part, Kept: rf.Unrecovered,
			})
		}
	}
}
