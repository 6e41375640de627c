package reward

// authorise records a purchase before it clears. The last authorisation stands.
func (s *step) authorise() Result {
	e := s.event
	t := s.know(e.Transaction)
	if t.is(posted | canceled) {
		return Result{Ignored, AlreadyFinal}
	}
	if !t.is(authorised) || e.Time < t.settledAt {
		t.settledAt, t.postedAt = e.Time, e.bought()
	}
	t.set(authorised)
	t.amount = e.Amount
	if e.Labels != "" || t.more != nil {
		t.particular().labels = e.Labels
	}
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
		agrees := t.amount == e.Amount && t.sent() == Terms{e.Merchant, e.MCC, e.Category} && t.saidMore(e) && t.sentItems() == e.Items
		switch {
		case agrees && !t.is(withdrawn):
			return Result{Outcome: Duplicate}
		case agrees:
			t.clear(dismissed)
			s.contested(&t.link().contests, true)
			return Result{Ignored, AlreadyReversed}
		}
		t.clear(dismissed)
		s.contested(&t.link().contests, false)
		return Result{Rejected, TransactionConflict}
	}
	s.postTransaction(t)
	switch atOnce := s.under(t).Timing.Grant == GrantAtSettlement; {
	case !atOnce:
		s.waiting = append(append(s.waiting, t), t.items()...)
	case t.is(split):
		t.set(granted)
		s.grantItems(t)
	default:
		if t.layered() {
			s.placeAll() // what others have left of a limit decides what is granted
		}
		s.grant(t)
	}
	urgent := t.is(withdrawn) || t.chargedBack()
	s.reconcile(urgent)
	return Result{Outcome: Applied}
}

// postTransaction fixes what the settlement says, and brings home what waited.
// The purchase counts in the cycle of its event time, however late it comes.
func (s *step) postTransaction(t *transaction) {
	a, e := s.Account, s.event
	known := Terms{t.merchant, t.mcc, t.category}
	sent := Terms{e.Merchant, e.MCC, e.Category}
	effective := sent.or(known)
	t.merchant, t.mcc, t.category = effective.Merchant, effective.MCC, effective.Category
	t.inherit(effective, sent)
	bought := e.bought()
	if e.Purchased == 0 && t.is(authorised) {
		bought = t.postedAt
	}
	t.amount, t.settledAt, t.postedAt = e.Amount, e.Time, a.now
	t.set(posted)
	a.posted++
	t.order, t.cycle = a.posted, a.cycle
	if e.Time < a.cycleStart {
		t.cycle = a.newest.CycleAt(e.Time)
	}
	t.abroad = abroadOf(e)
	if e.Labels != "" {
		t.particular().labels = e.Labels
	}
	if a.closed {
		t.set(barren)
	}
	t.rule = NoRule
	if s.itemsOf(t) != "" {
		s.postItems(t, bought)
	} else {
		s.enterTerms(t, effective, bought)
	}
	t.say(e)
	a.unsure, a.doubtful = true, true
	if t.links != nil {
		s.comeHome(t)
	}
	if !t.is(split) {
		a.ripen(t)
	}
}

// enterTerms decides which rules a purchase that posts is under, and has it count.
func (s *step) enterTerms(t *transaction, effective Terms, bought Instant) {
	a := s.Account
	if p := a.under(t); p.plain() {
		t.rule = int32(p.RuleFor(effective))
	} else {
		s.sortOut(t, bought)
	}
	if t.rule != NoRule && !t.is(barren) {
		t.bucket = a.bucketIn(t.rule, t.cycle)
	}
	a.spend += t.amount
	if b := t.bucket; b != nil {
		b.net += t.amount
		b.ungranted += t.amount
		a.handBucket(b)
	}
	if a.field != nil && t.settledAt >= a.field.since {
		a.field.add(a, t)
	}
}

// inherit notes what of the effective terms the settlement itself did not send.
func (t *transaction) inherit(effective, sent Terms) {
	if effective.Merchant != sent.Merchant {
		t.set(inheritedMerchant)
	}
	if effective.MCC != sent.MCC {
		t.set(inheritedMCC)
	}
	if effective.Category != sent.Category {
		t.set(inheritedCategory)
	}
}

// comeHome links the refunds that waited for the transaction, also those that
// gave up waiting, unless they became firm elsewhere. Of a link that is only a guess it
// is seen now whether it fits.
func (s *step) comeHome(t *transaction) {
	for _, c := range t.links.chargebacks {
		s.handChargeback(c)
	}
	for _, r := range s.refundsOf(t) {
		s.handRefund(r)
		s.doubt(r)
		switch waits := r.atHome(); {
		case r.doubted && waits:
			r.unlinked = true
			s.claim(r)
		case !r.doubted && r.unlinked && !r.firm:
			s.unclaim(r)
			r.unlinked = false
		}
	}
	facts, named := s.facts(t)
	s.rehome(t, facts, named)
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

// sent is what the settlement itself said of where the purchase was made.
func (t *transaction) sent() Terms {
	x := Terms{t.merchant, t.mcc, t.category}
	if t.is(inheritedMerchant) {
		x.Merchant = ""
	}
	if t.is(inheritedMCC) {
		x.MCC = 0
	}
	if t.is(inheritedCategory) {
		x.Category = ""
	}
	return x
}

// grant computes the original reward of a posted transaction, once ever: on the
// whole amount at settlement, on what is left of it at a statement close. It
// counts as granted also at zero or without a rule.
func (s *step) grant(t *transaction) {
	s.hand(t)
	if t.layered() { // what was granted in this step may have moved the tier that it is at
		s.rank()
		s.regrade(t)
	}
	t.set(granted)
	if !t.layered() || s.under(t).Method == Proportional { // E counts what is granted and what is not alike
		s.unsure, s.doubtful = true, true
	}
	t.base = t.amount
	if s.under(t).Timing.Grant == GrantAtStatement {
		t.base = t.net()
	}
	t.levelled = t.amount - t.base
	if t.layered() {
		s.grantLayers(t)
		return
	}
	b := t.bucket
	if b == nil {
		return
	}
	s.handBucket(b)
	b.ungranted -= t.room()
	t.original = max(0, min(b.rule.Rate.Of(t.base), b.room()))
	s.retain(t, t.original, Grant)
	s.rehold(t) // also where the cap left nothing to grant
	if s.field != nil {
		s.field.update(t)
	}
	if b.program.Method == Rerate || t.reversed() != t.levelled {
		s.touch(t)
	}
}

// bought is when the event says that the purchase was made.
func (e *Event) bought() Instant {
	if e.Purchased != 0 {
		return e.Purchased
	}
	return e.Time
}

// say keeps what the settlement itself said beside where the purchase was made.
func (t *transaction) say(e *Event) {
	switch {
	case e.Labels != "" || e.Purchased != 0 || t.layered() || t.more != nil && t.more.parcel != nil:
		more := t.particular()
		if e.Labels == "" {
			more.inherited = more.labels
		}
		more.labels, more.purchased = e.Labels, e.Purchased
	default:
		t.more = nil
	}
}

// saidMore reports whether a delivery agrees with that.
func (t *transaction) saidMore(e *Event) bool {
	if t.more == nil {
		return e.Labels == "" && e.Purchased == 0
	}
	return t.more.labels == e.Labels && t.more.purchased == e.Purchased
}
