package judge

import "recoup/reward"

// levelling is what the terms come to with one fact.
type levelling struct {
	net int64 // of all
	own int64 // of one purchase
	on  int32 // the purchase that most is taken of; none
}

// owe plays a fact through the published terms.
func (j *Judge) owe(row, own int32) levelling {
	j.promise.row(&j.rows[row], int(row))
	return j.levelled(own)
}

// levelled takes in what the terms posted.
func (j *Judge) levelled(own int32) (l levelling) {
	l.on = none
	var most int64
	for i := range j.promise.journal {
		posting := &j.promise.journal[i]
		if !isReward(posting.Kind) {
			continue
		}
		amount := posting.Amount
		l.net += amount
		is := none
		switch {
		case posting.Transaction == "":
		case own != none && posting.Transaction == j.rows[j.purchases[own].row].ID:
			is = own
			l.own += amount
		default:
			is = j.byID.find(posting.Transaction)
		}
		if is == none {
			j.bonus.owed += amount
			if amount < 0 && j.bonus.got > 0 {
				j.bonus.fell = j.now
			}
			continue
		}
		p := &j.purchases[is]
		p.owed += amount
		if p.rule == "" {
			p.rule = posting.Rule
		}
		f := &posting.Formula
		p.capped = p.capped || is == own && posting.Kind == reward.Grant && f.Cap != reward.NoCap && f.Used >= f.Cap
		if amount < 0 && is != own {
			p.lowered = j.now
		}
		if amount > 0 && is != own {
			p.freed = j.now
			if !p.granted && p.arrived {
				j.opens(is)
			}
		}
		if amount < most {
			most, l.on = amount, is
		}
	}
	j.promise.journal = j.promise.journal[:0]
	return l
}

// opens lists a purchase as one whose grant is still to come.
func (j *Judge) opens(is int32) {
	if n := len(j.open); n == 0 || j.open[n-1] < is {
		j.open = append(j.open, is)
	}
}

// purchased brings a purchase in.
func (j *Judge) purchased(row int32) {
	is := j.rowIs[row]
	p := &j.purchases[is]
	l := j.owe(row, is)
	if p.row != row {
		j.copied = append(j.copied, is)
		return
	}
	p.arrived = true
	j.arrived = is + 1
	p.full = l.own
	if left := p.left(); left < p.amount && left > 0 {
		p.full = share(l.own, p.amount, left)
	}
	if p.owed > 0 || p.capped {
		j.opens(is)
	}
	if len(j.loose) > 0 && !p.granted {
		j.grantedBefore(is)
	}
}

// refunded brings a refund in and works out its share of the reward.
func (j *Judge) refunded(row int32) {
	is := j.rowIs[row]
	rf := &j.refunds[is]
	capped := rf.of != none && j.purchases[rf.of].isCut()
	var before int64
	if capped {
		before = j.promise.account.Summary().Entitlement
	}
	l := j.owe(row, rf.of)
	if rf.row != row {
		j.reclaim = append(j.reclaim, is)
		return
	}
	rf.arrived, rf.balance, rf.odd, rf.net = true, j.balance, j.odd, max(0, -l.net)
	if capped {
		rf.net = min(rf.net, max(0, before-j.promise.account.Summary().Entitlement))
	}
	if rf.of == none {
		j.placed = append(j.placed, is)
		rf.of, rf.linked = l.on, false
		if rf.of == none {
			return
		}
		p := &j.purchases[rf.of]
		rf.place, rf.owes, rf.part = placeOf(p, rf), rf.net, min(rf.amount, p.left())
		rf.over = rf.amount > p.left()
		if p.granted {
			rf.granted, rf.expected, rf.least = p.original, rf.owes, rf.owes
			if rf.expected > 0 {
				j.pending = append(j.pending, is)
			}
			j.takenBefore(is)
		}
		return
	}
	p := &j.purchases[rf.of]
	if rf.number = 1; p.first == none {
		p.first = is
	} else {
		j.refunds[p.last].next = is
		rf.number = j.refunds[p.last].number + 1
	}
	p.last = is
	left := p.left()
	rf.over = rf.amount > left
	p.home += rf.amount
	rf.part, rf.owes = left-p.left(), max(0, -l.own)
	if p.granted {
		j.fallDue(is)
		j.takenBefore(is)
	}
}

// fallDue works out what a refund is due of the reward of its purchase as granted. The
// program may take the refund's share of the grant, or what the terms come to without
// the refunded part, where a cap or a step is between the two.
func (j *Judge) fallDue(is int32) {
	rf := &j.refunds[is]
	p := &j.purchases[rf.of]
	before := p.amount - p.left() - rf.part
	part := p.keeps(before) - p.keeps(before+rf.part)
	rf.granted, rf.expected, rf.least = p.original, part, part
	if near(p.original, p.full, 1) || p.isCut() {
		rf.expected, rf.least = max(part, rf.owes), min(part, rf.net)
	}
	if rf.expected > 0 {
		j.pending = append(j.pending, is)
	}
}

// reversal undoes a refund.
func (j *Judge) reversal(is, row int32) {
	on := none
	if is != none {
		on = j.refunds[is].of
	}
	j.owe(row, on)
	if is == none || j.refunds[is].undoneAt != 0 {
		return
	}
	rf := &j.refunds[is]
	rf.undoneAt, rf.undoneRow = j.rows[row].At, row
	j.account.Figures.Refunded -= rf.amount
	if !rf.arrived {
		return
	}
	j.undone = append(j.undone, is)
	if rf.of != none && rf.linked {
		j.purchases[rf.of].home -= rf.amount
	}
}
