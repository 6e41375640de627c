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
	result, atOnce := b.record(e)
	if b.program.Timing.Clawback == reward.ClawbackAtRefund || atOnce {
		b.level()
	}
	if e.Type == reward.RefundPosted && result == naiveApplied {
		r := b.refund(e.Fact)
		switch t := b.home(r); {
		case t == nil && b.allocate().rest(r) > 0:
			result.Code = reward.Unmatched
		case t == nil:
			result.Code = reward.Matched
		case b.linkedTo(t) > t.settlement.Amount:
			result.Code = reward.OverRefund
		}
	}
	return result
}

// record adds one event to the facts. The second result says whether it posts
// what it changes at once even where clawbacks wait for the statement.
func (b *naiveBook) record(e *reward.Event) (reward.Result, bool) {
	switch e.Type {
	case reward.TransactionAuthorized:
		return b.authorise(e), false
	case reward.TransactionSettled:
		return b.settle(e)
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
	case reward.AdjustmentPosted:
		return b.adjust(e), false
	case reward.AccountClosed:
		return b.closeAccount(), false
	}
	return naiveApplied, false // cycle.closed only moves time
}

func (b *naiveBook) transaction(id string) *naiveTransaction {
	for _, t := range b.transactions {
		if t.id == id {
			return t
		}
	}
	return nil
}

func (b *naiveBook) transactionOrNew(id string) *naiveTransaction {
	t := b.transaction(id)
	if t == nil {
		t = &naiveTransaction{id: id}
		b.transactions = append(b.transactions, t)
	}
	return t
}

func (b *naiveBook) isPosted(id string) bool {
	t := b.transaction(id)
	return t != nil && t.settlement != nil
}

func (b *naiveBook) authorise(e *reward.Event) reward.Result {
	t := b.transactionOrNew(e.Transaction)
	if t.canceled || t.settlement != nil {
		return naiveFinal
	}
	t.authorisation = e
	return naiveApplied
}

func (b *naiveBook) cancel(e *reward.Event) reward.Result {
	t := b.transactionOrNew(e.Transaction)
	switch {
	case t.settlement != nil:
		return naiveFinal
	case t.canceled:
		return naiveDuplicate
	}
	t.canceled = true
	return naiveApplied
}

func (b *naiveBook) settle(e *reward.Event) (reward.Result, bool) {
	t := b.transactionOrNew(e.Transaction)
	if s := t.settlement; s != nil {
		if s.Amount == e.Amount && s.Merchant == e.Merchant && s.MCC == e.MCC && s.Category == e.Category {
			return naiveDuplicate, false
		}
		return naiveRejected(reward.TransactionConflict), false
	}
	told := *e
	if a := t.authorisation; a != nil {
		if told.Merchant == "" {
			told.Merchant = a.Merchant
		}
		if told.MCC == 0 {
			told.MCC = a.MCC
		}
		if told.Category == "" {
			told.Category = a.Category
		}
	}
	t.settlement = e
	t.postedAt = b.now
	t.cycle = reward.CycleAt(b.now)
	t.merchant = told.Merchant
	t.rule = b.ruleFor(&told)
	t.earns = t.rule != nil && !b.closed
	b.posted = append(b.posted, t)
	if b.program.Timing.Grant == reward.GrantAtSettlement {
		b.grant(t, e.Amount)
	}
	return naiveApplied, b.isWithdrawn(t.id) || b.isChargedBack(t.id)
}

func (b *naiveBook) isWithdrawn(transaction string) bool {
	for _, id := range b.withdrawn {
		if id == transaction {
			return true
		}
	}
	return false
}

func (b *naiveBook) withdraw(e *reward.Event) (reward.Result, bool) {
	if b.isWithdrawn(e.Transaction) {
		return naiveDuplicate, false
	}
	b.withdrawn = append(b.withdrawn, e.Transaction)
	if !b.isPosted(e.Transaction) {
		return naiveParked(reward.TransactionUnknown), false
	}
	return naiveApplied, true
}

