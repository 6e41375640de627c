package reward

import (
	"cmp"
	"slices"
)

// A redemption in two phases: what is authorised is reserved, and paid out once it is
// captured. Nothing is posted before. What is reserved is not available to others, and
// whoever was promised it gets it, whatever is clawed back in between.

const (
	// defaultReservation is how long an authorisation stands that does not say, from its
	// event time.
	defaultReservation = 7 * Day
	// longestReservation is how long one may stand.
	longestReservation = 30 * Day
	// MaxReservations is how many authorisations of an account may stand at a time.
	MaxReservations = 1_000
)

// phase is how far a redemption in two phases has come.
type phase uint8

const (
	atOnce   phase = iota // not in two phases
	reserved              // authorised, and open
	captured              // paid out, all of it or a part
	released              // ended without a payout
	expired               // ended by time
	awaited               // captured, and its authorisation has not come
	voided                // released, and its authorisation has not come
)

// open reports whether the redemption is reserved and may still be captured.
func (r *redemption) open() bool { return r.phase == reserved }

// reserve decides an authorisation as it would a redemption, and reserves its amount. A
// capture that came first is carried out.
func (s *step) reserve() Result {
	e := s.event
	r := s.findRedemption(e.Fact)
	var asked int64
	switch {
	case r == nil:
	case r.phase == voided:
		return Result{Ignored, AlreadyReversed}
	case r.phase == awaited && r.authorised <= e.Amount:
		asked = cmp.Or(r.authorised, e.Amount)
	case r.phase != awaited && r.phase != atOnce && r.authorised == e.Amount:
		return Result{Outcome: Duplicate}
	default:
		return Result{Rejected, RedemptionConflict}
	}
	until := e.ReservedUntil()
	if until <= s.now {
		return Result{Rejected, AuthorizationExpired}
	}
	if code, _ := s.denial(e.Amount, s.now); code != NoCode {
		return Result{Rejected, code}
	}
	if len(s.reservations) == MaxReservations {
		return Result{Rejected, AuthorizationLimit}
	}
	if r == nil {
		r = s.newRedemption(e.Fact)
	}
	s.handFact(RedemptionPart, e.Fact)
	r.phase, r.authorised, r.expires, r.heard = reserved, e.Amount, until, 0
	at, _ := slices.BinarySearchFunc(s.reservations, r, byExpiry)
	s.reservations = slices.Insert(s.reservations, at, r)
	s.reserved += r.authorised
	r.cycle = s.useCycle()
	s.use(r.cycle, r.authorised)
	if asked > 0 {
		s.capture(r, asked)
	}
	return Result{Outcome: Applied}
}

// ReservedUntil is when a redemption.authorized ends by itself, if nothing happens before.
func (e *Event) ReservedUntil() Instant { return cmp.Or(e.Expires, e.Time+defaultReservation) }

// expiresInTime reports whether an authorisation ends after it begins, and not too late.
func (e *Event) expiresInTime() bool {
	until := e.ReservedUntil()
	return until > e.Time && until <= e.Time+longestReservation
}

// byExpiry is the order in which reservations end.
func byExpiry(x, y *redemption) int {
	return cmp.Or(cmp.Compare(x.expires, y.expires), cmp.Compare(x.id, y.id))
}

// captureRedemption pays out what was authorised, or as much of it as is said.
func (s *step) captureRedemption() Result {
	e := s.event
	r := s.findRedemption(e.Fact)
	if r == nil {
		r = s.newRedemption(e.Fact)
		r.phase, r.authorised, r.heard = awaited, e.Amount, s.now
		return Result{Parked, RedemptionUnknown}
	}
	amount := cmp.Or(e.Amount, r.authorised)
	switch r.phase {
	case released, voided:
		return Result{Rejected, AuthorizationReleased}
	case expired:
		return Result{Rejected, AuthorizationExpired}
	case captured:
		if amount == r.amount {
			return Result{Outcome: Duplicate}
		}
	case awaited:
		if e.Amount == r.authorised {
			return Result{Outcome: Duplicate}
		}
	case reserved:
		if amount > r.authorised {
			return Result{Rejected, OverCapture}
		}
		s.handFact(RedemptionPart, r.id)
		s.capture(r, amount)
		return Result{Outcome: Applied}
	}
	return Result{Rejected, RedemptionConflict}
}

