package judge

// grant notes the reward of a purchase, and what it was computed on: what refunds had left of
// it by then or, where it is too much for that, all of it.
func (j *Judge) grant(is int32, amount int64, row int32) {
	p := &j.purchases[is]
	p.granted, p.initial, p.original, p.grantRow, p.grantAt = true, amount, amount, row, j.rows[row].At
	p.base, p.short = p.amount, amount < p.owed-1
	before := j.refundsBefore(is)
	netted := amount <= p.owed+1+int64(len(before))
	for _, r := range before {
		rf := &j.refunds[r]
		if netted {
			rf.netted, rf.TakenAt, rf.nettedBy = true, p.grantAt, rf.worth(p)
			p.base = max(0, p.base-rf.part)
			continue
		}
		part := share(p.original, rf.part, p.amount)
		rf.Granted, rf.most, rf.least = p.original, part, part
	}
	c := j.calendar.at(p.grantAt)
	j.closes[row] = j.closes[row] || p.cycle == c.Cycle-1 && p.grantAt < c.start+lateRows
}

// refundsBefore are the refunds of a purchase that came before its grant.
func (j *Judge) refundsBefore(is int32) (list []int32) {
	add := func(r int32) {
		if rf := &j.refunds[r]; rf.stands() && !rf.netted && len(list) < glance {
			list = append(list, r)
		}
	}
	for r := j.purchases[is].first; r != none; r = j.refunds[r].next {
		add(r)
	}
	for r := j.came - 1; r >= 0 && j.refunds[r].row > j.purchases[is].row; r-- {
		if rf := &j.refunds[r]; rf.of == is && !rf.Linked {
			add(r)
		}
	}
	return list
}
