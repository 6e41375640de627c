package judge

// grant notes the reward of a purchase, and what it was computed on: what refunds had left of
// it by then or, where it is too much for that, all of it.
func (j *Judge) grant(p *purchase, amount int64, row int32) {
	p.granted, p.initial, p.original, p.grantRow, p.grantAt = true, amount, amount, row, j.rows[row].At
	p.with, j.of[row].purchase = j.of[row].purchase, p
	p.base, p.short = p.Amount, amount < p.owed-1
	before := j.refundsBefore(p)
	netted := amount <= p.owed+1+int64(len(before))
	for _, rf := range before {
		if netted {
			rf.netted, rf.TakenAt, rf.nettedBy = true, p.grantAt, rf.worth(p)
			p.base = max(0, p.base-rf.part)
			continue
		}
		part := share(p.original, rf.part, p.Amount)
		rf.Granted, rf.most, rf.least = p.original, part, part
	}
	c := j.calendar.at(p.grantAt)
	j.of[row].closes = j.of[row].closes || p.cycle == c.Cycle-1 && p.grantAt < c.start+lateRows
}

// refundsBefore are the refunds of a purchase that came before its grant.
func (j *Judge) refundsBefore(p *purchase) (list []*refund) {
	add := func(rf *refund) {
		if rf.stands() && !rf.netted && len(list) < glance {
			list = append(list, rf)
		}
	}
	for _, rf := range p.refunds {
		add(rf)
	}
	for k := len(j.came) - 1; k >= 0 && j.came[k].row > p.row; k-- {
		if rf := j.came[k]; rf.of == p && !rf.Linked {
			add(rf)
		}
	}
	return list
}
