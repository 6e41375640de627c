package reward_test

import "recoup/reward"

func (b *naiveBook) refund(id string) *naiveRefund {
	for _, r := range b.refunds {
		if r.id == id {
			return r
		}
	}
	return nil
}

func (b *naiveBook) refundOrNew(id string) *naiveRefund {
	r := b.refund(id)
	if r == nil {
		r = &naiveRefund{id: id}
		b.refunds = append(b.refunds, r)
	}
	return r
}

// transaction is the purchase that the refund names, itself or in its
// announcement.
func (r *naiveRefund) transaction() string {
	if r.posting != nil && r.posting.Transaction != "" {
		return r.posting.Transaction
	}
	if r.announcement != nil {
		return r.announcement.Transaction
	}
	return ""
}

func (r *naiveRefund) active() bool { return r.posting != nil && !r.reversed }

// home is the posted purchase that the refund is linked to, if it is.
func (b *naiveBook) home(r *naiveRefund) *naiveTransaction {
	if t := b.transaction(r.transaction()); t != nil && t.settlement != nil && !r.firm {
		return t
	}
	return nil
}

// isClaim says whether the refund looks for purchases to reverse.
func (b *naiveBook) isClaim(r *naiveRefund) bool {
	return r.active() && b.home(r) == nil && (r.transaction() == "" || r.gaveUp)
}

// holds says whether an announced refund still holds the reward it may take.
func (b *naiveBook) holds(r *naiveRefund) bool {
	return r.announcement != nil && r.posting == nil && !r.canceled && !r.reversed &&
		b.now < r.announcedAt+naiveDays(b.program.Refunds.PendingDays)
}

func (b *naiveBook) announceRefund(e *reward.Event) reward.Result {
	r := b.refundOrNew(e.Fact)
	if a := r.announcement; a != nil {
		if a.Amount == e.Amount && a.Transaction == e.Transaction {
			return naiveDuplicate
		}
		return naiveRejected(reward.RefundConflict)
	}
	if p := r.posting; p != nil && p.Transaction != "" && p.Transaction != e.Transaction {
		return naiveRejected(reward.RefundConflict)
	}
	if r.posting != nil || r.canceled || r.reversed {
		return naiveFinal
	}
	r.announcement = e
	r.announcedAt = b.now
	return naiveApplied
}

func (b *naiveBook) postRefund(e *reward.Event) reward.Result {
	seen := b.refund(e.Fact) != nil
	r := b.refundOrNew(e.Fact)
	if p := r.posting; p != nil {
		if p.Amount == e.Amount && p.Transaction == e.Transaction {
			return naiveDuplicate
		}
		return naiveRejected(reward.RefundConflict)
	}
	if a := r.announcement; a != nil && e.Transaction != "" && e.Transaction != a.Transaction {
		return naiveRejected(reward.RefundConflict)
	}
	if r.reversed {
		r.posting = e
		return naiveGone
	}
	if !seen && e.Transaction != "" {
		b.endAnnouncementLike(e)
	}
	r.posting = e
	r.postedAt = b.now
	if r.transaction() != "" && !b.isPosted(r.transaction()) {
		return naiveParked(reward.TransactionUnknown)
	}
	return naiveApplied
}

// endAnnouncementLike ends the oldest announcement that the posting fulfils
// under another id.
func (b *naiveBook) endAnnouncementLike(e *reward.Event) {
	var oldest *naiveRefund
	for _, r := range b.refunds {
		if b.holds(r) && r.announcement.Transaction == e.Transaction && r.announcement.Amount == e.Amount &&
			(oldest == nil || r.announcedAt < oldest.announcedAt) {
			oldest = r
		}
	}
	if oldest != nil {
		oldest.canceled = true
	}
}

func (b *naiveBook) cancelRefund(e *reward.Event) reward.Result {
	r := b.refund(e.Fact)
	switch {
	case r == nil:
		b.refunds = append(b.refunds, &naiveRefund{id: e.Fact, canceled: true})
		return naiveParked(reward.RefundUnknown)
	case r.posting != nil:
		return naiveFinal
	case r.canceled:
		return naiveDuplicate
	case r.reversed:
		return naiveFinal
	}
	r.canceled = true
	return naiveApplied
}

func (b *naiveBook) reverseRefund(e *reward.Event) (reward.Result, bool) {
	r := b.refund(e.Fact)
	switch {
	case r == nil:
		b.refunds = append(b.refunds, &naiveRefund{id: e.Fact, reversed: true})
		return naiveParked(reward.RefundUnknown), false
	case r.reversed:
		return naiveDuplicate, false
	}
	counts := r.active() && (b.home(r) != nil || b.isClaim(r))
	r.reversed = true
	return naiveApplied, counts
}
