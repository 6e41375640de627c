package judge

import "slices"

// credit explains a reward row above zero.
func (j *Judge) credit(row int32) {
	r := &j.rows[row]
	if r.Transaction != "" {
		j.account.Figures.RewardsNaming++
		is := j.byID.find(r.Transaction)
		if is == none {
			j.account.Figures.RewardsAstray++
		}
		if is == none || !j.creditNamed(is, row) && !j.creditBonus(row) && !j.creditTwice(is, row) {
			j.leave(row)
		}
		return
	}
	if !j.creditRecent(row) && !j.creditRest(row) && !j.giveBack(row) && !j.creditBonus(row) && !j.creditAgain(row) && !j.creditSingle(row) &&
		!j.explainSum(row) && !j.creditOdd(row) {
		j.leave(row)
	}
}

// creditNamed explains a row that names its purchase: its grant, a part of one, or a
// reward that is given back.
func (j *Judge) creditNamed(is, row int32) bool {
	p, amount := &j.purchases[is], j.rows[row].Amount
	switch {
	case !p.granted:
		j.grant(is, amount, row)
	case p.retained()+amount > max(p.full, p.owed, p.original)+1:
		return false
	case p.taken == 0:
		p.more(amount)
	default:
		p.back += amount
	}
	return true
}

// more notes a grant that came in parts.
func (p *purchase) more(amount int64) {
	p.original += amount
	p.part = amount
	p.short = p.original < p.owed-1
}

// creditTwice takes a row for the same grant once more.
func (j *Judge) creditTwice(is, row int32) bool {
	p, amount := &j.purchases[is], j.rows[row].Amount
	if !near(amount, p.original, 1) && p.copies == 1 {
		return false
	}
	p.again += amount
	p.againRow = row
	return true
}

// creditBonus takes a row for what is owed for a period and no single purchase.
func (j *Judge) creditBonus(row int32) bool {
	amount, owed := j.rows[row].Amount, j.bonus.owed-j.bonus.got
	if owed <= 0 || !near(amount, owed, 1) {
		return false
	}
	j.bonus.got += amount
	return true
}

// earns reports whether an amount is just what the purchase earns: of what is left of
// it or of all of it.
func (j *Judge) earns(p *purchase, amount int64) bool {
	return amount > 0 && (near(amount, p.owed, 1) || near(amount, p.full, 1))
}

// grant notes the reward of a purchase, and what it was computed on: what refunds had
// left of it by then or, where it is too much for that, all of it. Of several refunds a
// program may leave some out and not others: those whose shares are missing.
func (j *Judge) grant(is int32, amount int64, row int32) {
	p := &j.purchases[is]
	p.granted, p.initial, p.original, p.grantRow, p.grantAt = true, amount, amount, row, j.now
	if k, found := slices.BinarySearch(j.open, is); found {
		j.open = slices.Delete(j.open, k, k+1)
	}
	p.base = p.amount
	p.short = amount < p.owed-1
	var list [glance]int32
	before := list[:0]
	add := func(r int32) {
		if rf := &j.refunds[r]; rf.stands() && !rf.netted && rf.expected == 0 && len(before) < glance {
			before = append(before, r)
		}
	}
	for r := p.first; r != none; r = j.refunds[r].next {
		add(r)
	}
	for k := len(j.placed) - 1; k >= max(0, len(j.placed)-farGlance); k-- {
		if r := j.placed[k]; j.refunds[r].of == is {
			add(r)
		}
	}
	if len(before) > 0 {
		j.leaveOut(p, before, j.leftOut(p, before, amount))
	}
	if !j.closes[row] && j.cycleStart > p.at {
		j.closes[row] = p.cycle == j.cycle-1 && p.grantAt < j.cycleStart+closeWithin
	}
}

// worth is what a grant is less by if it leaves a refund out.
func (rf *refund) worth(p *purchase) int64 {
	if rf.owes > 0 || !rf.linked {
		return rf.owes
	}
	return share(p.full, rf.part, p.amount)
}

// leftOut tells which refunds a grant leaves out, as bits: all if it is what is owed
// or less, none if it is the whole, else those whose shares are missing of the whole.
func (j *Judge) leftOut(p *purchase, before []int32, amount int64) uint {
	all := uint(1)<<len(before) - 1
	if amount <= p.owed+1+int64(len(before)) {
		return all
	}
	best, differs := uint(0), max(amount-p.full, p.full-amount)
	for mask := all; mask > 0; mask-- {
		rest := p.full
		for i, r := range before {
			if mask>>i&1 == 1 {
				rest -= j.refunds[r].worth(p)
			}
		}
		if d := max(amount-rest, rest-amount); d < differs {
			best, differs = mask, d
		}
	}
	return best
}

