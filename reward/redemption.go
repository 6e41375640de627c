package reward

// redemption is one payout by its id.
type redemption struct {
	amount   int64
	returned bool
}

// redeem decides and executes a redemption in one step (paper, Algorithm 3,
// with its debit). What a delivered reversal is about to take is held.
func (s *step) redeem() Result {
	e := s.event
	if r := s.findRedemption(e.Fact); r != nil {
		if r.amount == e.Amount {
			return Result{Outcome: Duplicate}
		}
		return Result{Rejected, RedemptionConflict}
	}
	switch {
	case s.closed && !s.program.Redemption.AfterClosing:
		return Result{Rejected, AccountIsClosed}
	case s.now < s.holdUntil:
		return Result{Rejected, GraceHold}
	case s.balance-s.held-e.Amount < s.program.Redemption.MinimumBalance:
		return Result{Rejected, InsufficientBalance}
	}
	if s.redemptions == nil {
		s.redemptions = make(map[string]*redemption)
	}
	s.redemptions[e.Fact] = &redemption{amount: e.Amount}
	s.handFact(RedemptionPart, e.Fact)
	s.redeemed += e.Amount
	s.post(RedemptionPaid, -e.Amount).Fact = e.Fact
	return Result{Outcome: Applied}
}

// returnRedemption puts a payout that bounced back; its id stays used.
func (s *step) returnRedemption() Result {
	r := s.findRedemption(s.event.Fact)
	switch {
	case r == nil:
		return Result{Rejected, RedemptionUnknown}
	case r.returned:
		return Result{Outcome: Duplicate}
	}
	r.returned = true
	s.handFact(RedemptionPart, s.event.Fact)
	s.redeemed -= r.amount
	s.post(RedemptionReturned, r.amount).Fact = s.event.Fact
	return Result{Outcome: Applied}
}

// adjust changes the balance by hand.
func (s *step) adjust() Result {
	e := s.event
	if amount, seen := s.findCorrection(e.Fact); seen {
		if amount == e.Amount {
			return Result{Outcome: Duplicate}
		}
		return Result{Rejected, AdjustmentConflict}
	}
	if s.corrections == nil {
		s.corrections = make(map[string]int64)
	}
	s.corrections[e.Fact] = e.Amount
	s.handFact(AdjustmentPart, e.Fact)
	s.adjustments += e.Amount
	s.post(Adjustment, e.Amount).Fact = e.Fact
	return Result{Outcome: Applied}
}

// close ends the account, unless rewards are owed or about to be clawed back
// below zero (assumption A4). Refunds go on; nothing earns any more.
func (s *step) close() Result {
	switch {
	case s.closed:
		return Result{Outcome: Duplicate}
	case s.balance-s.risk < 0:
		return Result{Rejected, OutstandingNegativeBalance}
	}
	s.closed = true
	return Result{Outcome: Applied}
}