// capture pays a part or all of what a reservation holds, and lets go of the rest.
func (s *step) capture(r *redemption, amount int64) {
	s.endReservation(r, captured)
	r.amount = amount
	s.redeemed += amount
	s.use(r.cycle, amount-r.authorised)
	s.post(RedemptionPaid, -amount).Fact = r.id
}

// releaseRedemption ends what an authorisation reserves.
func (s *step) releaseRedemption() Result {
	r := s.findRedemption(s.event.Fact)
	if r == nil {
		r = s.newRedemption(s.event.Fact)
		r.phase = voided
		return Result{Parked, RedemptionUnknown}
	}
	switch r.phase {
	case released, voided:
		return Result{Outcome: Duplicate}
	case reserved:
		return s.release(r)
	}
	return Result{Ignored, AlreadyFinal}
}

func (s *step) release(r *redemption) Result {
	s.handFact(RedemptionPart, r.id)
	s.endReservation(r, released)
	return Result{Outcome: Applied}
}

// returnUnpaid is the reversal of a redemption in two phases of which nothing was paid out:
// it ends the reservation, as its release does. So a capture and its reversal come to
// nothing whichever is first.
func (s *step) returnUnpaid(r *redemption) Result {
	switch r.phase {
	case reserved:
		return s.release(r)
	case awaited:
		s.handFact(RedemptionPart, r.id)
		r.phase, r.authorised, r.heard = voided, 0, 0
		return Result{Parked, RedemptionUnknown}
	case expired:
		return Result{Ignored, AlreadyFinal}
	}
	return Result{Outcome: Duplicate}
}

// endReservation ends an open reservation.
func (a *Account) endReservation(r *redemption, how phase) {
	at, _ := slices.BinarySearchFunc(a.reservations, r, byExpiry)
	a.reservations = slices.Delete(a.reservations, at, at+1)
	a.reserved -= r.authorised
	r.phase = how
	if how == released {
		a.use(r.cycle, -r.authorised)
	}
}

// lapse ends the reservations that are over by now.
func (a *Account) lapse() {
	n := 0
	for _, r := range a.reservations {
		if r.expires > a.now {
			break
		}
		a.handFact(RedemptionPart, r.id)
		a.reserved -= r.authorised
		r.phase = expired
		a.use(r.cycle, -r.authorised)
		n++
	}
	a.reservations = drop(a.reservations, n)
}

// ReservationState is an authorised redemption that may still be captured.
type ReservationState struct {
	Redemption string
	Amount     int64   // minor units, above zero
	Expires    Instant // when it ends by itself
}

// Reservations lists what is reserved, what ends first first. It needs no more of the
// account than its working parts.
func (a *Account) Reservations() []ReservationState {
	if len(a.reservations) == 0 {
		return nil
	}
	list := make([]ReservationState, len(a.reservations))
	for i, r := range a.reservations {
		list[i] = ReservationState{r.id, r.authorised, r.expires}
	}
	return list
}

// Authorization is what an account knows of a redemption that was authorised.
type Authorization struct {
	Amount   int64   // that was authorised, minor units
	Captured int64   // that was paid out of it, minor units; zero: nothing
	Expires  Instant // when it ends or ended by itself, unless something happens before
	Open     bool    // it may be captured
	Expired  bool    // it ended by itself
}

// Authorization returns what the account knows of a redemption that was authorised.
func (a *Account) Authorization(redemption string) (v Authorization, ok bool) {
	r := a.findRedemption(redemption)
	if r == nil {
		return v, false
	}
	switch r.phase {
	case reserved, captured, released, expired:
		return Authorization{r.authorised, r.amount, r.expires, r.open(), r.phase == expired}, true
	}
	return v, false
}
