package design

import "slices"

// fact names a refund or a chargeback that was delivered.
type fact struct {
	chargeback bool
	id         string
}

// reversal is a refund or chargeback on its way to its purchase.
type reversal struct {
	fact
	transaction string // empty: unlinked
	merchant    string // of an unlinked one
	amount      int64  // MaxAmount for all of the purchase
}

// The interfaces below are of policies that fall short where the banks of the
// paper do not: see variant_delivery.go.

// screener is a policy that does not let every reversal through to its purchase.
type screener interface {
	// lets says whether a reversal counts. The purchase is nil where it has not
	// posted, or where there is none that an unlinked refund could be of.
	lets(r *reversal, of *purchase) bool
}

// resettler is told of a purchase that is delivered again.
type resettler interface {
	settledAgain(*bank, *account, int)
}

// reverser is told of a reversal of a posted purchase that is delivered again.
type reverser interface {
	reversedAgain(b *bank, a *account, i int, amount int64)
}

// latestAt returns the latest purchase at the merchant of which that much is
// left.
func (a *account) latestAt(merchant string, amount int64) (int, bool) {
	if merchant == "" {
		return 0, false
	}
	for i, p := range slices.Backward(a.purchases) {
		if p.merchant == merchant && p.amount-p.reversed >= amount {
			return i, true
		}
	}
	return 0, false
}

// take takes a reversal in, once.
func (b *bank) take(a *account, r reversal) {
	if a.reversals[r.fact] {
		if p, ok := b.policy.(reverser); ok {
			if i, posted := a.purchaseOf(&r); posted {
				p.reversedAgain(b, a, i, r.amount)
			}
		}
		return
	}
	if a.reversals == nil {
		a.reversals = make(map[fact]bool)
	}
	a.reversals[r.fact] = true
	b.reverse(a, r)
}

// purchaseOf returns the purchase that a reversal is of, if it has posted.
func (a *account) purchaseOf(r *reversal) (int, bool) {
	if r.transaction == "" {
		return a.latestAt(r.merchant, r.amount)
	}
	i, ok := a.index[r.transaction]
	return i, ok
}

// reverse takes back part of a purchase, as far as it is not taken back yet, or
// keeps the reversal until its purchase posts.
func (b *bank) reverse(a *account, r reversal) {
	i, posted := a.purchaseOf(&r)
	var p *purchase
	if posted {
		p = &a.purchases[i]
	}
	if s, ok := b.policy.(screener); ok && !s.lets(&r, p) {
		return
	}
	switch {
	case posted:
		p.reversed = min(p.amount, p.reversed+r.amount)
		b.policy.reversed(b, a, i)
	case r.transaction != "":
		if a.early == nil {
			a.early = make(map[string][]reversal)
		}
		// Clipped, since copies of the account share what was there before.
		a.early[r.transaction] = append(slices.Clip(a.early[r.transaction]), r)
	}
}
