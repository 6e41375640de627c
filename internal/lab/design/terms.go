package design

import (
	"fmt"
	"math/bits"

	"recoup/internal/issuer"
	"recoup/reward"
)

// ruleFor returns the index of the program's rule for a purchase, reward.NoRule
// for none.
func ruleFor(p *reward.Program, s *issuer.Settlement) (int, error) {
	t := reward.Terms{Merchant: s.Merchant, Category: s.Category}
	if s.MCC != "" {
		var ok bool
		if t.MCC, ok = reward.ParseMCC(s.MCC); !ok {
			return reward.NoRule, fmt.Errorf("lab: purchase %q: mcc %q: expected four digits", s.Transaction, s.MCC)
		}
	}
	return p.RuleFor(t), nil
}

// share returns ⌊total · part / whole⌋ for 0 ≤ part ≤ whole, whole > 0 and
// total ≥ 0, and what the division leaves, which is below whole.
func share(total, part, whole int64) (quotient, rest int64) {
	hi, lo := bits.Mul64(uint64(total), uint64(part))
	q, r := bits.Div64(hi, lo, uint64(whole))
	return int64(q), int64(r)
}

// checkAmount refuses amounts that no network would carry, so that no sum over
// an account's life overflows.
func checkAmount(what, id string, amount int64) error {
	if amount < -reward.MaxAmount || amount > reward.MaxAmount {
		return fmt.Errorf("lab: %s %q: amount %d: expected at most %d minor units either way", what, id, amount, reward.MaxAmount)
	}
	return nil
}
