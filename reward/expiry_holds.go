package reward

import (
	"cmp"
	"maps"
	"slices"
)

// Of which lots what is held of a basket is. Of a limit on rewards it is of those whose
// purchases would keep less than they have.

// heldIn is what is held of a basket in a cycle.
type heldIn struct {
	cycle      Cycle
	risk, held int64
}

// inSeveralLots reports whether what a basket has paid is of several lots.
func (a *Account) inSeveralLots(b *basket) bool {
	return a.lots != nil && b.order != nil && (b.per == PerLifetime || a.newest.CycleAt(b.begins) != a.lastCycle(b))
}

// holdInOrder is what is held of a basket of which the rewards are in several lots.
func (a *Account) holdInOrder(b *basket, odd []*stake) (risk, held int64, laid []heldIn) {
	in := make(map[Cycle]heldIn)
	for c, amount := range a.fallIn(b, odd, a.entryIfPosted) {
		risk += amount
		in[c] = heldIn{c, amount, 0}
	}
	for c, amount := range a.fallIn(b, odd, a.entryIfMature) {
		held += amount
		in[c] = heldIn{c, in[c].risk, amount}
	}
	laid = slices.SortedFunc(maps.Values(in), func(x, y heldIn) int { return cmp.Compare(x.cycle, y.cycle) })
	return risk, held, laid
}

// fallIn is what the lots of a basket's purchases would lose, by cycle: in all what these
// have above what they would have, of the latest first. What would be gained in a lot that
// has expired is set off against the same and older ones alone, whose uses it can bear.
func (a *Account) fallIn(b *basket, odd []*stake, as func(*stake) entry) map[Cycle]int64 {
	loss := make(map[Cycle]int64)
	for _, m := range a.keepIf(b, odd, as) {
		loss[m.stake.of.cycle] += m.stake.kept() - m.to
	}
	latestFirst := slices.SortedFunc(maps.Keys(loss), func(x, y Cycle) int { return cmp.Compare(y, x) })
	var gained, all int64
	for _, c := range latestFirst {
		if c >= a.newest.expiresFrom() && a.isOver(c) {
			gained -= loss[c]
			loss[c] = max(0, -gained)
			gained = max(0, gained)
		}
		all += loss[c]
	}
	for _, c := range latestFirst {
		part := max(0, min(all, loss[c]))
		if loss[c] = part; part == 0 {
			delete(loss, c)
		}
		all -= part
	}
	return loss
}

// reholdSpread has the holds worked out anew that go by which lots have expired.
func (a *Account) reholdSpread() {
	rehold := func(t *transaction) {
		if t.layered() {
			a.reholdLayers(t)
		}
	}
	for _, t := range a.dirty {
		rehold(t)
	}
	for t := range a.foreseen {
		rehold(t)
	}
	for _, t := range a.maturing {
		rehold(t)
	}
	a.completeApart()
	for _, tier := range a.apart {
		for _, t := range tier.ranks.lookers {
			rehold(t)
		}
	}
}

// layHold has the lots know of what is held of a basket, or with -1 no more.
func (a *Account) layHold(b *basket, sign int64) {
	if a.lots != nil {
		a.eachHold(b, func(c Cycle, risk, held int64) { a.holdLot(c, sign*risk, sign*held) })
	}
}

// eachHold spreads what is held of a basket over cycles: those in which purchases would
// lose it, of a lifetime's bonus the latest in which it was paid, or else that which holds
// the last instant of the period.
func (a *Account) eachHold(b *basket, f func(c Cycle, risk, held int64)) {
	switch {
	case len(b.laid) > 0:
		for _, x := range b.laid {
			f(x.cycle, x.risk, x.held)
		}
	case b.per != PerLifetime:
		f(a.lastCycle(b), b.risk, b.held)
	default:
		risk, held := b.risk, b.held
		for _, x := range slices.Backward(b.dated) {
			r, h := min(risk, x.amount), min(held, x.amount)
			f(x.cycle, r, h)
			risk, held = risk-r, held-h
		}
	}
}
