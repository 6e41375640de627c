package design

import (
	"errors"
	"fmt"

	"recoup/internal/issuer"
	"recoup/reward"
)

// This file has what becomes of terms that a design cannot say. The paper's issuers and
// algorithms know rules with a rate and a monthly cap; steps, bonuses, tiers, points of a
// unit and days of a statement they do not. To play them all the same, something would
// have to be made up for them, and their losses would be the lab's.

// IsPlain reports whether all versions of a program are rules with a rate and a cap on
// the rewards of a calendar month.
func IsPlain(p *reward.Program) bool {
	for ; p != nil; p = p.Earlier {
		if p.Layers != nil || p.Zone != nil || p.StatementDay > 1 || p.Reward != (reward.Unit{}) || p.ExpiryMonths > 0 {
			return false
		}
	}
	return true
}

// CanSay reports whether an issuer of the design opens accounts under a program.
func (d *Design) CanSay(p *reward.Program) bool {
	return !errors.Is(d.New(p).Open("asked"), issuer.ErrUnsupported)
}

// plainly opens issuers of a design that knows plain programs alone.
func plainly(open func(*reward.Program) issuer.Issuer) func(*reward.Program) issuer.Issuer {
	return func(p *reward.Program) issuer.Issuer {
		i := open(p)
		if IsPlain(p) {
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
