package ledger

import "recoup/reward"

// Statement is what one account's journal adds up to over one billing cycle.
// Closing = Opening + Granted − ClawedBack − Redeemed − Expired + Adjusted. Amounts are
// minor units. The zero Statement is that of an account without a posting.
type Statement struct {
	Cycle   reward.Cycle
	Opening int64 // balance when the cycle began
	// Granted adds up what raised rewards: grants, restored rewards and
	// reallocations towards a purchase; ClawedBack what lowered them, without sign.
	Granted    int64
	ClawedBack int64
	Redeemed   int64 // paid out less what came back
	Expired    int64 // not used in time, less what of that is back; may be negative
	Adjusted   int64 // by hand; may be negative
	Closing    int64 // balance when the cycle ended, or now if it is open
}

// Post adds an account's next posting. If it is of a later cycle than the
// statement, the statement is closed and returned, with ok, and a new one of
// that cycle begins with its closing balance; cycles between the two had no
// postings, and so no statement. A posting of an earlier cycle counts where it
// came, for what is closed stays as it is. Closing is the balance that the
// posting says, so that Ties shows whether the journal adds up.
func (s *Statement) Post(p *reward.Posting) (closed Statement, ok bool) {
	if p.Cycle > s.Cycle {
		closed, ok = *s, *s != Statement{}
		*s = s.Next(p.Cycle)
	}
	switch p.Kind {
	case reward.RedemptionPaid, reward.RedemptionReturned:
		s.Redeemed -= p.Amount
	case reward.Expiry, reward.ExpiryRestored:
		s.Expired -= p.Amount
	case reward.Adjustment:
		s.Adjusted += p.Amount
	default:
		if p.Amount < 0 {
			s.ClawedBack -= p.Amount
		} else {
			s.Granted += p.Amount
		}
	}
	s.Closing = p.Balance
	return closed, ok
}

// Next returns the statement of a later cycle as it begins.
func (s *Statement) Next(cycle reward.Cycle) Statement {
	return Statement{Cycle: cycle, Opening: s.Closing, Closing: s.Closing}
}

// Ties reports whether the closing balance is what the rest adds up to.
func (s *Statement) Ties() bool {
	return s.Closing == s.Opening+s.Granted-s.ClawedBack-s.Redeemed-s.Expired+s.Adjusted
}

// Kept returns a statement that was written down, or a sum of such, with what expired:
// that is not kept, for it is what the rest leaves over.
func (s Statement) Kept() Statement {
	s.Expired = s.Opening + s.Granted - s.ClawedBack - s.Redeemed + s.Adjusted - s.Closing
	return s
}
