package reward

// chargeback is one dispute by its id.
type chargeback struct {
	id          string
	transaction *transaction
	amount      int64   // zero: the transaction's whole amount
	at          Instant // event time
	arrived     Instant
	contests    contests
	posted      bool
	annulled    bool
	dismissed   bool // somebody looked at its review and let it be
	handed      bool // it was handed out for change since it was last written down
}

func (c *chargeback) active() bool { return c.posted && !c.annulled }

// takes is what it reverses of its transaction before anything is clamped.
func (c *chargeback) takes(t *transaction) int64 {
	if c.amount == 0 {
		return t.amount
	}
	return c.amount
}

// chargeback takes a purchase back after a dispute (assumption A5: at once).
func (s *step) chargeback() Result {
	e := s.event
	c := s.findChargeback(e.Fact)
	switch {
	case c == nil:
		c = s.newChargeback()
	case c.posted && (c.transaction.id != e.Transaction || c.amount != e.Amount):
		c.dismissed = false
		s.contested(&c.contests, false)
		return Result{Rejected, ChargebackConflict}
	case c.annulled:
		c.dismissed = false
		s.contested(&c.contests, true)
		return Result{Ignored, AlreadyReversed}
	case c.posted:
		return Result{Outcome: Duplicate}
	}
	t := s.know(e.Transaction)
	c.posted, c.transaction, c.amount, c.at, c.arrived = true, t, e.Amount, e.Time, s.now
	t.link().chargebacks = append(t.links.chargebacks, c)
	t.links.disputes++
	if !t.is(posted) {
		return Result{Parked, TransactionUnknown}
	}
	s.rehome(t, c.takes(t), c.amount)
	s.reconcile(true)
	if c.amount == 0 {
		return Result{Outcome: Applied}
	}
	return overRefund(t)
}

// undoChargeback gives back what a dispute took that the cardholder then lost.
func (s *step) undoChargeback() Result {
	c := s.findChargeback(s.event.Fact)
	switch {
	case c == nil:
		s.newChargeback().annulled = true
		return Result{Parked, ChargebackUnknown}
	case c.annulled:
		return Result{Outcome: Duplicate}
	}
	c.annulled = true
	t := c.transaction
	s.hand(t)
	t.links.disputes--
	if t.is(posted) {
		s.rehome(t, -c.takes(t), -c.amount)
		s.reconcile(true)
	}
	return Result{Outcome: Applied}
}

func (s *step) newChargeback() *chargeback {
	c := &chargeback{id: s.event.Fact, arrived: s.now}
	if s.chargebacks == nil {
		s.chargebacks = make(map[string]*chargeback)
	}
	s.chargebacks[s.event.Fact] = c
	s.handChargeback(c)
	return c
}
