package reward

import "slices"

// Announced refunds: the merchant authorised a return, and no money came yet.

// announceRefund holds the reward that a refund will take which the merchant
// has authorised but not paid.
func (s *step) announceRefund() Result {
	e := s.event
	r := s.findRefund(e.Fact)
	switch r.standing() {
	case refundUnheard:
		if r == nil {
			r = s.newRefund()
		}
	case refundPending:
		if r.announced == e.Amount && r.sent == e.Transaction {
			return Result{Outcome: Duplicate}
		}
		return s.contestRefund(r)
	default:
		return Result{Ignored, AlreadyFinal}
	}
	r.pending, r.announced, r.heard, r.sent = true, e.Amount, s.now, e.Transaction
	s.linkRefund(r, e.Transaction)
	if days := s.program.Refunds.PendingDays; days > 0 {
		r.holding, r.until = true, s.now.plusDays(days)
		s.announce = append(s.announce, r)
		s.hand(r.transaction)
		r.transaction.links.pending += r.announced
		s.doubtful = true
	}
	return Result{Outcome: Applied}
}

// cancelRefund ends an announcement whose refund will not come.
func (s *step) cancelRefund() Result {
	r := s.findRefund(s.event.Fact)
	switch r.standing() {
	case refundUnheard:
		s.newRefund().canceled = true
		return Result{Parked, RefundUnknown}
	case refundCanceled:
		return Result{Outcome: Duplicate}
	case refundPending:
		r.canceled = true
		s.endHold(r)
		return Result{Outcome: Applied}
	}
	return Result{Ignored, AlreadyFinal}
}

// endHold ends what an announcement holds.
func (a *Account) endHold(r *refund) {
	if !r.holding {
		return
	}
	r.holding = false
	a.handRefund(r)
	a.hand(r.transaction)
	r.transaction.links.pending -= r.announced
	a.doubtful = true
}

// supersede ends the oldest announcement of the same transaction and amount
// that still holds: the merchant posted the refund under another id.
func (a *Account) supersede(t *transaction, amount int64) {
	for _, r := range a.announce {
		if r.holding && r.transaction == t && r.announced == amount {
			r.canceled = true
			a.endHold(r)
			return
		}
	}
}

// expire ends the holds of announced refunds that were not heard of again.
func (a *Account) expire() {
	if len(a.announce) == 0 {
		return
	}
	a.announce = slices.DeleteFunc(a.announce, func(r *refund) bool {
		if r.holding && r.until > a.now {
			return false
		}
		a.endHold(r)
		return true
	})
}
