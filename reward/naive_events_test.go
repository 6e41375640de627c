package reward_test

import "recoup/reward"

var (
	naiveApplied   = reward.Result{Outcome: reward.Applied}
	naiveDuplicate = reward.Result{Outcome: reward.Duplicate}
	naiveFinal     = reward.Result{Outcome: reward.Ignored, Code: reward.AlreadyFinal}
	naiveGone      = reward.Result{Outcome: reward.Ignored, Code: reward.AlreadyReversed}
)

func naiveParked(code reward.Code) reward.Result {
	return reward.Result{Outcome: reward.Parked, Code: code}
}

// take records one event and levels what it changes, unless that is deferred.
func (b *naiveBook) take(e *reward.Event) reward.Result {
	result, urgent := b.record(e)
	b.giveWay()
	b.keepFewMovable()
	if urgent || b.terms().Timing.Clawback == reward.ClawbackAtRefund {
		b.level()
	}
	b.dateLifetimes(b.openCycle)
	if result != naiveApplied {
		return result
	}
	switch e.Type {
	case reward.RefundPosted, reward.RefundLinked:
		result.Code = b.whereItWent(b.refund(e.Fact))
	case reward.RefundCounted:
		result.Code = b.whereItWent(b.refund(e.As))
	}
	return result
}

// whereItWent is what the sender of a refund is told of it.
func (b *naiveBook) whereItWent(r *naiveRefund) reward.Code {
	switch t := b.home(r); {
	case t != nil && b.linkedTo(t) > t.settlement.Amount:
		return reward.OverRefund
	case t != nil:
		return reward.NoCode
	case b.allocate().rest(r) > 0:
		return reward.Unmatched
	}
	return reward.Matched
}

// record adds one event to the facts. The second result says whether it posts
// what it changes at once even where clawbacks wait for the statement.
func (b *naiveBook) record(e *reward.Event) (reward.Result, bool) {
	switch e.Type {
	case reward.TransactionAuthorized:
		return b.authorise(e), false
	case reward.TransactionSettled:
		return b.settle(e)
	case reward.TransactionItemized:
		return b.itemise(e)
	case reward.TransactionCanceled:
		return b.cancel(e), false
	case reward.TransactionReversed:
		return b.withdraw(e)
	case reward.RefundPending:
		return b.announceRefund(e), false
	case reward.RefundPosted:
		return b.postRefund(e), false
	case reward.RefundCanceled:
		return b.cancelRefund(e), false
	case reward.RefundReversed:
		return b.reverseRefund(e)
	case reward.ChargebackPosted:
		return b.postChargeback(e)
	case reward.ChargebackReversed:
		return b.reverseChargeback(e)
	case reward.RedemptionRequested:
		return b.redeem(e), false
	case reward.RedemptionReversed:
		return b.returnRedemption(e), false
	case reward.RedemptionAuthorized:
		return b.authoriseRedemption(e), false
	case reward.RedemptionCaptured:
		return b.captureRedemption(e), false
	case reward.RedemptionReleased:
		return b.releaseRedemption(e), false
	case reward.AdjustmentPosted:
		return b.adjust(e), false
	case reward.AccountOpened:
		return b.open(e), false
	case reward.AccountClosed:
		return b.closeAccount(), false
	case reward.AttributeSet:
		from := e.Time
		if e.Purchased != 0 {
			from = e.Purchased
		}
		return b.setAttribute(e.Fact, e.Category, e.Method, from), false
	case reward.AttributeWithdrawn:
		return b.withdrawAttribute(e.Fact), false
	case reward.AttributeDismissed:
		return b.dismissAttribute(e.Fact), false
	case reward.RefundLinked:
		return b.linkRefund(e)
	case reward.RefundCounted:
		return b.countRefund(e), false
	case reward.RedemptionDismissed:
		return b.dismissRedemption(e), false
	case reward.RefundDismissed, reward.ChargebackDismissed, reward.TransactionDismissed:
		return b.dismiss(e), false
	}
	return naiveApplied, false // cycle.closed only moves time
}

func (b *naiveBook) open(e *reward.Event) reward.Result {
	switch {
	case e.Fact != "" && e.Fact != b.latest.ID:
		return naiveRejected(reward.ProgramConflict)
	}
	return b.setAttribute("account.opened", "opened", "yes", e.Time)
}

func (b *naiveBook) closeAccount() reward.Result {
	switch {
	case b.closed:
		return naiveDuplicate
	case b.balance()-b.owed()-b.reserved() < 0:
		return naiveRejected(reward.OutstandingNegativeBalance)
	}
	b.closed = true
	return naiveApplied
}
