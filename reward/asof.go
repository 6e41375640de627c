package reward

import "slices"

// AsOf moves the account on to a moment, as any event of that time does before it is
// applied itself: what is over by then ends, as docs/semantics.md has it, and what a
// close posts that is passed is appended to journal. A moment that the account has passed
// changes nothing. So it is how a redemption at that moment would find the account.
//
// It is for who reads. No event says what it did, so the account must not be written
// down afterwards, nor take events.
func (a *Account) AsOf(now Instant, journal []Posting) []Posting {
	if !a.opened {
		return journal
	}
	if a.rests(now) {
		a.now = max(a.now, now)
		return journal
	}
	s := step{Account: a, event: &Event{Account: a.id, Time: now, Type: CycleClosed}, journal: journal}
	if a.forgotten && !a.heldApart() {
		a.recall()
	}
	s.advance(now)
	a.foresee()
	return s.journal
}

// rests reports whether nothing ends by a moment, so that the account is as it was but for
// its time.
func (a *Account) rests(now Instant) bool {
	return a.lots == nil && now < a.cycleEnd && !a.foreseesByTime() &&
		(len(a.maturing) == 0 || a.ripe(a.maturing[0]) > now) &&
		(len(a.reservations) == 0 || a.reservations[0].expires > now) &&
		!slices.ContainsFunc(a.announce, func(r *refund) bool { return !r.holding || r.until <= now })
}

// Redeemable is the most that one redemption could pay out as the account stands, in
// minor units: what is available above the minimum balance, and nothing while a grace
// hold lasts or once the account is closed.
func (a *Account) Redeemable() int64 { return a.RedeemableAt(a.now) }

// RedeemableAt is what Redeemable will be at a later moment if nothing but a grace hold
// ends until then. It changes nothing, unlike AsOf, which sees what matures or is posted.
func (a *Account) RedeemableAt(now Instant) int64 {
	if why, _ := a.denial(1, now); why != NoCode {
		return 0
	}
	return max(0, min(a.spendable(), MaxAmount, MaxVolume-a.volume))
}

// NotBefore is the moment that all redemptions have to wait for as the account stands: the
// end of its grace hold, while that lasts; zero where there is none to wait for.
// State.HoldUntil keeps the end of the last hold when it has passed, too.
func (a *Account) NotBefore() Instant {
	_, until := a.denial(1, a.now)
	return until
}