// leaveOut notes which of the refunds before a grant it left out. The others are due.
func (j *Judge) leaveOut(p *purchase, before []int32, out uint) {
	for i, r := range before {
		if out>>i&1 == 1 {
			rf := &j.refunds[r]
			rf.netted, rf.takenAt, rf.nettedBy = true, p.grantAt, rf.worth(p)
			p.base -= rf.part
		}
	}
	p.base = max(0, p.base)
	for i, r := range before {
		if out>>i&1 == 1 {
			continue
		}
		rf := &j.refunds[r]
		part := int64(0)
		if p.base > 0 {
			part = share(p.original, min(rf.part, p.base), p.base)
		}
		rf.granted, rf.expected, rf.least = p.original, part, part
		if p.isCut() || near(p.original, p.full, 1) {
			rf.least = min(part, rf.net)
		}
		if part > 0 {
			j.pending = append(j.pending, r)
			j.takenBefore(r)
		}
	}
}

// creditRecent looks for the grant among purchases of the last day.
func (j *Judge) creditRecent(row int32) bool {
	r := &j.rows[row]
	found := none
	for k := j.arrived - 1; k >= max(0, j.arrived-glance); k-- {
		p := &j.purchases[k]
		if p.at < r.At-atOnceWithin {
			break
		}
		if p.granted || !j.earns(p, r.Amount) {
			continue
		}
		if found == none {
			found = k
		}
		if r.Amount == p.owed {
			found = k
			break
		}
	}
	if found == none {
		return false
	}
	j.grant(found, r.Amount, row)
	return true
}

// creditRest takes a row for the rest of a grant of the same moment, of which it makes
// the whole: a bonus on top of the base reward.
func (j *Judge) creditRest(row int32) bool {
	r := &j.rows[row]
	for k := j.arrived - 1; k >= max(0, j.arrived-glance) && j.purchases[k].at >= r.At-together; k-- {
		p := &j.purchases[k]
		if p.granted && p.taken == 0 && p.original < p.full && near(p.original+r.Amount, p.full, 1) {
			p.more(r.Amount)
			return true
		}
	}
	return false
}

// giveBack looks for a refund that did not stand.
func (j *Judge) giveBack(row int32) bool {
	for k := len(j.undone) - 1; k >= max(0, len(j.undone)-glance); k-- {
		rf := &j.refunds[j.undone[k]]
		if rf.of != none && rf.undoneAt > j.rows[row].At-forgotten && j.givenBack(rf, row, 1) {
			return true
		}
	}
	return false
}

// givenBack notes what a row gives back of what was taken for a refund, if it is
// that up to some difference: what was taken, or what its grant left out.
func (j *Judge) givenBack(rf *refund, row int32, differs int64) bool {
	p, amount := &j.purchases[rf.of], j.rows[row].Amount
	switch missing := rf.taken - rf.back; {
	case rf.netted && rf.back == 0 && near(amount, rf.nettedBy, 1):
		p.original += amount
		p.base = min(p.amount, p.base+rf.part)
		rf.back = amount
	case !rf.netted && missing > 0 && amount <= missing+1 && near(amount, missing, differs):
		rf.back += amount
		p.back += amount
	default:
		return false
	}
	return true
}

// creditAgain looks for a purchase that was exported twice and granted twice.
func (j *Judge) creditAgain(row int32) bool {
	r := &j.rows[row]
	for k := len(j.copied) - 1; k >= max(0, len(j.copied)-glance); k-- {
		is := j.copied[k]
		if p := &j.purchases[is]; p.granted && p.again == 0 && r.At < p.grantAt+lateRows && near(r.Amount, p.original, 1) {
			return j.creditTwice(is, row)
		}
	}
	return false
}

// creditSingle looks for the grant of one purchase of the open cycle or of the one
// that closed before it: of what is left of it rather than of all of it.
func (j *Judge) creditSingle(row int32) bool {
	amount := j.rows[row].Amount
	found := none
	for k := len(j.open) - 1; k >= max(0, len(j.open)-farGlance); k-- {
		p := &j.purchases[j.open[k]]
		if p.cycle < j.cycle-1 {
			break
		}
		if amount == p.owed {
			found = j.open[k]
			break
		}
		if found == none && amount == p.full {
			found = j.open[k]
		}
	}
	if found == none {
		return false
	}
	j.grant(found, amount, row)
	return true
}

// creditOdd takes a row for the grant of the only purchase of its moment, at
// whatever rate.
func (j *Judge) creditOdd(row int32) bool {
	r := &j.rows[row]
	found := none
	for k := j.arrived - 1; k >= max(0, j.arrived-glance) && j.purchases[k].at >= r.At-together; k-- {
		if !j.purchases[k].granted {
			if found != none {
				return false
			}
			found = k
		}
	}
	if found == none || r.Amount > j.purchases[found].amount/2 {
		return false
	}
	j.grant(found, r.Amount, row)
	return true
}
