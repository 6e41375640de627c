package judge

import "recoup/reward"

// rounding is what a share may be below without anything being taken: parts of a
// purchase before it may have taken a unit more each.
const rounding = 2

// tooEarly is how long after a close its postings may still be missing.
const tooEarly = 3 * reward.Day

// cases makes a case of each refund, in order of time.
func (j *Judge) cases() {
	a := &j.account
	for k := range j.refunds {
		rf := &j.refunds[k]
		c := RefundCase{
			ID: j.rows[rf.row].ID, Chargeback: rf.chargeback, Linked: rf.linked, RefundedAt: rf.at, Amount: rf.amount, Place: rf.place,
			Balance: rf.balance, Granted: rf.granted, Taken: rf.taken, TakenAt: rf.takenAt, Purchase: j.rows[rf.row].Transaction,
		}
		if rf.of != none {
			p := &j.purchases[rf.of]
			c.Purchase, c.PurchasedAt = j.rows[p.row].ID, p.at
		}
		rf.outcome = j.outcome(rf)
		if rf.netted {
			c.Expected, c.Taken = rf.nettedBy, rf.nettedBy
		} else {
			c.Expected = rf.share()
		}
		if rf.undoneAt == 0 && rf.outcome != NothingAtStake && !rf.netted {
			c.Unrecovered = max(0, c.Expected-c.Taken)
		}
		c.Outcome = rf.outcome
		a.Refunds = append(a.Refunds, c)
	}
	// A debt is of what was taken last.
	debt := max(0, -j.balance)
	for k := len(a.Refunds) - 1; k >= 0 && debt > 0; k-- {
		c := &a.Refunds[k]
		if rf := &j.refunds[k]; rf.netted || rf.undoneAt != 0 {
			continue
		}
		part := min(debt, c.Taken, max(0, c.Expected-c.Unrecovered))
		c.Unrecovered += part
		debt -= part
	}
}

// countGrants counts the rewards by when they came. One that came within a day of
// its purchase and with a close too is at the close if it is dated at it or came in
// a sum.
func (j *Judge) countGrants() {
	a := &j.account
	for k := range j.purchases {
		p := &j.purchases[k]
		if !p.granted || p.original == 0 {
			continue
		}
		closed := p.cycle.End()
		switch {
		case p.grantAt <= p.at+atOnceWithin && !p.inSum && p.grantAt != closed:
			a.GrantsAtOnce++
		case p.grantAt >= closed-closeBefore && p.grantAt <= closed+closeWithin:
			a.GrantsAtClose++
		default:
			a.GrantsOther++
		}
	}
}

// share is what is expected of a refund. Where the cap room that it frees goes to
// other purchases, less may be taken than its share of the grant.
func (rf *refund) share() int64 { return min(rf.expected, max(rf.least, rf.taken)) }

// tolerance is what rounding may make a difference of.
func (rf *refund) tolerance() int64 {
	if rf.linked {
		return max(1, int64(rf.clawbacks))
	}
	return max(3, int64(rf.clawbacks))
}

// since is when a clawback could first be made.
func (j *Judge) since(rf *refund) reward.Instant {
	if rf.of != none && !rf.netted {
		return max(rf.at, min(j.purchases[rf.of].grantAt, j.options.End))
	}
	return rf.at
}

// outcome tells what became of the reward of a refunded purchase.
func (j *Judge) outcome(rf *refund) Outcome {
	if rf.of == none || rf.stray && rf.taken == 0 {
		return NothingAtStake // of a purchase before the exports begin, as it may be
	}
	p := &j.purchases[rf.of]
	closed := reward.CycleAt(j.since(rf)).End()
	over := closed+tooEarly <= j.options.End
	switch {
	case rf.netted && rf.nettedBy > 0:
		return Netted
	case rf.netted, rf.lent > 0 && rf.taken == 0, rf.told && rf.taken == 0:
		return NothingAtStake
	case !p.granted:
		return j.ungranted(rf, p)
	case rf.undoneAt != 0 && rf.taken == 0 && rf.undoneAt < closed+closeWithin:
		return NothingAtStake
	case rf.taken == 0 && p.inexact && rf.at < p.grantAt:
		return NothingAtStake
	case rf.expected <= rounding && rf.taken == 0:
		return NothingAtStake
	case rf.taken == 0 && rf.least <= 1+rf.expected-rf.expected/2 && rf.least < rf.expected:
		return NothingAtStake
	case rf.taken == 0 && !rf.linked && p.retained() <= p.keeps(p.gone())+rf.tolerance():
		return NothingAtStake // it is taken to be of a purchase that has no more than it should
	case rf.taken == 0 && p.cut && p.retained() <= p.rate.Of(p.left())+1:
		return NothingAtStake // what it had lost to the cap makes up for it
	case rf.taken == 0 && !over:
		return TooEarly
	case rf.taken == 0:
		return Never
	case rf.taken < rf.least-rf.tolerance() && !j.vague(rf) && !(p.cut && p.retained() <= p.rate.Of(p.left())+1):
		return Partly
	}
	return j.when(rf)
}

// ungranted is the outcome where the purchase has no reward by the end.
func (j *Judge) ungranted(rf *refund, p *purchase) Outcome {
	closed := p.cycle.End()
	switch {
	case p.full() == 0 || rf.undoneAt != 0:
		return NothingAtStake
	case rf.at >= closed:
		return NothingAtStake // it had earned nothing when the refund came
	case closed+tooEarly > j.options.End && j.account.GrantsAtOnce == 0:
		return TooEarly
	case p.left() == 0 && j.account.GrantsAtClose >= j.account.GrantsAtOnce:
		// Nothing was left to grant anything on.
		rf.netted, rf.takenAt = true, closed
		rf.nettedBy = p.rate.Of(p.amount-rf.reversed) - p.rate.Of(p.amount-rf.reversed-rf.part)
		if rf.nettedBy > 0 {
			return Netted
		}
	case p.left() == 0 && rf.place == Early:
		rf.netted, rf.takenAt, rf.nettedBy = true, p.at, p.full()
		return Netted
	}
	return NothingAtStake
}

// when tells how long after the refund the reward was taken.
func (j *Judge) when(rf *refund) Outcome {
	since := j.since(rf)
	closed := reward.CycleAt(since).End()
	switch at := rf.takenAt; {
	case at <= since+atOnceWithin && (at < closed || at != closed && !j.closes[rf.takenRow]):
		return AtOnce
	case at < closed-closeBefore || at < closed && !j.closes[rf.takenRow]:
		return WithinCycle
	case at <= closed+closeWithin:
		return AtClose
	}
	return Late
}

// vague reports whether rows allow more than one reading of what was taken for a
// refund: its own purchase, or that of others, is a guess.
func (j *Judge) vague(rf *refund) bool {
	if rf.approximate || !rf.linked || j.guess.any && !rf.named {
		return true
	}
	merchant := j.rows[j.purchases[rf.of].row].Merchant
	for _, list := range [...][]int32{j.guess.placed, j.guess.unplaced} {
		for _, is := range list {
			o := &j.refunds[is]
			if m := j.rows[o.row].Merchant; o.at <= rf.takenAt && (m == merchant || m == "" || o.over || o.of == none || j.rows[j.purchases[o.of].row].Merchant != m) {
				return true
			}
		}
	}
	return false
}
