package reward_test

import "recoup/reward"

// linkRefund has somebody say which purchase a refund is of.
func (b *naiveBook) linkRefund(e *reward.Event) (reward.Result, bool) {
	r, t := b.refund(e.Fact), b.transaction(e.Transaction)
	switch {
	case r == nil || r.posting == nil && !r.reversed:
		return naiveRejected(reward.RefundUnknown), false
	case t == nil || t.settlement == nil:
		return naiveRejected(reward.TransactionUnknown), false
	case r.reversed:
		return naiveGone, false
	case b.home(r) == t:
		return naiveDuplicate, false
	}
	r.linkedTo = t.id
	r.firm, r.places, r.doubted = false, nil, false
	return naiveApplied, true
}

// countRefund has the latest delivery that was refused under a refund's id count
// as a refund of its own.
func (b *naiveBook) countRefund(e *reward.Event) reward.Result {
	r := b.refund(e.Fact)
	if r == nil {
		return naiveRejected(reward.RefundUnknown)
	}
	refused := r.latestPosting()
	if refused == nil {
		return naiveRejected(reward.RefundUnknown)
	}
	delivery := refused.delivery
	delivery.Fact, delivery.Items = e.As, "" // it says nothing of items
	if as := b.refund(e.As); as != nil {
		if as.posting != nil && sameRefund(as.posting, &delivery) {
			return naiveDuplicate
		}
		return naiveRejected(reward.RefundConflict)
	}
	if refused.decided {
		return naiveRejected(reward.RefundUnknown)
	}
	refused.decided = true
	return b.postRefund(&delivery)
}

// dismiss has somebody say that there is nothing to do about a matter.
func (b *naiveBook) dismiss(e *reward.Event) reward.Result {
	matter := naiveMatter{fact: e.Fact}
	var refused *naiveRefusals
	var unknown reward.Code
	switch e.Type {
	case reward.RefundDismissed:
		matter.part, unknown = reward.RefundPart, reward.RefundUnknown
		if r := b.refund(e.Fact); r != nil {
			refused = &r.naiveRefusals
		}
	case reward.ChargebackDismissed:
		matter.part, unknown = reward.ChargebackPart, reward.ChargebackUnknown
		if c := b.chargeback(e.Fact); c != nil {
			refused = &c.naiveRefusals
		}
	case reward.TransactionDismissed:
		matter, unknown = naiveMatter{reward.TransactionPart, e.Transaction}, reward.TransactionUnknown
		if t := b.transaction(e.Transaction); t != nil {
			refused = &t.naiveRefusals
		} else if b.isWithdrawn(e.Transaction) {
			refused = &naiveRefusals{}
		}
	}
	switch {
	case refused == nil:
		return naiveRejected(unknown)
	case !b.isOpen(matter) && b.isDismissed(matter, refused):
		return naiveDuplicate
	case !b.isOpen(matter):
		return naiveFinal
	}
	b.dismissed[matter] = len(refused.list)
	for _, f := range refused.list {
		f.decided = true
	}
	return naiveApplied
}
