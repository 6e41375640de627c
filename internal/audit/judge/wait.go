package judge

import (
	"cmp"
	"slices"

	"recoup/internal/audit/history"
	"recoup/reward"
)

// earning is an amount on the balance that was earned together. First earned is
// first redeemed.
type earning struct {
	purchase int32 // none: adjusted, or not explained
	left     int64
	redeemed int64
	at       reward.Instant // when it was redeemed first
}

// queue is the balance in the order in which it was earned.
type queue struct {
	earnings []earning
	head     int
	debt     int64   // spent beyond what was earned
	of       []int32 // by purchase: its earning
	grants   []rowGrant
}

// rowGrant says for which purchase a row was; of a sum there are several.
type rowGrant struct{ row, purchase int32 }

// redemptions goes through redemptions: how long rewards waited for them, which of
// them went out while the purchase could still be returned, and which were part of
// a round.
func (j *Judge) redemptions() {
	q := &j.queue
	q.earnings, q.head, q.debt, q.of = q.earnings[:0], 0, 0, q.of[:0]
	for range j.purchases {
		q.of = append(q.of, none)
	}
	j.sortGrants()
	next := 0
	for i := range j.rows {
		r := &j.rows[i]
		switch r.Kind {
		case history.Reward, history.Adjustment:
			granted := false
			rest := r.Amount
			for ; next < len(q.grants) && q.grants[next].row == int32(i); next++ {
				is := q.grants[next].purchase
				q.of[is] = int32(len(q.earnings))
				q.earn(is, j.purchases[is].initial)
				rest -= j.purchases[is].initial
				granted = true
			}
			switch {
			case rest > 0:
				q.earn(none, rest)
			case rest < 0 && !granted && r.Transaction != "":
				j.unearn(j.byID.find(r.Transaction), -rest)
			case rest < 0:
				j.spend(-rest, none)
			}
		case history.Redemption:
			if r.Amount < 0 {
				q.earn(none, -r.Amount)
			} else {
				j.spend(r.Amount, int32(i))
			}
		case history.Refund, history.Chargeback:
			if is := j.rowIs[i]; j.refunds[is].row == int32(i) {
				j.noteSpent(is)
			}
		}
	}
	j.returnable()
	j.rounds()
}

// noteSpent notes whether the reward that a refund is to take was redeemed when it came,
// first earned, first redeemed: a program that takes back no more than is left of it
// writes the rest off. Of a refund that names no purchase that would be a guess.
func (j *Judge) noteSpent(is int32) {
	rf, c := &j.refunds[is], &j.account.Refunds[is]
	if rf.of == none || !c.Linked || j.queue.of[rf.of] == none {
		return
	}
	e := &j.queue.earnings[j.queue.of[rf.of]]
	left := e.left
	if c.Spent = left < c.Expected && e.redeemed >= c.Expected-left; c.Spent && (c.Outcome == Never || c.Outcome == Partly) && near(c.Taken, left, rf.tolerance()) {
		c.Floored = true
	}
}

// sortGrants lists the grants by row. Most come in the order of their purchases.
func (j *Judge) sortGrants() {
	q := &j.queue
	q.grants = q.grants[:0]
	for k := range j.purchases {
		if p := &j.purchases[k]; p.granted && p.initial > 0 {
			q.grants = append(q.grants, rowGrant{p.grantRow, int32(k)})
		}
	}
	order := func(a, b rowGrant) int { return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.purchase, b.purchase)) }
	if !slices.IsSortedFunc(q.grants, order) {
		slices.SortFunc(q.grants, order)
	}
}

// earn adds what was earned, less what was spent of it before.
func (q *queue) earn(purchase int32, amount int64) {
	repaid := min(q.debt, amount)
	q.debt -= repaid
	q.earnings = append(q.earnings, earning{purchase: purchase, left: amount - repaid})
}

// unearn takes a clawback from what its purchase earned, else from the rest.
func (j *Judge) unearn(is int32, amount int64) {
	q := &j.queue
	if is != none && q.of[is] != none {
		e := &q.earnings[q.of[is]]
		part := min(e.left, amount)
		e.left -= part
		amount -= part
	}
	j.spend(amount, none)
}

// spend takes an amount from the balance, first earned first. A redemption is noted.
// What is spent beyond the balance is owed by what is earned next.
func (j *Judge) spend(amount int64, redemption int32) {
	q := &j.queue
	for ; amount > 0 && q.head < len(q.earnings); q.head++ {
		e := &q.earnings[q.head]
		part := min(e.left, amount)
		e.left -= part
		amount -= part
		if redemption != none && part > 0 {
			at := j.rows[redemption].At
			if e.redeemed == 0 {
				e.at = at
			}
			e.redeemed += part
			if e.purchase != none {
				if p := &j.purchases[e.purchase]; p.home == 0 {
					j.account.Waits = append(j.account.Waits, Wait{int(days(p.at, at)), part})
				}
			}
		}
		if e.left > 0 {
			return
		}
	}
	q.debt += amount
}

// returnable adds up what was redeemed of rewards whose purchase can still be returned.
func (j *Judge) returnable() {
	from := j.options.End - reward.Instant(j.options.ReturnDays)*reward.Day
	for k := len(j.purchases) - 1; k >= 0 && j.purchases[k].at > from; k-- {
		if at := j.queue.of[k]; at != none {
			e := &j.queue.earnings[at]
			j.account.Figures.RedeemedOpen += min(e.redeemed, max(0, j.purchases[k].retained()))
		}
	}
}
