package reward_test

import "recoup/reward"

func naivePaymentIn(list []*naivePayment, id string) *naivePayment {
	for _, p := range list {
		if p.id == id {
			return p
		}
	}
	return nil
}

func (b *naiveBook) redeem(e *reward.Event) reward.Result {
	if p := naivePaymentIn(b.redemptions, e.Fact); p != nil {
		if p.amount == e.Amount {
			return naiveDuplicate
		}
		return naiveRejected(reward.RedemptionConflict)
	}
	if b.promise(e.Fact) != nil {
		return naiveRejected(reward.RedemptionConflict)
	}
	if code := b.refuses(e.Amount); code != reward.NoCode {
		return naiveRejected(code)
	}
	b.redemptions = append(b.redemptions, &naivePayment{id: e.Fact, amount: e.Amount, cycle: b.openCycle})
	return naiveApplied
}

// refuses is why an amount cannot be redeemed now.
func (b *naiveBook) refuses(amount int64) reward.Code {
	terms := b.terms().Redemption
	switch {
	case b.closed && !terms.AfterClosing:
		return reward.AccountIsClosed
	case b.now < b.holdUntil:
		return reward.GraceHold
	case b.balance()-b.held()-b.reserved()-amount < terms.MinimumBalance:
		return reward.InsufficientBalance
	}
	return reward.NoCode
}

func (b *naiveBook) returnRedemption(e *reward.Event) reward.Result {
	p := naivePaymentIn(b.redemptions, e.Fact)
	switch {
	case p == nil && b.promise(e.Fact) != nil:
		return b.returnPromise(b.promise(e.Fact))
	case p == nil:
		return naiveRejected(reward.RedemptionUnknown)
	case p.reversed:
		return naiveDuplicate
	}
	p.reversed = true
	return naiveApplied
}

func (b *naiveBook) adjust(e *reward.Event) reward.Result {
	if p := naivePaymentIn(b.adjustments, e.Fact); p != nil {
		if p.amount == e.Amount {
			return naiveDuplicate
		}
		return naiveRejected(reward.AdjustmentConflict)
	}
	b.adjustments = append(b.adjustments, &naivePayment{id: e.Fact, amount: e.Amount, cycle: b.openCycle})
	return naiveApplied
}

func (b *naiveBook) balance() int64 {
	sum := b.adjusted() - b.redeemed() - b.expired(b.lots())
	for _, t := range b.posted {
		sum += t.retained()
	}
	for _, pays := range b.paid {
		sum += pays
	}
	return sum
}

func (b *naiveBook) adjusted() int64 {
	var sum int64
	for _, p := range b.adjustments {
		sum += p.amount
	}
	return sum
}

func (b *naiveBook) redeemed() int64 {
	var sum int64
	for _, p := range b.redemptions {
		if !p.reversed {
			sum += p.amount
		}
	}
	for _, p := range b.promises {
		if !p.returned {
			sum += p.paid()
		}
	}
	return sum
}
