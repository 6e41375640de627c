package reward

// redemption is one payout by its id.
type redemption struct {
	id       string
	amount   int64 // that was paid out; zero while nothing is
	returned bool
	cycle    Cycle // that it is a use of, or its authorisation; zero: before lots were kept

	dismissed  bool
	phase      phase
	authorised int64   // of one in two phases; of a capture that came first what it asks for, zero: all
	expires    Instant // of one that was authorised
	heard      Instant // the account's time when a capture came first
}

// correction is an adjustment by hand.
type correction struct {
	amount int64
	cycle  Cycle // as of a redemption
}

// newRedemption makes the record of a redemption that is not known.
func (a *Account) newRedemption(id string) *redemption {
	if a.redemptions == nil {
		a.redemptions = make(map[string]*redemption)
	}
	r := &redemption{id: id}
	a.redemptions[id] = r
	a.handFact(RedemptionPart, id)
	return r
}

// redeem decides and executes a redemption in one step (paper, Algorithm 3,
// with its debit). What a delivered reversal is about to take is held.
func (s *step) redeem() Result {
	e := s.event
	if r := s.findRedemption(e.Fact); r != nil {
		if r.phase == atOnce && r.amount == e.Amount {
			return Result{Outcome: Duplicate}
		}
		return Result{Rejected, RedemptionConflict}
	}
	if code, _ := s.denial(e.Amount, s.now); code != NoCode {
		return Result{Rejected, code}
	}
	r := s.newRedemption(e.Fact)
	r.amount, r.cycle = e.Amount, s.useCycle()
	s.redeemed += e.Amount
	s.use(r.cycle, e.Amount)
	s.post(RedemptionPaid, -e.Amount).Fact = e.Fact
	return Result{Outcome: Applied}
}

// denial is why an amount may not be redeemed at a moment, if nothing but a grace hold ends
// until then: NoCode if it may. The first reason that holds is given. notBefore is the
// moment that every amount has to wait for, whatever else keeps it off; zero where there is
// none. Whoever decides or foretells a redemption asks here.
func (a *Account) denial(amount int64, at Instant) (why Code, notBefore Instant) {
	if at < a.holdUntil {
		notBefore = a.holdUntil
	}
	switch {
	case a.closed && !a.program.Redemption.AfterClosing:
		why = AccountIsClosed
	case notBefore != 0:
		why = GraceHold
	case amount > a.spendable():
		why = InsufficientBalance
	}
	return why, notBefore
}

// available is the balance without what is held or reserved.
func (a *Account) available() int64 { return a.balance - a.withheld() - a.reserved }

// spendable is what of it is above the balance that must be left. What is about to be taken
// is held, and what others were promised is reserved.
func (a *Account) spendable() int64 { return a.available() - a.program.Redemption.MinimumBalance }

// returnRedemption puts a payout that bounced back; its id stays used.
func (s *step) returnRedemption() Result {
	r := s.findRedemption(s.event.Fact)
	switch {
	case r == nil:
		return Result{Rejected, RedemptionUnknown}
	case r.phase != atOnce && r.phase != captured:
		return s.returnUnpaid(r)
	case r.returned:
		return Result{Outcome: Duplicate}
	}
	r.returned = true
	s.handFact(RedemptionPart, s.event.Fact)
	s.redeemed -= r.amount
	s.use(r.cycle, -r.amount)
	s.post(RedemptionReturned, r.amount).Fact = s.event.Fact
	return Result{Outcome: Applied}
}

// adjust changes the balance by hand.
func (s *step) adjust() Result {
	e := s.event
	if x, seen := s.findCorrection(e.Fact); seen {
		if x.amount == e.Amount {
			return Result{Outcome: Duplicate}
		}
		return Result{Rejected, AdjustmentConflict}
	}
	if s.corrections == nil {
		s.corrections = make(map[string]correction)
	}
	x := correction{e.Amount, s.useCycle()}
	s.corrections[e.Fact] = x
	s.handFact(AdjustmentPart, e.Fact)
	s.adjustments += e.Amount
	if e.Amount > 0 {
		s.earn(x.cycle, e.Amount)
	} else {
		s.use(x.cycle, -e.Amount)
	}
	s.post(Adjustment, e.Amount).Fact = e.Fact
	return Result{Outcome: Applied}
}

// close ends the account, unless rewards are owed, or would be once what is about to be
// clawed back and what is reserved were taken (assumption A4). Refunds go on; nothing earns any more.
func (s *step) close() Result {
	switch {
	case s.closed:
		return Result{Outcome: Duplicate}
	case s.balance-s.atRisk()-s.reserved < 0:
		return Result{Rejected, OutstandingNegativeBalance}
	}
	s.closed = true
	return Result{Outcome: Applied}
}
