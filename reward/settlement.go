package reward

// authorise records a purchase before it clears. The last authorisation stands.
func (s *step) authorise() Result {
	e := s.event
	t := s.know(e.Transaction)
	if t.is(posted | canceled) {
		return Result{Ignored, AlreadyFinal}
	}
	t.set(authorised)
	t.amount = e.Amount
	t.merchant, t.mcc, t.category = e.Merchant, e.MCC, e.Category
	return Result{Outcome: Applied}
}

// cancel releases an authorisation; once the purchase has posted it is stale.
func (s *step) cancel() Result {
	t := s.know(s.event.Transaction)
	switch {
	case t.is(posted):
		return Result{Ignored, AlreadyFinal}
	case t.is(canceled):
		return Result{Outcome: Duplicate}
	}
	t.set(canceled)
	return Result{Outcome: Applied}
}

// settle posts a purchase and, where rewards are granted at settlement, grants
// (paper, Algorithm 1). Facts that waited for it find their home.
func (s *step) settle() Result {
	e := s.event
	t := s.know(e.Transaction)
	if t.is(posted) {
		if t.amount == e.Amount && t.sentMerchant() == e.Merchant && t.mcc == e.MCC && t.category == e.Category {
			return Result{Outcome: Duplicate}
		}
		t.clear(dismissed)
		s.contested(&t.link().contest)
		return Result{Rejected, TransactionConflict}
	}
	s.postTransaction(t)
	if s.program.Timing.Grant == GrantAtSettlement {
		s.grant(t)
	} else {
		s.waiting = append(s.waiting, t)
	}
	urgent := t.is(withdrawn) || t.chargedBack()
	s.settleUp(urgent)
	return Result{Outcome: Applied}
}

// postTransaction fixes what the settlement says, and brings home what waited.
func (s *step) postTransaction(t *transaction) {
	a, e := s.Account, s.event
	known := Terms{t.merchant, t.mcc, t.category}
	sent := Terms{e.Merchant, e.MCC, e.Category}
	t.merchant, t.mcc, t.category = sent.Merchant, sent.MCC, sent.Category
	if sent.Merchant == "" && known.Merchant != "" {
		t.merchant = known.Merchant
		t.set(inherited)
	}
	t.amount, t.settledAt, t.postedAt = e.Amount, e.Time, a.now
	t.set(posted)
	a.posted++
	t.order, t.cycle = a.posted, a.cycle
	t.rule = int32(a.program.RuleFor(sent.or(known)))
	if t.rule != NoRule && !a.closed {
		t.bucket = a.bucket(t.rule)
	}
	a.spend += t.amount
	if b := t.bucket; b != nil {
		b.net += t.amount
		b.earliest = min(b.earliest, t.settledAt)
	}
	if m := a.match; m != nil {
		m.list(t)
		a.disturb(t)
	}
	if t.links != nil {
		s.comeHome(t)
	}
	a.ripen(t)
}

// comeHome links the refunds that waited for the transaction, also those that
// gave up waiting, unless they became firm elsewhere.
func (s *step) comeHome(t *transaction) {
	for _, c := range t.links.chargebacks {
		s.noteChargeback(c)
	}
	for _, r := range t.links.refunds {
		s.noteRefund(r)
		if r.unlinked && !r.firm {
			s.unclaim(r)
			r.unlinked = false
		}
	}
	facts, refunds := t.facts()
	s.rehome(t, facts, refunds)
}

// or takes from the other terms what these leave out.
func (t Terms) or(other Terms) Terms {
	if t.Merchant == "" {
		t.Merchant = other.Merchant
	}
	if t.MCC == 0 {
		t.MCC = other.MCC
	}
	if t.Category == "" {
		t.Category = other.Category
	}
	return t
}

// sentMerchant is the merchant that the settlement itself named.
func (t *transaction) sentMerchant() string {
	if t.is(inherited) {
		return ""
	}
	return t.merchant
}

// grant computes the original reward of a posted transaction, once ever: on the
// whole amount at settlement, on what is left of it at a statement close. It
// counts as granted also at zero or without a rule.
func (s *step) grant(t *transaction) {
	t.set(granted)
	s.note(t)
	s.disturb(t)
	t.base = t.amount
	if s.under(t).Timing.Grant == GrantAtStatement {
		t.base = t.net()
	}
	t.levelled = t.amount - t.base
	b := t.bucket
	if b == nil {
		return
	}
	t.original = max(0, min(b.rule.Rate.Of(t.base), b.room()))
	s.retain(t, t.original, Grant)
	if b.program.Method == Rerate || t.reversed() != t.levelled {
		s.touch(t)
	}
}
