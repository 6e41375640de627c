package reward

// refund is one refund by its id: announced, posted, or both.
type refund struct {
	id          string
	transaction *transaction // the purchase it names, nil for none
	merchant    string
	rule        string  // that its own merchant data match, "" for none
	sent        string  // the transaction that it named as it was delivered
	serial      int32   // counts the account's refunds as they are heard of
	announced   int64   // amount of the announcement
	amount      int64   // amount posted
	at          Instant // event time of the posting
	arrived     Instant // the account's time when it posted
	heard       Instant // the account's time when it was first heard of

	contest contest

	parts     []part // where its unlinked money lies that may move
	rest      int64  // unlinked money that found no spend
	firmParts []part // where it belongs for good
	firmRest  int64  // what had found no spend when it became firm
	shortfall int64  // what of the firm parts had to give way

	pending   bool // announced
	holding   bool // its announcement holds reward
	posted    bool
	canceled  bool
	annulled  bool // reversed, perhaps before it arrived
	named     bool // the posting itself named the transaction that was sent
	unlinked  bool // its money is placed by allocation
	firm      bool // its placement is final
	dismissed bool // somebody looked at its review and let it be
	noted     bool // it has changed since it was last written down
}

// contest is a second delivery of a fact that did not agree with the first, the
// latest if there were several.
type contest struct {
	amount int64
	at     Instant // the account's time when it arrived; zero: there was none
}

// contested notes that the event does not agree with a fact that is there.
func (s *step) contested(c *contest) { c.amount, c.at = s.event.Amount, s.now }

func (s *step) contestRefund(r *refund) Result {
	s.noteRefund(r)
	r.dismissed = false
	s.contested(&r.contest)
	return Result{Rejected, RefundConflict}
}

// active reports whether the refund counts.
func (r *refund) active() bool { return r.posted && !r.annulled }

// atHome reports whether it reverses the transaction that it names.
func (r *refund) atHome() bool { return r.active() && !r.unlinked }

// chargeback is one dispute by its id.
type chargeback struct {
	id          string
	transaction *transaction
	amount      int64 // zero: the transaction's whole amount
	arrived     Instant
	contest     contest
	posted      bool
	annulled    bool
	dismissed   bool // somebody looked at its review and let it be
	noted       bool // it has changed since it was last written down
}

func (c *chargeback) active() bool { return c.posted && !c.annulled }

// takes is what it reverses of its transaction before anything is clamped.
func (c *chargeback) takes(t *transaction) int64 {
	if c.amount == 0 {
		return t.amount
	}
	return c.amount
}

// refund applies a posted refund (paper, Algorithm 2). A linked one goes home
// or waits; an unlinked one becomes a claim on the account's spend.
func (s *step) refund() Result {
	e := s.event
	r := s.findRefund(e.Fact)
	seen := r != nil
	switch {
	case !seen:
		r = s.newRefund()
	case r.posted:
		named := ""
		if r.named {
			named = r.sent
		}
		if r.amount == e.Amount && named == e.Transaction {
			return Result{Outcome: Duplicate}
		}
		return s.contestRefund(r)
	case r.pending && e.Transaction != "" && e.Transaction != r.sent:
		return s.contestRefund(r)
	}
	s.noteRefund(r)
	s.endHold(r)
	r.posted, r.amount, r.at, r.arrived = true, e.Amount, e.Time, s.now
	if e.Transaction != "" {
		r.named, r.sent = true, e.Transaction
		if r.transaction == nil {
			s.linkRefund(r, e.Transaction)
		}
	}
	if r.annulled {
		return Result{Ignored, AlreadyReversed}
	}
	if r.transaction != nil {
		return s.refundLinked(r, !seen)
	}
	r.unlinked = true
	r.merchant = e.Merchant
	r.rule = s.ruleFor(Terms{e.Merchant, e.MCC, e.Category})
	s.claim(r)
	s.settleUp(false)
	if r.rest > 0 {
		return Result{Applied, Unmatched}
	}
	return Result{Applied, Matched}
}

// refundLinked brings a refund to the transaction that it names. One under an
// id not seen before may be an announced one under another name.
func (s *step) refundLinked(r *refund, unseen bool) Result {
	t, e := r.transaction, s.event
	if unseen {
		s.supersede(t, r.amount)
	}
	r.merchant = e.Merchant
	r.rule = s.ruleFor(Terms{e.Merchant, e.MCC, e.Category})
	if !t.is(posted) {
		s.parked = append(s.parked, r)
		return Result{Parked, TransactionUnknown}
	}
	s.rehome(t, r.amount, r.amount)
	s.settleUp(false)
	return overRefund(t)
}

