package truth

import (
	"math/big"

	"recoup/reward"
)

// Verdict is what an account was left with against what it deserves.
type Verdict struct {
	Promise   Promise
	Delivered Standing // with the refunds as they were delivered
	Linked    Standing // by the same design, had every refund named its purchase
	purchases int
}

// Judge plays a history with the refunds that were delivered of it, and again with
// those that should have been.
func Judge(d Design, p *reward.Program, h *History, refunds []Refund) (v Verdict, err error) {
	v.Promise, v.purchases = PromiseOn(p, h), len(h.Purchases)
	if v.Delivered, err = Play(d, p, h, refunds, true); err == nil {
		v.Linked, err = Play(d, p, h, Twins(refunds), true)
	}
	return v, err
}

// above is a − b, zero if that is negative.
func above(a, b *big.Rat) *big.Rat {
	if a.Cmp(b) <= 0 {
		return new(big.Rat)
	}
	return new(big.Rat).Sub(a, b)
}

func whole(n int64) *big.Rat { return new(big.Rat).SetInt64(n) }

// Leakage is how much net reward is above the exact promise, in minor units.
func (v *Verdict) Leakage() *big.Rat { return above(whole(v.Delivered.Net), v.Promise.Exact) }

// Shortfall is how much net reward is below the exact promise, rounding included.
func (v *Verdict) Shortfall() *big.Rat { return above(v.Promise.Exact, whole(v.Delivered.Net)) }

// rounding is the most that rounding down takes of an account: a unit when a purchase
// is granted and another when a part of it is returned.
func (v *Verdict) rounding() *big.Rat { return whole(int64(2 * v.purchases)) }

// Short reports whether the account is below the promise by more than rounding.
func (v *Verdict) Short() bool { return v.Shortfall().Cmp(v.rounding()) > 0 }

// walkAway is how much was paid out above both the promise and net reward: what is
// lost, beyond leakage, if the customer never comes back to pay the debt.
func walkAway(s Standing, promise *big.Rat) *big.Rat {
	kept := whole(s.Net)
	if kept.Cmp(promise) < 0 {
		kept = promise
	}
	return above(whole(s.Redeemed), kept)
}
