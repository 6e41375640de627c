package reward

// Units are what the amounts of an account are in. They are the same under all
// versions of its program.
type Units struct {
	// Currency is that of purchases, refunds and chargebacks, ISO 4217.
	Currency string
	// Reward is what rewards are in, and so balances, redemptions and adjustments.
	// Where that is money, its name is the currency's, which says its decimals too.
	Reward Unit
}

// Units returns what amounts under the program are in.
func (p *Program) Units() Units {
	u := Units{p.Currency, p.Reward}
	u.Reward.Name = p.RewardUnit()
	return u
}

// version returns one of the versions up to this one, nil if it is none of them.
func (p *Program) version(n int32) *Program {
	for p != nil && p.Version != n {
		p = p.Earlier
	}
	return p
}
