package design

import "recoup/reward"

// This file is the paper's pseudocode, statement by statement. Comments give the
// line of the algorithm, every printed line counted from one, the else of
// Algorithm 2 included.

// rewardOnSettlement is Algorithm 1. Without a cap min is rate · a; without a
// rule the rate is zero.
func (l *Literal) rewardOnSettlement(u *user, t *transaction) {
	if r := l.settlementReward(u, t); r > 0 { // 1–5
		u.balance += r                     // 6
		t.reward = r                       // 7
		t.original = r                     // 8
		u.monthlyUsed[t.rule] += r         // 9
		l.logRewardEvent(u, t, Granted, r) // 10
	}
	t.status = settled // 11
}

func (l *Literal) settlementReward(u *user, t *transaction) int64 {
	if t.rule == reward.NoRule || t.amount <= 0 {
		return 0
	}
	rule := &l.rules(t.period)[t.rule] // 1, 2
	r := rule.Rate.Of(t.amount)
	if rule.Cap != reward.NoCap {
		r = min(r, rule.Cap-u.monthlyUsed[t.rule]) // 3, 4
	}
	return r
}

// rewardOnRefund is Algorithm 2.
func (l *Literal) rewardOnRefund(u *user, t *transaction, x int64) {
	if l.options.WithoutPrevention {
		return
	}
	if t.status != settled && t.status != partRef { // 1
		return // 2
	}
	before := t.totalRefunded          // 3
	if before+x > t.amount || x <= 0 { // 4
		return // 5
	}
	claw, rest := share(t.original, x, t.amount) // 6, 7
	if rest >= t.amount-rest {
		claw++
	}
	taken := claw
	if l.options.WithoutRecovery {
		taken = min(claw, u.balance)
	}
	u.balance -= taken                                   // 8
	t.reward -= claw                                     // 9
	t.totalRefunded = before + x                         // 10
	if t.period == u.period && t.rule != reward.NoRule { // 11
		u.monthlyUsed[t.rule] = max(0, u.monthlyUsed[t.rule]-claw) // 12
	}
	l.logRewardEvent(u, t, ClawedBack, -taken) // 13
	if before+x == t.amount {                  // 14
		t.status = refunded // 15
	} else {
		t.status = partRef // 17
	}
}

// canRedeem is Algorithm 3: a predicate, which leaves the debit to its caller and
// does not ask for the sign of y.
func (l *Literal) canRedeem(u *user, y int64) bool {
	if l.now < u.holdUntil { // 1
		return false // 2
	}
	if u.balance-y < l.options.MinimumBalance { // 3
		return false // 4
	}
	return true // 5
}

// statementCycleReconcile is Algorithm 4.
func (l *Literal) statementCycleReconcile(u *user, n reward.Cycle) {
	waiting, late := u.refundsToReconcile(n) // 2, 8

	for i := range u.transactions { // 1, 3
		u.transactions[i].eligible = u.transactions[i].amount // 7
	}
	for _, r := range waiting { // 4, 5: RefundAmount is the sum of a transaction's
		u.lookUp(r.transaction).eligible -= r.amount // 6
	}

	for _, r := range late { // 9
		t := u.lookUp(r.transaction)
		if t.status == settled || t.status == partRef { // 10
			l.rewardOnRefund(u, t, r.amount) // 11
		}
	}

	for i := range u.transactions {
		t := &u.transactions[i]
		if t.period == n && t.eligible > 0 && t.status == pending { // 12
			saved := t.amount          // 13
			t.amount = t.eligible      // 14
			l.rewardOnSettlement(u, t) // 15
			t.amount = saved           // 16
		}
	}
	u.holdUntil = n.End() + reward.Instant(l.options.GraceDays)*reward.Day // 17
}

// refundsToReconcile are the queries PendingRefunds, with their amounts, and
// LateRefunds. What neither finds is dropped, but for refunds of purchases that
// have not posted: those may be of the current period at a later close. Of an
// earlier period than n are therefore only refunds that arrived during n.
//
// A refund that a live handler has taken in is in neither set, whatever came of
// it there. By the formula alone, LateRefunds would find a partial one again and
// claw it back twice; its gloss, "not yet fully processed", says otherwise.
func (u *user) refundsToReconcile(n reward.Cycle) (current, late []waitingRefund) {
	var unknown []waitingRefund
	for _, r := range u.waitingRefunds {
		switch t := u.lookUp(r.transaction); {
		case t == nil || t.period == 0:
			unknown = append(unknown, r)
		case t.period == n:
			current = append(current, r)
		case t.totalRefunded+r.amount <= t.amount:
			late = append(late, r)
		}
	}
	u.waitingRefunds = unknown
	return current, late
}
