package reward

// What people decide about an account: to which program it belongs, and what
// becomes of the reversals on the review list.

// open says which program the account belongs to, and that it was opened. That it
// belongs to it was decided when the account was made; this event may come late, and
// must agree.
func (s *step) open() Result {
	if s.event.Fact != "" && s.event.Fact != s.newest.ID {
		return Result{Rejected, ProgramConflict}
	}
	r := s.record(attribute{id: openedID, name: openedName, value: openedValue, from: s.event.Time})
	s.welcomed = s.welcomed || r.Outcome == Applied
	return r
}

// relinkRefund links a posted refund to another purchase than it lies on: what it
// took there is given back and what it takes here is taken, in one step.
func (s *step) relinkRefund() Result {
	e := s.event
	r := s.findRefund(e.Fact)
	t, _ := s.find(e.Transaction)
	switch {
	case r == nil || !r.posted && !r.annulled:
		return Result{Rejected, RefundUnknown}
	case t == nil || !t.is(posted):
		return Result{Rejected, TransactionUnknown}
	case r.annulled:
		return Result{Ignored, AlreadyReversed}
	case !r.unlinked && r.transaction == t:
		return Result{Outcome: Duplicate}
	}
	s.doubtful = true
	if old := r.transaction; old != nil {
		s.hand(old)
		old.links.refunds = without(s.refundsOf(old), r)
		if !r.unlinked && old.is(posted) {
			s.recount(old, -r.amount)
		}
	}
	if r.unlinked {
		s.unclaim(r)
	}
	r.transaction, r.unlinked, r.firm = t, false, false
	r.linkedBy, r.doubted = LinkedByPerson, false
	t.link().refunds = append(t.links.refunds, r)
	s.recount(t, r.amount)
	s.reconcile(true)
	return overRefund(t)
}

// dismiss takes a reversal off the review list for good. It changes no reward.
func (s *step) dismiss() Result {
	e := s.event
	var done *bool
	var open []Review
	switch e.Type {
	case RefundDismissed:
		r := s.findRefund(e.Fact)
		if r == nil {
			return Result{Rejected, RefundUnknown}
		}
		done, open = &r.dismissed, r.reviews(nil)
		for i := range r.refusals {
			r.refusals[i].done = true
		}
	case ChargebackDismissed:
		c := s.findChargeback(e.Fact)
		if c == nil {
			return Result{Rejected, ChargebackUnknown}
		}
		done, open = &c.dismissed, c.reviews(nil)
		c.contests = nil
	case RedemptionDismissed:
		r := s.findRedemption(e.Fact)
		if r == nil {
			return Result{Rejected, RedemptionUnknown}
		}
		s.handFact(RedemptionPart, e.Fact)
		done, open = &r.dismissed, r.reviews(nil)
	case AttributeDismissed:
		x := s.attribute(e.Fact)
		if x == nil {
			return Result{Rejected, AttributeUnknown}
		}
		if x.unheard {
			s.handWithdrawal(x)
		}
		done, open = &x.dismissed, x.reviews(nil)
	default:
		t, _ := s.find(e.Transaction)
		if t == nil || !t.is(authorised|posted|canceled|withdrawn) && !t.awaitsPosting() {
			return Result{Rejected, TransactionUnknown}
		}
		if t.is(dismissed) {
			return Result{Outcome: Duplicate}
		}
		if open = t.reviews(nil); len(open) > 0 {
			t.set(dismissed)
			if t.links != nil {
				t.links.contests = nil
			}
		}
		done = new(bool)
	}
	switch {
	case *done:
		return Result{Outcome: Duplicate}
	case len(open) == 0:
		return Result{Ignored, AlreadyFinal}
	}
	*done = true
	return Result{Outcome: Applied}
}
