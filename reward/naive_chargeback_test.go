package reward_test

import "recoup/reward"

func (b *naiveBook) chargeback(id string) *naiveChargeback {
	for _, c := range b.chargebacks {
		if c.id == id {
			return c
		}
	}
	return nil
}

func (c *naiveChargeback) active() bool { return c.posting != nil && !c.reversed }

func (b *naiveBook) isChargedBack(transaction string) bool {
	for _, c := range b.chargebacks {
		if c.active() && c.posting.Transaction == transaction {
			return true
		}
	}
	return false
}

func (b *naiveBook) postChargeback(e *reward.Event) (reward.Result, bool) {
	if c := b.chargeback(e.Fact); c != nil {
		p := c.posting
		switch {
		case p == nil:
			return c.refuse(e, naiveGone), false
		case p.Transaction != e.Transaction || p.HasAmount != e.HasAmount || p.Amount != e.Amount:
			return c.refuse(e, naiveRejected(reward.ChargebackConflict)), false
		case c.reversed:
			return c.refuse(e, naiveGone), false
		}
		return naiveDuplicate, false
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