// ruleFor is the first rule that holds for what the event says of its merchant.
func (b *naiveBook) ruleFor(e *reward.Event) *reward.Rule {
	category := e.Category
	if category == "" && e.MCC != 0 && b.program.Categories != nil {
		category = b.program.Categories(e.MCC)
	}
	for i := range b.program.Rules {
		m := &b.program.Rules[i].Match
		holds := m.Merchants == nil || m.Merchants[e.Merchant]
		if m.Categories != nil {
			found := false
			for _, c := range m.Categories {
				found = found || c == category
			}
			holds = holds && found
		}
		if m.MCCs != nil {
			found := false
			for _, r := range m.MCCs {
				found = found || r.First <= e.MCC && e.MCC <= r.Last
			}
			holds = holds && found
		}
		if holds {
			return &b.program.Rules[i]
		}
	}
	return nil
}

func (b *naiveBook) chargeback(id string) *naiveChargeback {
	for _, c := range b.chargebacks {
		if c.id == id {
			return c
		}
	}
	return nil
}

func (b *naiveBook) isChargedBack(transaction string) bool {
	for _, c := range b.chargebacks {
		if c.posting != nil && !c.reversed && c.posting.Transaction == transaction {
			return true
		}
	}
	return false
}

func (b *naiveBook) postChargeback(e *reward.Event) (reward.Result, bool) {
	c := b.chargeback(e.Fact)
	if c != nil && c.posting != nil {
		p := c.posting
		if p.Transaction == e.Transaction && p.HasAmount == e.HasAmount && p.Amount == e.Amount {
			return naiveDuplicate, false
		}
		return naiveRejected(reward.ChargebackConflict), false
	}
	if c != nil {
		c.posting = e
		return naiveGone, false
	}
	b.chargebacks = append(b.chargebacks, &naiveChargeback{id: e.Fact, posting: e})
	t := b.transaction(e.Transaction)
	switch {
	case t == nil || t.settlement == nil:
		return naiveParked(reward.TransactionUnknown), false
	case e.HasAmount && b.linkedTo(t) > t.settlement.Amount:
		return reward.Result{Outcome: reward.Applied, Code: reward.OverRefund}, true
	}
	return naiveApplied, true
}

func (b *naiveBook) reverseChargeback(e *reward.Event) (reward.Result, bool) {
	c := b.chargeback(e.Fact)
	switch {
	case c == nil:
		b.chargebacks = append(b.chargebacks, &naiveChargeback{id: e.Fact, reversed: true})
		return naiveParked(reward.ChargebackUnknown), false
	case c.reversed:
		return naiveDuplicate, false
	}
	c.reversed = true
	return naiveApplied, b.isPosted(c.posting.Transaction)
}

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
	switch {
	case b.closed:
		return naiveRejected(reward.AccountIsClosed)
	case b.now < b.holdUntil:
		return naiveRejected(reward.GraceHold)
	case b.balance()-b.held()-e.Amount < b.program.Redemption.MinimumBalance:
		return naiveRejected(reward.InsufficientBalance)
	}
	b.redemptions = append(b.redemptions, &naivePayment{id: e.Fact, amount: e.Amount})
	return naiveApplied
}

func (b *naiveBook) returnRedemption(e *reward.Event) reward.Result {
	p := naivePaymentIn(b.redemptions, e.Fact)
	switch {
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
	b.adjustments = append(b.adjustments, &naivePayment{id: e.Fact, amount: e.Amount})
	return naiveApplied
}

func (b *naiveBook) closeAccount() reward.Result {
	switch {
	case b.closed:
		return naiveDuplicate
	case b.balance()-b.owed() < 0:
		return naiveRejected(reward.OutstandingNegativeBalance)
	}
	b.closed = true
	return naiveApplied
}
