package reward

import "slices"

// rehold recomputes what may not be redeemed of one transaction's reward: all
// of it while it is immature, otherwise what a delivered or announced reversal
// is about to claw back.
func (a *Account) rehold(t *transaction) {
	if !t.is(granted) || t.bucket == nil {
		return
	}
	risk := max(0, t.retained-a.keeps(t, min(t.amount, t.reversed()+t.pending)))
	held := risk
	if t.is(immature) {
		held = t.retained
	}
	if risk == t.risk && held == t.held {
		return
	}
	a.note(t)
	a.risk += risk - t.risk
	a.held += held - t.held
	t.risk, t.held = risk, held
}

// ripen starts a posted transaction's maturity.
func (a *Account) ripen(t *transaction) {
	if a.program.MaturityDays > 0 && t.bucket != nil {
		t.set(immature)
		end := a.ripe(t)
		at := len(a.maturing)
		for at > 0 && a.ripe(a.maturing[at-1]) > end {
			at-- // posted under a version with a longer maturity
		}
		a.maturing = slices.Insert(a.maturing, at, t)
	}
}

// ripe is when a posted transaction's reward has matured.
func (a *Account) ripe(t *transaction) Instant {
	return t.postedAt.plusDays(a.under(t).MaturityDays)
}

// mature ends the maturity of what is old enough by now.
func (a *Account) mature() {
	n := 0
	for _, t := range a.maturing {
		if a.ripe(t) > a.now {
			break
		}
		t.clear(immature)
		a.note(t)
		a.rehold(t)
		n++
	}
	a.maturing = drop(a.maturing, n)
}

// expire ends the holds of announced refunds that were not heard of again.
func (a *Account) expire() {
	n := 0
	for _, r := range a.announce {
		if r.holding && r.heard.plusDays(a.program.Refunds.PendingDays) > a.now {
			break
		}
		a.endHold(r)
		n++
	}
	a.announce = drop(a.announce, n)
}

// drop removes the first n of a queue, and lets go of the memory once it is empty.
func drop[T any](queue []T, n int) []T {
	if n == len(queue) {
		return nil
	}
	clear(queue[:n])
	return queue[n:]
}

// announceRefund holds the reward that a refund will take which the merchant
// has authorised but not paid.
func (s *step) announceRefund() Result {
	e := s.event
	r := s.findRefund(e.Fact)
	switch {
	case r == nil:
		r = s.newRefund()
	case r.pending:
		if r.announced == e.Amount && r.sent == e.Transaction {
			return Result{Outcome: Duplicate}
		}
		return s.contestRefund(r)
	case r.posted && r.named && r.sent != e.Transaction:
		return s.contestRefund(r)
	case r.posted || r.canceled || r.annulled:
		return Result{Ignored, AlreadyFinal}
	}
	r.pending, r.announced, r.heard, r.sent = true, e.Amount, s.now, e.Transaction
	s.linkRefund(r, e.Transaction)
	if s.program.Refunds.PendingDays > 0 {
		r.holding = true
		s.announce = append(s.announce, r)
		r.transaction.pending += r.announced
		s.rehold(r.transaction)
	}
	return Result{Outcome: Applied}
}

// cancelRefund ends an announcement whose refund will not come.
func (s *step) cancelRefund() Result {
	r := s.findRefund(s.event.Fact)
	switch {
	case r == nil:
		s.newRefund().canceled = true
		return Result{Parked, RefundUnknown}
	case r.posted:
		return Result{Ignored, AlreadyFinal}
	case r.canceled:
		return Result{Outcome: Duplicate}
	case r.annulled:
		return Result{Ignored, AlreadyFinal}
	}
	r.canceled = true
	s.noteRefund(r)
	s.endHold(r)
	return Result{Outcome: Applied}
}

// endHold ends what an announcement holds.
func (a *Account) endHold(r *refund) {
	if !r.holding {
		return
	}
	r.holding = false
	a.noteRefund(r)
	a.note(r.transaction)
	r.transaction.pending -= r.announced
	a.rehold(r.transaction)
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
