package judge

import (
	"cmp"
	"slices"

	"recoup/reward"
)

// cases says of each refund what became of the reward.
func (j *Judge) cases() {
	for _, rf := range j.came {
		rf.Outcome = j.outcome(rf)
		if p := rf.of; p != nil {
			rf.Rule, rf.Category, rf.MCC = p.rule, cmp.Or(p.Category, rf.Category), cmp.Or(p.MCC, rf.MCC)
			rf.OtherMerchant = rf.Merchant != "" && rf.Merchant != p.Merchant
			rf.Ahead = !rf.netted && p.granted && rf.RefundedAt < p.grantAt && rf.Place != Early
		}
		if !rf.stands() {
			rf.Owed = 0
		}
		j.account.Fit.AtStake += rf.Owed
		rf.Expected = rf.share()
		switch {
		case rf.netted:
			rf.Expected, rf.Taken = rf.nettedBy, rf.nettedBy
		case rf.undoneAt == 0 && rf.Outcome != NothingAtStake:
			rf.Unrecovered = max(0, rf.Expected-rf.Taken)
		}
		rf.Floored = rf.Outcome == Never && j.foundNothing(rf) || (rf.Outcome == Never || rf.Outcome == Partly) && rf.tookAll()
	}
	j.spreadDebt()
}

// spreadDebt counts a debt against what was taken last.
func (j *Judge) spreadDebt() {
	debt := max(0, -j.account.Figures.Balance)
	for _, rf := range slices.Backward(j.came) {
		if !rf.netted && rf.undoneAt == 0 {
			part := min(debt, rf.Taken, max(0, rf.Expected-rf.Unrecovered))
			rf.Unrecovered += part
			debt -= part
		}
	}
}

// tookAll reports whether less was taken for want of balance, which ended at just zero.
func (rf *refund) tookAll() bool {
	return rf.Taken < rf.least-rf.tolerance() && rf.clawbacks == 1 && rf.took == rf.Taken
}

// foundNothing reports whether the balance was zero when a refund's clawback could be made:
// when it came, if the account's come at once, else at the close.
func (j *Judge) foundNothing(rf *refund) bool {
	at := rf.Balance
	if j.account.GrantsAtClose > j.account.GrantsAtOnce {
		at = rf.due
	}
	return at == 0 && rf.Place != Early
}

// countGrants counts the rewards by when they came. One that came within a day of its
// purchase and with a close too is at the close if it is dated at it or came in a sum.
func (j *Judge) countGrants() {
	a := &j.account
	for _, p := range j.arrived {
		if !p.granted || p.original == 0 {
			continue
		}
		closed := j.calendar.at(p.At).end
		switch {
		case p.grantAt <= p.At+atOnceWithin && !j.of[p.grantRow].closes && p.grantAt != closed:
			a.GrantsAtOnce++
		case p.grantAt >= closed-atOnceWithin && p.grantAt <= closed+lateRows:
			a.GrantsAtClose++
		default:
			a.GrantsOther++
		}
	}
}

// since is when a clawback could first be made.
func (j *Judge) since(rf *refund) reward.Instant {
	if rf.of != nil && !rf.netted {
		return max(rf.RefundedAt, min(rf.of.grantAt, j.options.End))
	}
	return rf.RefundedAt
}

// outcome tells what became of the reward of a refunded purchase.
func (j *Judge) outcome(rf *refund) Outcome {
	if rf.of == nil {
		return NothingAtStake // of a purchase before the exports begin, as it may be
	}
	p, f := rf.of, &j.account.Figures
	// Neither the purchase nor, where whose row is whose is a guess, the account has more
	// than it should.
	spare := p.retained() <= p.owed+rf.tolerance() || (f.RewardsNaming == 0 || j.vague(rf)) && f.NetReward <= f.Entitlement+rf.tolerance()
	switch {
	case rf.netted && rf.nettedBy > 0:
		return Netted
	case rf.netted:
		return NothingAtStake
	case !p.granted:
		return j.ungranted(rf, p)
	case rf.Taken > 0 && (rf.Taken >= rf.least-rf.tolerance() || j.vague(rf) || spare):
		return j.when(rf)
	case rf.Taken > 0:
		return Partly
	case spare, p.inexact && rf.RefundedAt < p.grantAt, rf.most <= rounding, rf.least < rf.most && rf.least <= 1+rf.most-rf.most/2:
		return NothingAtStake
	case j.calendar.at(j.since(rf)).end+tooEarly > j.options.End:
		return TooEarly
	case j.canBeFree(rf):
		return NothingAtStake
	}
	return Never
}

// ungranted is the outcome where the purchase has no reward by the end.
func (j *Judge) ungranted(rf *refund, p *purchase) Outcome {
	closed := j.calendar.at(p.At).end
	worth := rf.worth(p)
	switch {
	case worth == 0 || rf.undoneAt != 0 || rf.RefundedAt >= closed:
		return NothingAtStake // it had earned nothing when the refund came
	case closed+tooEarly > j.options.End && j.account.GrantsAtOnce == 0:
		return TooEarly
	case p.left() == 0 && (j.account.GrantsAtClose >= j.account.GrantsAtOnce || rf.Place == Early):
		// Nothing was left to grant anything on.
		rf.netted, rf.TakenAt, rf.nettedBy = true, max(closed, p.At), worth
		return Netted
	}
	return NothingAtStake
}

// when tells how long after the refund the reward was taken.
func (j *Judge) when(rf *refund) Outcome {
	since := j.since(rf)
	closed, closes := j.calendar.at(since).end, j.of[rf.takenRow].closes
	switch at := rf.TakenAt; {
	case at <= since+atOnceWithin && (at < closed || at != closed && !closes):
		return AtOnce
	case at < closed-atOnceWithin || at < closed && !closes:
		return WithinCycle
	case at <= closed+lateRows:
		return AtClose
	}
	return Late
}

// vague reports whether rows allow more than one reading of what was taken for a refund.
func (j *Judge) vague(rf *refund) bool {
	return rf.approximate || !rf.Linked || j.unnamed && !rf.named
}
