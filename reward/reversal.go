package reward

// refund is one refund by its id: announced, posted, or both.
type refund struct {
	id          string
	transaction *transaction // the purchase it names, nil for none
	sent        string       // the transaction that it named as it was delivered

	// As the posting sent them.
	merchant, category string
	mcc                MCC
	linkedBy           LinkedBy
	abroad             *abroad // in the merchant's currency
	items              Items

	serial    int32   // counts the account's refunds as they are heard of
	announced int64   // amount of the announcement
	amount    int64   // amount posted
	at        Instant // event time of the posting
	arrived   Instant // the account's time when it posted
	heard     Instant // the account's time when it was first heard of
	until     Instant // its announcement holds reward until then

	refusals []refusal // what was delivered under its id and does not count

	places     []placement // where its unlinked money lies that may move
	rest       int64       // unlinked money that found no spend
	firmPlaces []placement // where it belongs for good
	firmRest   int64       // what had found no spend when it became firm
	shortfall  int64       // what of the firm places had to give way

	pending   bool // announced
	holding   bool // its announcement holds reward
	posted    bool
	canceled  bool
	annulled  bool // reversed, perhaps before it arrived
	named     bool // the posting itself named the transaction that was sent
	unlinked  bool // its money is placed by allocation
	firm      bool // its placement is final
	doubted   bool // its link is a guess that its purchase does not bear out
	dismissed bool // somebody looked at its review and let it be
	handed    bool // it was handed out for change since it was last written down
}

// standing is what is known of a refund's id (docs/semantics.md, section 5).
type standing int

const (
	refundUnheard standing = iota
	refundPending
	refundCanceled
	refundPosted
	refundReversed // after it posted
	refundAnnulled // before it came
)

func (r *refund) standing() standing {
	switch {
	case r == nil:
		return refundUnheard
	case r.annulled && r.posted:
		return refundReversed
	case r.annulled:
		return refundAnnulled
	case r.posted:
		return refundPosted
	case r.canceled:
		return refundCanceled
	case r.pending:
		return refundPending
	}
	return refundUnheard
}

// active reports whether the refund counts.
func (r *refund) active() bool { return r.posted && !r.annulled }

// atHome reports whether it reverses the transaction that it names.
func (r *refund) atHome() bool { return r.active() && !r.unlinked }

// agrees reports whether a delivery says what the posting said.
func (r *refund) agrees(e *Event) bool {
	named := ""
	if r.named {
		named = r.sent
	}
	return r.amount == e.Amount && named == e.Transaction && r.merchant == e.Merchant && r.mcc == e.MCC && r.category == e.Category && r.items == e.Items
}

// refund applies a posted refund (paper, Algorithm 2). A linked one goes home
// or waits; an unlinked one becomes a claim on the account's spend.
func (s *step) refund() Result {
	e := s.event
	r := s.findRefund(e.Fact)
	seen := r != nil
	switch r.standing() {
	case refundPosted, refundReversed:
		switch {
		case !r.agrees(e):
			return s.contestRefund(r)
		case r.annulled:
			return s.refuse(r, Result{Ignored, AlreadyReversed})
		}
		return Result{Outcome: Duplicate}
	case refundAnnulled:
		return s.refuse(r, Result{Ignored, AlreadyReversed})
	case refundPending, refundCanceled:
		if r.pending && e.Transaction != "" && e.Transaction != r.sent {
			return s.contestRefund(r)
		}
	}
	if !seen {
		r = s.newRefund()
	}
	s.endHold(r)
	r.posted, r.amount, r.at, r.arrived = true, e.Amount, e.Time, s.now
	r.merchant, r.mcc, r.category, r.items = e.Merchant, e.MCC, e.Category, e.Items
	r.abroad = abroadOf(e)
	if e.Transaction != "" {
		r.named, r.sent, r.linkedBy = true, e.Transaction, e.LinkedBy
		if r.transaction == nil {
			s.linkRefund(r, e.Transaction)
		}
		if !seen {
			s.supersede(r.transaction, r.amount)
		}
	}
	if r.transaction != nil {
		return s.refundLinked(r)
	}
	return s.refundUnlinked(r)
}

// refundUnlinked has a refund look for what it may be of.
func (s *step) refundUnlinked(r *refund) Result {
	r.unlinked = true
	s.claim(r)
	s.reconcile(false)
	if r.rest > 0 {
		return Result{Applied, Unmatched}
	}
	return Result{Applied, Matched}
}

// refundLinked brings a refund to the transaction that it names.
func (s *step) refundLinked(r *refund) Result {
	t := r.transaction
	if !t.is(posted) {
		s.parked = append(s.parked, r)
		s.doubtful = true
		return Result{Parked, TransactionUnknown}
	}
	if s.doubt(r); r.doubted {
		return s.refundUnlinked(r)
	}
	s.recount(t, r.amount)
	s.reconcile(false)
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
	switch r.standing() {
	case refundReversed, refundAnnulled:
		return Result{Outcome: Duplicate}
	case refundPosted:
	default:
		if r == nil {
			r = s.newRefund()
		}
		s.endHold(r)
		r.annulled = true
		return Result{Parked, RefundUnknown}
	}
	counts := r.unlinked || r.transaction.is(posted)
	unlinked := r.unlinked
	if unlinked {
		s.unclaim(r)
	}
	r.annulled = true
	s.doubtful = true
	if !counts {
		return Result{Outcome: Applied}
	}
	if !unlinked {
		s.recount(r.transaction, -r.amount)
	}
	s.reconcile(true)
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
	s.reconcile(true)
	return Result{Outcome: Applied}
}

func (s *step) newRefund() *refund {
	s.heard++
	r := &refund{id: s.event.Fact, serial: s.heard, heard: s.now}
	if s.refunds == nil {
		s.refunds = make(map[string]*refund)
	}
	s.refunds[r.id] = r
	s.handRefund(r)
	return r
}

// linkRefund ties a refund to the transaction that it names.
func (s *step) linkRefund(r *refund, id string) {
	t := s.know(id)
	r.transaction = t
	t.link().refunds = append(t.links.refunds, r)
}

// reconcile brings postings in line with facts: allocation, then levelling. A
// program that claws back at statements defers levelling unless the event is
// urgent (assumption A5); what is deferred is held from now on.
func (s *step) reconcile(urgent bool) {
	s.allocate()
	if urgent || s.program.Timing.Clawback == ClawbackAtRefund {
		s.level()
	}
}
