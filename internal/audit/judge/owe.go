package judge

import (
	"recoup/internal/intake/history"
	"recoup/reward"
)

// levelling is what the terms come to with one fact.
type levelling struct {
	net int64 // of all
	own int64 // of one purchase
	on  int32 // the purchase that most is taken of; none
}

// owe plays a fact through the published terms.
func (j *Judge) owe(row, own int32) levelling {
	j.promise.row(&j.rows[row])
	return j.levelled(own, j.rows[row].At)
}

// levelled takes in what the terms posted.
func (j *Judge) levelled(own int32, at reward.Instant) (l levelling) {
	l.on = none
	var most int64
	for i := range j.promise.journal {
		posting := &j.promise.journal[i]
		if !isReward(posting.Kind) {
			continue
		}
		amount := posting.Amount
		l.net += amount
		is := own
		if is == none || posting.Transaction != j.purchases[is].id {
			is = j.ids.find(history.Purchase, posting.Transaction)
		}
		if is == none {
			j.bonus.owed += amount
			if amount < 0 && j.bonus.got > 0 {
				j.bonus.fell = at
				if own != none && j.bonus.got > j.bonus.owed {
					j.account.Bonuses.NoLongerOwed++
				}
			}
			continue
		}
		p := &j.purchases[is]
		p.owed += amount
		if p.rule == "" {
			p.rule = posting.Rule
		}
		switch f := &posting.Formula; {
		case is == own:
			l.own += amount
			p.capped = p.capped || posting.Kind == reward.Grant && f.Cap != reward.NoCap && f.Used >= f.Cap
		case amount < 0:
			p.lowered = at
		default:
			p.freed = at
		}
		if amount < most {
			most, l.on = amount, is
		}
	}
	j.promise.journal = j.promise.journal[:0]
	return l
}

// purchased brings a purchase in.
func (j *Judge) purchased(row int32) {
	is := j.rowIs[row]
	p := &j.purchases[is]
	l := j.owe(row, is)
	if p.row != row {
		return // exported again
	}
	p.arrived = true
	j.arrived = is + 1
	p.full = l.own
	if left := p.left(); left < p.amount && left > 0 {
		p.full = share(l.own, p.amount, left)
	}
	if !p.granted {
		j.grantedBefore(is)
	}
}

// refunded brings a refund in and works out its share of the reward.
func (j *Judge) refunded(row int32) {
	is := j.rowIs[row]
	rf := &j.refunds[is]
	l := j.owe(row, rf.of)
	if rf.row != row {
		rf.again = true
		return
	}
	j.came = is + 1
	rf.arrived, rf.Balance, rf.Owed = true, j.balance, max(0, -l.net)
	if rf.of == none {
		j.unnamed, rf.Linked = true, false
		if l.on == none {
			return
		}
		j.place(rf, l.on)
		rf.owes, rf.Over = rf.Owed, rf.Amount > j.purchases[rf.of].left()
	} else {
		j.chain(is)
		rf.owes = max(0, -l.own)
	}
	if j.purchases[rf.of].granted {
		j.fallDue(is)
	}
}

// chain adds a refund to those that name its purchase.
func (j *Judge) chain(is int32) {
	rf := &j.refunds[is]
	p := &j.purchases[rf.of]
	if rf.Number = 1; p.first == none {
		p.first = is
	} else {
		j.refunds[p.last].next = is
		rf.Number = j.refunds[p.last].Number + 1
	}
	p.last = is
	left := p.left()
	rf.Over = rf.Amount > left
	p.home += rf.Amount
	rf.part = left - p.left()
}

// fallDue works out what a refund is due of the reward of its purchase as granted. The
// program may take the refund's share of the grant, or what the terms come to without the
// refunded part, where a cap or a step is between the two.
func (j *Judge) fallDue(is int32) {
	rf := &j.refunds[is]
	p := &j.purchases[rf.of]
	before := p.amount - p.left() - rf.part
	part := p.keeps(before) - p.keeps(before+rf.part)
	rf.Granted, rf.most, rf.least = p.original, part, part
	switch {
	case !rf.Linked:
		rf.most, rf.least = rf.owes, rf.owes
	case near(p.original, p.full, 1) || p.isCut():
		rf.most, rf.least = max(part, rf.owes), min(part, rf.Owed)
	}
}

// reversal undoes a refund.
func (j *Judge) reversal(row int32) {
	is := j.rowIs[row]
	if is == none {
		j.owe(row, none)
		return
	}
	rf := &j.refunds[is]
	j.owe(row, rf.of)
	if rf.undoneAt != 0 {
		return
	}
	rf.undoneAt, rf.undoneRow = j.rows[row].At, row
	j.account.Figures.Refunded -= rf.Amount
	if !rf.arrived {
		return
	}
	j.undone = append(j.undone, is)
	if rf.of != none && rf.Linked {
		j.purchases[rf.of].home -= rf.Amount
	}
}
