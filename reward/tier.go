package reward

import "slices"

// Tier is a status that the spend of a period earns. What a purchase made at a tier
// earns follows from net purchases like everything else: rules and bonuses match it by
// PurchaseMatch.Tiers, and E chooses anew.
type Tier struct {
	ID    string
	Match Match
	// Earning says what of a purchase counts (Except, Minimum, Unit) and in which
	// period (Per).
	Earning
	// Spend has the levels, From ascending.
	Spend []Level
	// Next has what a period reaches kept for the next one, instead of the rest of it.
	Next bool
}

// Level is the tier that a spend of From minor units reaches.
type Level struct {
	From int64
	Tier string
}

// sameEarning reports whether two versions of a tier count alike.
func (t *Tier) sameEarning(o *Tier) bool {
	return slices.Equal(t.Spend, o.Spend) && t.Earning.same(&o.Earning)
}
