package truth

import (
	"math/big"
	"strings"
)

// Amount is an exact amount of money in minor units, which need not be whole.
type Amount struct{ sum big.Rat }

func (a *Amount) add(b *big.Rat) { a.sum.Add(&a.sum, b) }

// MarshalText writes the amount exactly, as a decimal: rates have eight decimals.
func (a Amount) MarshalText() ([]byte, error) {
	return []byte(strings.TrimSuffix(strings.TrimRight(a.sum.FloatString(8), "0"), ".")), nil
}

// percent is a share in per cent, with three decimals. What is more than nothing does
// not become it by rounding.
func percent(part, of *Amount) string {
	if of.sum.Sign() == 0 || part.sum.Sign() == 0 {
		return "0 %"
	}
	share := new(big.Rat).Quo(&part.sum, &of.sum)
	share.Mul(share, big.NewRat(100, 1))
	text := share.FloatString(3)
	if text == "0.000" {
		text = "<0.001"
	}
	return text + " %"
}

// Tally adds up verdicts. No sum has a negative part: what one account has too much
// does not make up for what another has too little.
type Tally struct {
	Accounts int `json:"accounts"`
	// Promised is the exact promise on what was truly kept.
	Promised Amount `json:"promised"`
	// Leakage is net reward above the promise, in so many accounts.
	Leakage Amount `json:"leakage"`
	Above   int    `json:"accounts_above"`
	// Shortfall is net reward below the promise. Below counts the accounts where
	// rounding cannot explain it.
	Shortfall Amount `json:"shortfall"`
	Below     int    `json:"accounts_below"`
	// AboveLinked and BelowLinked are against what the same design lets the account
	// keep if every refund names its purchase.
	AboveLinked Amount `json:"above_if_linked"`
	BelowLinked Amount `json:"below_if_linked"`
	// WalkAway is what was paid out above both the promise and net reward: lost only if
	// the customer never comes back. WalkAwayLinked is that if every refund names its
	// purchase.
	WalkAway       Amount `json:"walk_away"`
	WalkAwayLinked Amount `json:"walk_away_if_linked"`
}

func (t *Tally) add(v *Verdict) {
	t.Accounts++
	t.Promised.add(v.Promise.Exact)
	if leak := v.Leakage(); leak.Sign() > 0 {
		t.Leakage.add(leak)
		t.Above++
	}
	t.Shortfall.add(v.Shortfall())
	if v.Short() {
		t.Below++
	}
	t.AboveLinked.add(whole(max(0, v.Delivered.Net-v.Linked.Net)))
	t.BelowLinked.add(whole(max(0, v.Linked.Net-v.Delivered.Net)))
	t.WalkAway.add(walkAway(v.Delivered, v.Promise.Exact))
	t.WalkAwayLinked.add(walkAway(v.Linked, v.Promise.Exact))
}

// LeakagePercent is leakage in per cent of what is promised, for people.
func (t *Tally) LeakagePercent() string { return percent(&t.Leakage, &t.Promised) }

// LeaksAtMost reports whether leakage is no more than so many millionths of what is
// promised.
func (t *Tally) LeaksAtMost(millionths int64) bool {
	limit := new(big.Rat).Mul(&t.Promised.sum, big.NewRat(millionths, 1_000_000))
	return t.Leakage.sum.Cmp(limit) <= 0
}