// overRefund answers a reversal of which a part is above the amount.
func overRefund(t *transaction) Result {
	if t.home > t.amount {
		return Result{Applied, OverRefund}
	}
	return Result{Outcome: Applied}
}

// undoRefund takes a refund back, or annuls one that has not arrived.
func (s *step) undoRefund() Result {
	r := s.findRefund(s.event.Fact)
	switch {
	case r == nil:
		s.newRefund().annulled = true
		return Result{Parked, RefundUnknown}
	case r.annulled:
		return Result{Outcome: Duplicate}
	}
	s.noteRefund(r)
	s.endHold(r)
	if !r.posted {
		r.annulled = true
		return Result{Outcome: Applied}
	}
	counts := r.unlinked || r.transaction.is(posted)
	if r.unlinked {
		s.unclaim(r)
	}
	r.annulled = true
	if !counts {
		return Result{Outcome: Applied}
	}
	if !r.unlinked {
		s.rehome(r.transaction, -r.amount, -r.amount)
	}
	s.settleUp(true)
	return Result{Outcome: Applied}
}

// chargeback takes a purchase back after a dispute (assumption A5: at once).
func (s *step) chargeback() Result {
	e := s.event
	c := s.findChargeback(e.Fact)
	switch {
	case c == nil:
		c = s.newChargeback()
	case c.posted:
		if c.transaction.id == e.Transaction && c.amount == e.Amount {
			return Result{Outcome: Duplicate}
		}
		s.noteChargeback(c)
		c.dismissed = false
		s.contested(&c.contest)
		return Result{Rejected, ChargebackConflict}
	}
	t := s.know(e.Transaction)
	s.noteChargeback(c)
	c.posted, c.transaction, c.amount, c.arrived = true, t, e.Amount, s.now
	t.link().chargebacks = append(t.links.chargebacks, c)
	if c.annulled {
		return Result{Ignored, AlreadyReversed}
	}
	t.links.disputes++
	if !t.is(posted) {
		return Result{Parked, TransactionUnknown}
	}
	s.rehome(t, c.takes(t), 0)
	s.settleUp(true)
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
	s.noteChargeback(c)
	t := c.transaction
	s.note(t)
	t.links.disputes--
	if t.is(posted) {
		s.rehome(t, -c.takes(t), 0)
		s.settleUp(true)
	}
	return Result{Outcome: Applied}
}

// withdraw takes the posting of a purchase itself back, whole.
func (s *step) withdraw() Result {
	t := s.know(s.event.Transaction)
	if t.is(withdrawn) {
		return Result{Outcome: Duplicate}
	}
	t.set(withdrawn)
	t.link().withdrawnAt = s.now
	if !t.is(posted) {
		return Result{Parked, TransactionUnknown}
	}
	s.rehome(t, t.amount, 0)
	s.settleUp(true)
	return Result{Outcome: Applied}
}

func (s *step) newRefund() *refund {
	s.heard++
	r := &refund{id: s.event.Fact, serial: s.heard, heard: s.now}
	if s.refunds == nil {
		s.refunds = make(map[string]*refund)
	}
	s.refunds[r.id] = r
	s.noteRefund(r)
	return r
}

func (s *step) newChargeback() *chargeback {
	c := &chargeback{id: s.event.Fact, arrived: s.now}
	if s.chargebacks == nil {
		s.chargebacks = make(map[string]*chargeback)
	}
	s.chargebacks[s.event.Fact] = c
	s.noteChargeback(c)
	return c
}

// ruleFor is the id of the rule that terms match now, "" for none.
func (s *step) ruleFor(t Terms) string {
	if i := s.program.RuleFor(t); i != NoRule {
		return s.program.Rules[i].ID
	}
	return ""
}

// linkRefund ties a refund to the transaction that it names.
func (s *step) linkRefund(r *refund, id string) {
	t := s.know(id)
	r.transaction = t
	t.link().refunds = append(t.links.refunds, r)
}

// settleUp brings postings in line with facts: allocation, then levelling. A
// program that claws back at statements defers levelling unless the event is
// urgent (assumption A5); what is deferred is held from now on.
func (s *step) settleUp(urgent bool) {
	s.allocate()
	if urgent || s.program.Timing.Clawback == ClawbackAtRefund {
		s.level()
	}
}
