package judge

import "recoup/reward"

// recently is how old a refund may be for a row that fits none to be taken for it.
const recently = 45 * reward.Day

// debit explains a reward row below zero: which refunds it took how much for.
func (j *Judge) debit(row int32) {
	r := &j.rows[row]
	amount := -r.Amount
	if r.Transaction != "" {
		j.account.Figures.RewardsNaming++
		is := j.byID.find(r.Transaction)
		if is == none {
			j.account.Figures.RewardsAstray++
		} else if j.debitNamed(is, amount, row) {
			return
		}
		if j.debitBonus(amount) {
			return
		}
		if is != none {
			j.purchases[is].taken += amount
		}
		j.leave(row)
		return
	}
	j.forget(r.At - forgotten)
	if !j.debitAgain(amount, row) && !j.debitBonus(amount) && !j.explainSum(row) && !j.debitSingle(amount, row) && !j.debitRest(amount, row) {
		j.leave(row)
	}
}

// debitBonus takes a row for what was granted for a period and is no longer owed.
func (j *Judge) debitBonus(amount int64) bool {
	over := j.bonus.got - j.bonus.owed
	if over <= 0 || !near(amount, over, 1) {
		return false
	}
	j.bonus.got -= amount
	return true
}

// forget lets go of pending refunds that are too old, or that nothing is due of
// any more.
func (j *Judge) forget(before reward.Instant) {
	for j.oldest < len(j.pending) {
		rf := &j.refunds[j.pending[j.oldest]]
		if rf.at >= before && rf.due() > 0 {
			break
		}
		j.oldest++
	}
	if n := len(j.pending); n > j.oldest && j.refunds[j.pending[n-1]].due() == 0 {
		j.pending = j.pending[:n-1]
	}
}

// waiting are the pending refunds, oldest first, some of which may be done.
func (j *Judge) waiting() []int32 { return j.pending[min(j.oldest, len(j.pending)):] }

// debitNamed explains a row that names its purchase.
func (j *Judge) debitNamed(is int32, amount int64, row int32) bool {
	p, at := &j.purchases[is], j.rows[row].At
	var all, count int64
	exact, newest, standing := none, none, none
	for r := p.first; r != none; r = j.refunds[r].next {
		rf := &j.refunds[r]
		if rf.stands() {
			standing = r
		}
		due := rf.due()
		if due == 0 {
			continue
		}
		all += due
		count++
		newest = r
		if near(due, amount, 1) && (exact == none || due == amount) {
			exact = r
		}
	}
	switch {
	case exact != none && (count == 1 || j.refunds[exact].due() == amount || !near(all, amount, count)):
		j.take(exact, amount, row)
		return true
	case count == 0:
		if j.debitPlaced(is, amount, row) {
			return true
		}
		if p.retained()-amount >= p.owed-1 {
			p.taken += amount // the terms take it too, for a refund of another purchase
			return true
		}
		if standing == none || at >= j.refunds[standing].at+forgotten {
			return false
		}
		j.take(standing, amount, row) // more than its share
		return true
	case !near(all, amount, count) && j.refunds[newest].at >= at-atOnceWithin:
		j.take(newest, amount, row)
		return true
	}
	rest := amount
	for r := p.first; r != none && rest > 0; r = j.refunds[r].next {
		if due := j.refunds[r].due(); due > 0 {
			part := min(due, rest)
			if r == newest {
				part = rest
			}
			j.take(r, part, row)
			rest -= part
		}
	}
	return true
}

// debitPlaced takes a row that names a purchase, of which no refund is due, for a refund
// that names none: one that the core takes to be of this purchase too, else one at its
// merchant, else any. The program took it to be of this purchase.
func (j *Judge) debitPlaced(is int32, amount int64, row int32) bool {
	at := j.rows[row].At
	merchant := j.rows[j.purchases[is].row].Merchant
	best, rank := none, 0
	for k := len(j.placed) - 1; k >= max(0, len(j.placed)-8*glance); k-- {
		rf := &j.refunds[j.placed[k]]
		if rf.at < at-forgotten {
			break
		}
		if !rf.stands() || rf.taken > 0 && rf.due() == 0 {
			continue
		}
		fits := 1
		switch {
		case rf.of == is && rf.due() > 0:
			fits = 3
		case j.rows[rf.row].Merchant == merchant:
			fits = 2
		}
		if fits > rank {
			best, rank = j.placed[k], fits
		}
	}
	if best == none {
		return false
	}
	if rf := &j.refunds[best]; rf.of != is && rf.taken == 0 {
		p := &j.purchases[is]
		rf.of, rf.netted, rf.nettedBy, rf.place = is, false, 0, placeOf(p, rf)
		rf.part = min(rf.amount, p.left())
		rf.granted, rf.owes, rf.net, rf.expected, rf.least = p.original, amount, amount, amount, amount
	}
	if rf := &j.refunds[best]; rf.taken == 0 && rf.of == is {
		p := &j.purchases[is]
		rf.told = near(amount, share(p.original, min(rf.amount, p.amount), p.amount), 1)
	}
	j.take(best, amount, row)
	return true
}

// debitAgain looks for a refund that was exported twice and taken twice.
func (j *Judge) debitAgain(amount int64, row int32) bool {
	for k := len(j.reclaim) - 1; k >= max(0, len(j.reclaim)-glance); k-- {
		is := j.reclaim[k]
		if rf := &j.refunds[is]; rf.clawbacks == 1 && near(rf.taken, amount, 1) && j.rows[row].At < rf.takenAt+lateRows {
			j.take(is, amount, row)
			return true
		}
	}
	return false
}

// debitSingle looks for one refund whose share it is, the latest first, or what goes of
// one even if freed cap room helps others.
func (j *Judge) debitSingle(amount int64, row int32) bool {
	list := j.waiting()
	for differs := range int64(2) {
		for k := len(list) - 1; k >= 0; k-- {
			if due := j.refunds[list[k]].due(); due > 0 && near(due, amount, differs) {
				j.take(list[k], amount, row)
				return true
			}
		}
	}
	for k := len(list) - 1; k >= 0; k-- {
		if rf := &j.refunds[list[k]]; rf.due() > 0 && rf.taken == 0 && near(rf.least, amount, 1) {
			j.take(list[k], amount, row)
			return true
		}
	}
	return false
}

// debitRest takes a row for the refund of its moment, whatever it took; else for
// all that is pending, or for the oldest of it.
func (j *Judge) debitRest(amount int64, row int32) bool {
	list, at := j.waiting(), j.rows[row].At
	for k := len(list) - 1; k >= 0 && j.refunds[list[k]].at >= at-together; k-- {
		rf := &j.refunds[list[k]]
		if rf.due() > 0 && amount <= j.purchases[rf.of].retained() {
			j.take(list[k], amount, row)
			return true
		}
	}
	var all int64
	for _, is := range list {
		if rf := &j.refunds[is]; rf.at >= at-recently {
			all += rf.due()
		}
	}
	if amount > all {
		return false
	}
	rest := amount
	for _, is := range list {
		rf := &j.refunds[is]
		if due := rf.due(); due > 0 && rf.at >= at-recently && rest > 0 {
			rf.approximate = true
			part := min(due, rest)
			j.take(is, part, row)
			rest -= part
		}
	}
	return true
}
