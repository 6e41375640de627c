package judge

import "slices"

// debit finds out which refunds a reward row below zero took how much for that names no
// purchase.
func (j *Judge) debit(row int32) bool {
	amount := -j.rows[row].Amount
	return j.explainBonus(-amount) || j.explainSum(row) || j.debitOne(amount, row) || j.debitAll(amount, row)
}

// take notes that a clawback took an amount for a refund, of the reward of its purchase.
func (j *Judge) take(rf *refund, amount int64, row int32) {
	r, p := &j.rows[row], rf.of
	if rf.clawbacks == 0 {
		rf.takenFirst, rf.took = row, j.account.Figures.Balance
		if p != nil {
			rf.before = p.taken - p.back
		}
	}
	rf.clawbacks++
	rf.Taken += amount
	rf.TakenAt, rf.takenRow = r.At, row
	j.account.Figures.floats(amount, days(rf.RefundedAt, r.At))
	rf.named = rf.named || r.Transaction != ""
	if p != nil {
		p.taken += amount
	}
}

// spread takes an amount for refunds, the oldest first, each up to what is due of it; what
// nothing is due of is of the latest.
func (j *Judge) spread(list []*refund, amount int64, row int32) {
	for i, rf := range list {
		part := min(amount, rf.open())
		if i == len(list)-1 {
			part = amount
		}
		if part > 0 {
			j.take(rf, part, row)
			amount -= part
		}
	}
}

// due is what is due of refunds together.
func due(list []*refund) (sum int64) {
	for _, rf := range list {
		sum += rf.open()
	}
	return sum
}

// debitNamed explains a row that names its purchase.
func (j *Judge) debitNamed(p *purchase, amount int64, row int32) bool {
	at := j.rows[row].At
	var list []*refund
	var exact, standing *refund
	for _, rf := range p.refunds {
		if rf.stands() {
			standing = rf
		}
		if due := rf.open(); due > 0 {
			list = append(list, rf)
			if near(due, amount, 1) && (exact == nil || due == amount) {
				exact = rf
			}
		}
	}
	all := near(due(list), amount, int64(len(list)))
	switch {
	case exact != nil && (len(list) == 1 || exact.open() == amount || !all):
		j.take(exact, amount, row)
	case len(list) > 0 && !all && list[len(list)-1].RefundedAt >= at-atOnceWithin:
		j.take(list[len(list)-1], amount, row)
	case len(list) > 0:
		j.spread(list, amount, row)
	case j.debitPlaced(p, amount, row):
	case p.retained()-amount >= p.owed-1:
		p.taken += amount // the terms take it too, for a refund of another purchase
	case standing != nil && at < standing.RefundedAt+forgotten:
		j.take(standing, amount, row) // more than its share
	default:
		return false
	}
	return true
}

// debitPlaced takes a row that names a purchase, of which no refund is due, for a refund
// that names none: one that the core takes to be of this purchase too, else one at its
// merchant, else any. The program took it to be of this purchase.
func (j *Judge) debitPlaced(p *purchase, amount int64, row int32) bool {
	rf := j.likely(row, func(rf *refund) int {
		switch {
		case rf.Number > 0 || !rf.stands() || rf.Taken > 0 && rf.open() == 0:
			return 0
		case rf.of == p && rf.open() > 0:
			return 3
		case rf.Merchant == p.Merchant:
			return 2
		}
		return 1
	})
	if rf == nil {
		return false
	}
	if rf.of != p && rf.Taken == 0 {
		rf.isOf(p)
		rf.netted, rf.nettedBy = false, 0
		rf.Granted, rf.owes, rf.Owed, rf.most, rf.least = p.original, amount, amount, amount, amount
	}
	if rf.of == p && rf.Taken == 0 {
		rf.told = near(amount, share(p.original, min(rf.Amount, p.Amount), p.Amount), 1)
	}
	j.take(rf, amount, row)
	return true
}

// debitOne takes a row for the refund that it looks most like the clawback of, the latest of
// several: just what is due, about that, or the refund of its moment, whatever it took.
func (j *Judge) debitOne(amount int64, row int32) bool {
	best := j.likely(row, func(rf *refund) int {
		switch due := rf.open(); {
		case due == 0:
			return 0
		case due == amount:
			return 3
		case near(due, amount, 1):
			return 2
		case rf.RefundedAt >= j.rows[row].At-together && amount <= rf.of.retained():
			return 1
		}
		return 0
	})
	if best != nil {
		j.take(best, amount, row)
	}
	return best != nil
}

// likely is the refund that a row is the likeliest clawback of, the latest of several; nil. One
// that is out of the question ranks zero, and none can do better than three.
func (j *Judge) likely(row int32, rank func(*refund) int) (best *refund) {
	most := 0
	for k := len(j.came) - 1; k >= 0 && j.came[k].RefundedAt >= j.rows[row].At-forgotten && most < 3; k-- {
		if n := rank(j.came[k]); n > most {
			best, most = j.came[k], n
		}
	}
	return best
}

// debitAll takes a row for all that is open of the last weeks, or for the oldest of it.
func (j *Judge) debitAll(amount int64, row int32) bool {
	var list []*refund
	for k := len(j.came) - 1; k >= 0 && j.came[k].RefundedAt >= j.rows[row].At-recently; k-- {
		if rf := j.came[k]; rf.open() > 0 {
			list = append(list, rf)
		}
	}
	slices.Reverse(list)
	if amount > due(list) {
		return false
	}
	j.spread(list, amount, row)
	for _, rf := range list {
		rf.approximate = rf.approximate || rf.takenRow == row
	}
	return true
}
