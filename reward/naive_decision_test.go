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
	r.firm, r.places = false, nil
	return naiveApplied, true
}

// countRefund has the latest delivery that was refused under a refund's id count
// as a refund of its own.
func (b *naiveBook) countRefund(e *reward.Event) reward.Result {
	r := b.refund(e.Fact)
	if r == nil || len(r.refusals) == 0 {
		return naiveRejected(reward.RefundUnknown)
	}
	refused := r.openRefusal()
	if as := b.refund(e.As); as != nil {
		if refused == nil {
			refused = r.refusals[len(r.refusals)-1]
		}
		if as.posting != nil && sameRefund(as.posting, &refused.delivery) {
			return naiveDuplicate
		}
		return naiveRejected(reward.RefundConflict)
	}
	if refused == nil {
		return naiveRejected(reward.RefundUnknown)
	}
	refused.counted = true
	delivery := refused.delivery
	delivery.Fact = e.As
	return b.postRefund(&delivery)
}

// openRefusal is the latest that nobody has decided about.
func (r *naiveRefund) openRefusal() *naiveRefusal {
	for i := len(r.refusals) - 1; i >= 0; i-- {
		if f := r.refusals[i]; !f.counted && !f.checked {
			return f
		}
	}
	return nil
}

// dismiss has somebody say that there is nothing to do about a review.
func (b *naiveBook) dismiss(e *reward.Event) reward.Result {
	return naiveApplied
}
