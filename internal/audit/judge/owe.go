package judge

import (
	"recoup/internal/intake/history"
	"recoup/reward"
)

// levelling is what the terms come to with one fact.
type levelling struct {
	net int64     // of all
	own int64     // of one purchase
	on  *purchase // that most is taken of; nil
}

// owe plays a fact through the published terms.
func (j *Judge) owe(row int32, own *purchase) levelling {
	j.promise.row(&j.rows[row])
	l := j.levelled(own, j.rows[row].At)
	if own != nil {
		j.rests.look(j.promise.account, own.ID)
	}
	return l
}

// levelled takes in what the terms posted.
func (j *Judge) levelled(own *purchase, at reward.Instant) (l levelling) {
	var most int64
	for i := range j.promise.journal {
		posting := &j.promise.journal[i]
		if !isReward(posting.Kind) {
			continue
		}
		amount := posting.Amount
		l.net += amount
		p := own
		if p == nil || posting.Transaction != p.ID {
			p = j.bought(posting.Transaction)
		}
		if p == nil {
			j.bonus.owed += amount
			if amount < 0 && j.bonus.got > 0 {
				j.bonus.fell = at
				if own != nil && j.bonus.got > j.bonus.owed {
					j.account.Bonuses.NoLongerOwed++
				}
			}
			continue
		}
		p.owed += amount
		j.rests.post(posting, p.cycle)
		if p.rule == "" {
			p.rule = posting.Rule
		}
		switch f := &posting.Formula; {
		case p == own:
			l.own += amount
			p.capped = p.capped || posting.Kind == reward.Grant && f.Cap != reward.NoCap && f.Used >= f.Cap
		case amount < 0:
			p.lowered = at
		default:
			p.freed = at
		}
		if amount < most {
			most, l.on = amount, p
		}
	}
	j.promise.journal = j.promise.journal[:0]
	j.entitled += l.net
	return l
}

// purchased brings a purchase in.
func (j *Judge) purchased(row int32) {
	p := j.of[row].purchase
	l := j.owe(row, p)
	if p.row != row {
		return // exported again
	}
	j.month(row).Spend += p.Amount
	j.arrived = append(j.arrived, p)
	p.full = l.own
	if left := p.left(); left < p.Amount && left > 0 {
		p.full = share(l.own, p.Amount, left)
	}
	if !p.granted {
		j.grantedBefore(p)
	}
}

// refunded brings a refund in and works out its share of the reward.
func (j *Judge) refunded(row int32) {
	rf := j.of[row].refund
	if rf.row != row {
		j.owe(row, rf.of)
		rf.again = true
		return
	}
	if rf.Linked {
		j.link(rf)
	}
	l := j.owe(row, rf.of)
	j.month(row).Refunded += rf.Amount
	j.came = append(j.came, rf)
	rf.arrived, rf.Balance, rf.Owed = true, j.account.Figures.Balance, max(0, -l.net)
	if rf.of == nil {
		j.unnamed, rf.Linked = true, false
		if l.on == nil {
			return
		}
		rf.isOf(l.on)
		rf.owes, rf.Over = rf.Owed, rf.Amount > rf.of.left()
	} else {
		rf.chain()
		rf.owes = max(0, -l.own)
	}
	if rf.of.granted {
		rf.fallDue()
	}
}

// chain adds a refund to those that name its purchase.
func (rf *refund) chain() {
	p := rf.of
	p.refunds = append(p.refunds, rf)
	rf.Number = len(p.refunds)
	left := p.left()
	rf.Over = rf.Amount > left
	p.home += rf.Amount
	rf.part = left - p.left()
}

// fallDue works out what a refund is due of the reward of its purchase as granted. The
// program may take the refund's share of the grant, or what the terms come to without the
// refunded part, where a cap or a step is between the two.
func (rf *refund) fallDue() {
	p := rf.of
	before := p.Amount - p.left() - rf.part
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
	kind := history.Refund
	if j.rows[row].Kind == history.ChargebackReversed {
		kind = history.Chargeback
	}
	rf := j.ids[name{kind, j.rows[row].ID}].refund
	j.of[row].refund = rf
	if rf == nil {
		j.owe(row, nil)
		return
	}
	j.owe(row, rf.of)
	if rf.undoneAt != 0 {
		return
	}
	rf.undoneAt, rf.undoneRow = j.rows[row].At, row
	j.month(row).Refunded -= rf.Amount
	if !rf.arrived {
		return
	}
	j.undone = append(j.undone, rf)
	if rf.of != nil && rf.Linked {
		rf.of.home -= rf.Amount
	}
}
