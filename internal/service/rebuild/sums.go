package rebuild

import (
	"recoup/reward"
)

// Sums are what an account's journal adds up to, in minor units.
type Sums struct {
	Balance   int64 `json:"balance"`
	NetReward int64 `json:"net_reward"` // granted and kept: the balance without payouts, adjustments and what expired
	Redeemed  int64 `json:"redeemed"`
	Postings  int64 `json:"postings"`
}

func (s *Sums) add(kind string, amount int64) {
	s.Balance += amount
	s.Postings++
	switch kind {
	case reward.RedemptionPaid.String(), reward.RedemptionReturned.String():
		s.Redeemed -= amount
	case reward.Adjustment.String(), reward.Expiry.String(), reward.ExpiryRestored.String():
	default:
		s.NetReward += amount
	}
}

func (s *Sums) addAll(o *Sums) {
	s.Balance += o.Balance
	s.NetReward += o.NetReward
	s.Redeemed += o.Redeemed
	s.Postings += o.Postings
}

// Difference is an account that is not what it was.
type Difference struct {
	Account  string `json:"account"`
	Currency string `json:"currency"`
	Old      Sums   `json:"old"`
	New      Sums   `json:"new"`
	// Available is what may be redeemed now. What was available in the older database
	// does not follow from its journal.
	Available int64 `json:"available"`
	// Outcomes is of how many events the outcome is another one.
	Outcomes int64 `json:"changed_outcomes"`
}

// Total adds up the accounts of one currency.
type Total struct {
	Currency string `json:"currency"`
	Accounts int64  `json:"accounts"`
	Old      Sums   `json:"old"`
	New      Sums   `json:"new"`
}

// Change is an outcome of the older database that is another one now.
type Change struct {
	Type   string `json:"type"` // of the events
	Old    string `json:"old"`  // outcome, and code where there is one
	New    string `json:"new"`
	Events int64  `json:"events"`
}

func outcomeText(o reward.Outcome, c reward.Code) string {
	if c == reward.NoCode {
		return o.String()
	}
	return o.String() + ": " + c.String()
}
