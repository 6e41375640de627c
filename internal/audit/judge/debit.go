package judge

import "slices"

// debit finds out which refunds a reward row below zero took how much for that names no
// purchase.
func (j *Judge) debit(row int32) bool {
	amount := -j.rows[row].Amount
	return j.explainBonus(-amount) || j.explainSum(row) || j.debitOne(amount, row) || j.debitAll(amount, row)
}

// take notes that a clawback took an amount for a refund, of the reward of the purchase that
// the row names or, if none, the refund's.
func (j *Judge) take(is int32, amount int64, row int32) {
	rf, r := &j.refunds[is], &j.rows[row]
	on := rf.of
	if rf.clawbacks == 0 {
		rf.takenFirst, rf.took = row, j.balance
		if on != none {
			rf.before = j.purchases[on].taken - j.purchases[on].back
		}
	}
	rf.clawbacks++
	rf.Taken += amount
	rf.TakenAt, rf.takenRow = r.At, row
	rf.floatDays = plus(rf.floatDays, overDays(amount, days(rf.RefundedAt, r.At)))
	rf.named = rf.named || r.Transaction != ""
	if on != none {
		j.purchases[on].taken += amount
	}
}

// spread takes an amount for refunds, the oldest first, each up to what is due of it; what
// nothing is due of is of the latest.
func (j *Judge) spread(list []int32, amount int64, row int32) {
	for i, is := range list {
		part := min(amount, j.refunds[is].open())
		if i == len(list)-1 {
			part = amount
		}
		if part > 0 {
			j.take(is, part, row)
			amount -= part
		}
	}
}

// due is what is due of refunds together.
func (j *Judge) due(list []int32) (sum int64) {
	for _, is := range list {
		sum += j.refunds[is].open()
	}
	return sum
}

// debitNamed explains a row that names its purchase.
func (j *Judge) debitNamed(is int32, amount int64, row int32) bool {
	p, at := &j.purchases[is], j.rows[row].At
	var list []int32
	exact, standing := none, none
	for r := p.first; r != none; r = j.refunds[r].next {
		rf := &j.refunds[r]
		if rf.stands() {
			standing = r
		}
		if due := rf.open(); due > 0 {
			list = append(list, r)
			if near(due, amount, 1) && (exact == none || due == amount) {
				exact = r
			}
		}
	}
	all := near(j.due(list), amount, int64(len(list)))
	switch {
	case exact != none && (len(list) == 1 || j.refunds[exact].open() == amount || !all):
		j.take(exact, amount, row)
	case len(list) > 0 && !all && j.refunds[list[len(list)-1]].RefundedAt >= at-atOnceWithin:
		j.take(list[len(list)-1], amount, row)
	case len(list) > 0:
		j.spread(list, amount, row)
	case j.debitPlaced(is, amount, row):
	case p.retained()-amount >= p.owed-1:
		p.taken += amount // the terms take it too, for a refund of another purchase
	case standing != none && at < j.refunds[standing].RefundedAt+forgotten:
		j.take(standing, amount, row) // more than its share
	default:
		return false
	}
	return true
}

// debitPlaced takes a row that names a purchase, of which no refund is due, for a refund
// that names none: one that the core takes to be of this purchase too, else one at its
// merchant, else any. The program took it to be of this purchase.
func (j *Judge) debitPlaced(is int32, amount int64, row int32) bool {
	p := &j.purchases[is]
	best := j.likely(row, func(rf *refund) int {
		switch {
		case rf.Number > 0 || !rf.stands() || rf.Taken > 0 && rf.open() == 0:
			return 0
		case rf.of == is && rf.open() > 0:
			return 3
		case rf.Merchant == j.rows[p.row].Merchant:
			return 2
		}
		return 1
	})
	if best == none {
		return false
	}
	rf := &j.refunds[best]
	if rf.of != is && rf.Taken == 0 {
		j.place(rf, is)
		rf.netted, rf.nettedBy = false, 0
		rf.Granted, rf.owes, rf.Owed, rf.most, rf.least = p.original, amount, amount, amount, amount
	}
	if rf.of == is && rf.Taken == 0 {
		rf.told = near(amount, share(p.original, min(rf.Amount, p.amount), p.amount), 1)
	}
	j.take(best, amount, row)
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
		case rf.RefundedAt >= j.rows[row].At-together && amount <= j.purchases[rf.of].retained():
			return 1
		}
		return 0
	})
	if best != none {
		j.take(best, amount, row)
	}
	return best != none
}

// likely is the refund that a row is the likeliest clawback of, the latest of several; none. One
// that is out of the question ranks zero, and none can do better than three.
func (j *Judge) likely(row int32, rank func(*refund) int) int32 {
	best, most := none, 0
	for r := j.came - 1; r >= 0 && j.refunds[r].RefundedAt >= j.rows[row].At-forgotten && most < 3; r-- {
		if n := rank(&j.refunds[r]); n > most {
			best, most = r, n
		}
	}
	return best
}

// debitAll takes a row for all that is open of the last weeks, or for the oldest of it.
func (j *Judge) debitAll(amount int64, row int32) bool {
	var list []int32
	for r := j.came - 1; r >= 0 && j.refunds[r].RefundedAt >= j.rows[row].At-recently; r-- {
		if j.refunds[r].open() > 0 {
			list = append(list, r)
		}
	}
	slices.Reverse(list)
	if amount > j.due(list) {
		return false
	}
	j.spread(list, amount, row)
	for _, r := range list {
		rf := &j.refunds[r]
		rf.approximate = rf.approximate || rf.takenRow == row
	}
	return true
}
