package reward

// refusal is a delivery of a refund that does not count: it contradicts what is
// there under its id, or came after its undo. Somebody may have it count after
// all, under an id of its own.
type refusal struct {
	code     Code // RefundConflict or AlreadyReversed
	posting  bool // it was a refund.posted; announcements cannot be made to count
	done     bool // it was made to count, or let be
	amount   int64
	at       Instant // event time
	arrived  Instant // the account's time
	sent     string  // the transaction that it named
	merchant string
	mcc      MCC
	category string
	linkedBy LinkedBy
	abroad   *abroad
}

// contest is a second delivery of a chargeback or settlement that does not count.
// Each is kept until somebody lets it be.
type contest struct {
	amount int64
	at     Instant // the account's time when it arrived
	undone bool    // it agreed, but with a fact that was undone
}

// contests are the deliveries beside one fact, the oldest first.
type contests []contest

// contested notes that the event does not count beside a fact that is there.
func (s *step) contested(c *contests, undone bool) {
	*c = append(*c, contest{s.event.Amount, s.now, undone})
}

func (s *step) contestRefund(r *refund) Result { return s.refuse(r, Result{Rejected, RefundConflict}) }

// refuse keeps what was delivered under a refund's id and does not count.
func (s *step) refuse(r *refund, why Result) Result {
	e := s.event
	s.handRefund(r)
	r.dismissed = false
	r.refusals = append(r.refusals, refusal{
		code: why.Code, posting: e.Type == RefundPosted, amount: e.Amount, at: e.Time, arrived: s.now,
		sent: e.Transaction, merchant: e.Merchant, mcc: e.MCC, category: e.Category, linkedBy: e.LinkedBy, abroad: abroadOf(e),
	})
	return why
}

// countRefund has the latest posting that was refused under a refund's id count
// as a refund of its own, under another id.
func (s *step) countRefund() Result {
	e := s.event
	r := s.findRefund(e.Fact)
	x := r.countable()
	if x == nil {
		return Result{Rejected, RefundUnknown}
	}
	as := *e
	as.Type, as.Fact, as.As = RefundPosted, e.As, ""
	as.Time, as.Amount, as.HasAmount = x.at, x.amount, true
	if as.MerchantAmount, as.MerchantCurrency = 0, ""; x.abroad != nil {
		as.MerchantAmount, as.MerchantCurrency = x.abroad.amount, x.abroad.currency
	}
	as.Transaction, as.Merchant, as.MCC, as.Category, as.LinkedBy = x.sent, x.merchant, x.mcc, x.category, x.linkedBy
	if o := s.findRefund(as.Fact); o.standing() != refundUnheard {
		if o.posted && o.agrees(&as) {
			return Result{Outcome: Duplicate}
		}
		return Result{Rejected, RefundConflict}
	}
	if x.done {
		return Result{Rejected, RefundUnknown}
	}
	s.handRefund(r)
	x.done = true
	s.event = &as
	result := s.refund()
	s.event = e
	return result
}

// countable is the latest posting that was refused under the refund's id, of
// those that nobody has decided about if there is one; nil if there is none.
func (r *refund) countable() (latest *refusal) {
	if r == nil {
		return nil
	}
	for i := range r.refusals {
		x := &r.refusals[i]
		if x.posting && (latest == nil || latest.done || !x.done) {
			latest = x
		}
	}
	return latest
}
