package reward

// Payout is what an account knows of a redemption, in one step or in two phases.
type Payout struct {
	Asked    int64   // that was requested or authorised, minor units
	Paid     int64   // that was paid out of it and did not come back; zero: nothing
	Reserved int64   // that is authorised and may still be captured
	Returned bool    // it was paid out and came back
	Expires  Instant // when an authorisation ends or ended by itself; zero: there was none
}

// Payout returns what the account knows of a redemption that was granted; ok is false of one
// that was denied, or of which only what should follow has come.
func (a *Account) Payout(redemption string) (p Payout, ok bool) {
	r := a.findRedemption(redemption)
	if r == nil {
		return p, false
	}
	p = Payout{Asked: r.amount, Returned: r.returned}
	switch r.phase {
	case awaited, voided:
		return Payout{}, false
	case atOnce:
	default:
		p.Asked, p.Expires = r.authorised, r.expires
	}
	if r.open() {
		p.Reserved = r.authorised
	}
	if !r.returned {
		p.Paid = r.amount
	}
	return p, true
}
