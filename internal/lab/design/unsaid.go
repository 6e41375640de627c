package design

import (
	"fmt"

	"recoup/internal/issuer"
	"recoup/reward"
)

// This file has what becomes of terms that a design cannot say. The paper's issuers and
// algorithms know rules with a rate and a monthly cap; steps, bonuses, tiers, points of a
// unit and days of a statement they do not. To play them all the same, something would
// have to be made up for them, and their losses would be the lab's.

// isPlain reports whether all versions of a program are rules with a rate and a cap on
// the rewards of a calendar month.
func isPlain(p *reward.Program) bool {
	for ; p != nil; p = p.Earlier {
		if p.Layers != nil || p.Zone != nil || p.StatementDay > 1 || p.Reward != (reward.Unit{}) || p.ExpiryMonths > 0 {
			return false
		}
	}
	return true
}

// plainly opens issuers of a design that knows plain programs alone.
func plainly(open func(*reward.Program) issuer.Issuer) func(*reward.Program) issuer.Issuer {
	return func(p *reward.Program) issuer.Issuer {
		i := open(p)
		if isPlain(p) {
			return i
		}
		return unsaid{i}
	}
}

// unsaid is an issuer that cannot say the terms.
type unsaid struct{ issuer.Issuer }

// Open implements issuer.Issuer.
func (unsaid) Open(string) error {
	return fmt.Errorf("%w: this design knows rules with a rate and a monthly cap only", issuer.ErrUnsupported)
}
