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

// transaction is the purchase that the refund is of, as far as anybody said:
// who looked into it, its posting, or its announcement.
func (r *naiveRefund) transaction() string {
	switch {
	case r.linkedTo != "":
		return r.linkedTo
	case r.posting != nil && r.posting.Transaction != "":
		return r.posting.Transaction
	case r.announcement != nil:
		return r.announcement.Transaction
	}
	return ""
}

func (r *naiveRefund) active() bool { return r.posting != nil && !r.reversed }

// home is the posted purchase that the refund is linked to, if it is.
func (b *naiveBook) home(r *naiveRefund) *naiveTransaction {
	if t := b.transaction(r.transaction()); t != nil && t.settlement != nil && !r.firm && !r.doubted {
		return t
	}
	return nil
}

// isUnlinked says whether the refund looks for purchases to reverse.
func (b *naiveBook) isUnlinked(r *naiveRefund) bool {
	return r.active() && b.home(r) == nil && (r.transaction() == "" || r.gaveUp || r.doubted)
}

// isParked says whether the refund waits for the purchase that it names.
func (b *naiveBook) isParked(r *naiveRefund) bool {
	return r.active() && b.home(r) == nil && !b.isUnlinked(r)
}

// holds says whether an announced refund still holds the reward it may take.
func (b *naiveBook) holds(r *naiveRefund) bool {
	return r.announcement != nil && r.posting == nil && !r.canceled && !r.reversed &&
		b.now < r.holdsUntil
}

// naiveKnown is what is known of a refund's id.
type naiveKnown int

const (
	knownNothing naiveKnown = iota
	knownPending
	knownCanceled
	knownPosted
	knownReversed
	knownAnnulled // undone before it was posted
)

func (r *naiveRefund) known() naiveKnown {
	switch {
	case r == nil:
		return knownNothing
	case r.posting != nil && r.reversed:
		return knownReversed
	case r.posting != nil:
		return knownPosted
	case r.reversed:
		return knownAnnulled
	case r.canceled:
		return knownCanceled
	}
	return knownPending
}

func (b *naiveBook) announceRefund(e *reward.Event) reward.Result {
	r := b.refund(e.Fact)
	switch r.known() {
	case knownNothing:
		r = b.refundOrNew(e.Fact)
		r.announcement, r.holdsUntil = e, b.now+naiveDays(b.terms().Refunds.PendingDays)
		return naiveApplied
	case knownPending:
		if a := r.announcement; a.Amount == e.Amount && a.Transaction == e.Transaction {
			return naiveDuplicate
		}
		return r.refuse(e, naiveRejected(reward.RefundConflict))
	}
	return naiveFinal
}

// sameRefund compares two postings of a refund as they were sent.
func sameRefund(e, f *reward.Event) bool {
	return e.Amount == f.Amount && e.Transaction == f.Transaction &&
		e.Merchant == f.Merchant && e.MCC == f.MCC && e.Category == f.Category && e.Items == f.Items
}

func (b *naiveBook) postRefund(e *reward.Event) reward.Result {
	r := b.refund(e.Fact)
	known := r.known()
	switch known {
	case knownPosted, knownReversed:
		switch {
		case !sameRefund(r.posting, e):
			return r.refuse(e, naiveRejected(reward.RefundConflict))
		case known == knownReversed:
			return r.refuse(e, naiveGone)
		}
		return naiveDuplicate
	case knownAnnulled:
		return r.refuse(e, naiveGone)
	case knownPending, knownCanceled:
		if a := r.announcement; a != nil && e.Transaction != "" && e.Transaction != a.Transaction {
			return r.refuse(e, naiveRejected(reward.RefundConflict))
		}
	case knownNothing:
		b.endAnnouncementLike(e)
		r = b.refundOrNew(e.Fact)
	}
	r.posting, r.postedAt = e, b.now
	b.doubt(r)
	if b.isParked(r) {
		return naiveParked(reward.TransactionUnknown)
	}
	return naiveApplied
}

// doubt decides, once both are known, whether who guessed the purchase of a refund may
// be right: at that merchant, not for more than it cost, and when it may be.
func (b *naiveBook) doubt(r *naiveRefund) {
	t := b.transaction(r.transaction())
	if r.posting == nil || t == nil || t.settlement == nil || r.linkedTo != "" {
		return
	}
	if by := r.posting.LinkedBy; by != reward.LinkedByProcessor && by != reward.LinkedByInference {
		return
	}
	c := naiveClaim{time: r.posting.Time, earliest: r.posting.Time}
	switch {
	case r.posting.Merchant != "" && t.merchant != "" && r.posting.Merchant != t.merchant:
		r.doubted = true
	case isAbroad(t, r) && r.posting.MerchantAmount > t.settlement.MerchantAmount:
		r.doubted = true
	case !isAbroad(t, r) && r.posting.Amount > t.settlement.Amount:
		r.doubted = true
	case !c.inWindow(t, b.terms().Refunds):
		r.doubted = true
	}
}

// endAnnouncementLike ends the first arrived announcement that a linked posting
// fulfils under another id.
func (b *naiveBook) endAnnouncementLike(e *reward.Event) {
	for _, r := range b.refunds {
		if b.holds(r) && r.announcement.Transaction == e.Transaction && r.announcement.Amount == e.Amount {
			r.canceled = true
			return
		}
	}
}

func (b *naiveBook) cancelRefund(e *reward.Event) reward.Result {
	r := b.refund(e.Fact)
	switch r.known() {
	case knownNothing:
		b.refundOrNew(e.Fact).canceled = true
		return naiveParked(reward.RefundUnknown)
	case knownPending:
		r.canceled = true
		return naiveApplied
	case knownCanceled:
		return naiveDuplicate
	}
	return naiveFinal
}

func (b *naiveBook) reverseRefund(e *reward.Event) (reward.Result, bool) {
	r := b.refund(e.Fact)
	switch r.known() {
	case knownReversed, knownAnnulled:
		return naiveDuplicate, false
	case knownPosted:
		counted := !b.isParked(r)
		r.reversed = true
		return naiveApplied, counted
	}
	b.refundOrNew(e.Fact).reversed = true
	return naiveParked(reward.RefundUnknown), false
}
