package foreign

import (
	"slices"
	"time"
)

// kiteRule is a rate for some categories, perhaps with a limit a calendar month.
type kiteRule struct {
	name       string
	categories []string // none: all
	rate       int64    // so much of kiteTariff.per
	cap        int64    // rewards a month; 0: no limit
}

// kiteTariff is a list of rules of which the first that matches applies.
type kiteTariff struct {
	zone  *time.Location
	per   int64 // what the rates are parts of
	unit  int64 // only full units of a purchase earn
	rules []kiteRule
}

// kiteCell is what one rule has in a month.
type kiteCell struct{ rule, month int }

// kiteSum is spending that earns, and what it would earn without a limit.
type kiteSum struct{ spend, raw int64 }

// kiteKeep says whether to look at a purchase.
type kiteKeep func(*kitePurchase) bool

func kiteAll(*kitePurchase) bool       { return true }
func kiteGranted(p *kitePurchase) bool { return p.granted }

func (t kiteTariff) rule(p *kitePurchase) int {
	return slices.IndexFunc(t.rules, func(r kiteRule) bool {
		return r.categories == nil || slices.Contains(r.categories, p.category)
	})
}

// alone is what the rest of a purchase earns, were there no limit.
func (t kiteTariff) alone(p *kitePurchase) int64 {
	return t.rules[t.rule(p)].rate * (p.net() / t.unit * t.unit) / t.per
}

// cells sums up an account.
func (t kiteTariff) cells(a *kiteAccount, keep kiteKeep) map[kiteCell]kiteSum {
	all := map[kiteCell]kiteSum{}
	for _, p := range a.purchases {
		if keep(p) {
			c := kiteCell{t.rule(p), kiteMonth(p.at, t.zone)}
			s := all[c]
			s.spend += p.net() / t.unit * t.unit
			s.raw += t.alone(p)
			all[c] = s
		}
	}
	return all
}

// limited is what a cell is worth.
func (t kiteTariff) limited(c kiteCell, s kiteSum) int64 {
	if most := t.rules[c.rule].cap; most > 0 {
		return min(most, s.raw)
	}
	return s.raw
}

// worth is what the rules promise for what is left of the purchases.
func (t kiteTariff) worth(a *kiteAccount, keep kiteKeep) (sum int64) {
	for c, s := range t.cells(a, keep) {
		sum += t.limited(c, s)
	}
	return sum
}

// slices are the account's spending by what it could lose a unit. Of a month over its
// limit nobody loses more than the limit, so no more of it than that is in its slice.
func (t kiteTariff) slices(a *kiteAccount, keep kiteKeep) (list []kiteSlice) {
	for c, s := range t.cells(a, keep) {
		size, rate := s.spend, t.rules[c.rule].rate
		if most := t.limited(c, s); most < s.raw {
			size = min(size, (most*t.per+rate-1)/rate)
		}
		list = append(list, kiteSlice{rate, size})
	}
	return list
}

// due is worth less what the loose refunds may have lost of it.
func (t kiteTariff) due(a *kiteAccount, keep kiteKeep) int64 {
	worth := t.worth(a, keep)
	return worth - min(worth, kiteLoss(t.slices(a, keep), a.loose(), t.unit, t.per))
}

// kiteSlice is spending that loses rate for each unit that comes back.
type kiteSlice struct{ rate, size int64 }

// kiteLoss is no less than what loose refunds can have taken from the slices: they are
// laid where they take most, each rounded up to full units. Where purchases are rounded
// down one by one, what is lost may be up to one more for each refund.
func kiteLoss(list []kiteSlice, loose []*kiteReturn, unit, per int64) int64 {
	var left, slack, lost int64
	for _, r := range loose {
		left += (r.amount + unit - 1) / unit * unit
		if unit < per {
			slack++
		}
	}
	slices.SortFunc(list, func(x, y kiteSlice) int { return int(y.rate - x.rate) })
	for _, s := range list {
		x := min(left, s.size)
		left -= x
		lost += x * s.rate
	}
	return (lost+per-1)/per + slack
}
