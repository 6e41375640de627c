package reward

import (
	"cmp"
	"slices"
)

// Why rewards of terms that are not plain are held: of a limit each purchase that would
// keep less than it has, of a bonus, and where one rate is for all of a period, the period.

// holdsOfBaskets says of what the holds on baskets are, in the order of the program file.
func (a *Account) holdsOfBaskets() (list []holding) {
	a.completeApart()
	var baskets []*basket
	for _, b := range a.baskets {
		if b.held > 0 {
			baskets = append(baskets, b)
		}
	}
	slices.SortFunc(baskets, inFile)
	for _, b := range baskets {
		list = append(list, a.datedIn(b, a.holdsOf(b))...)
	}
	return list
}

// holdsOf is what is held of a basket.
func (a *Account) holdsOf(b *basket) (list []holding) {
	odd := a.oddIn(b)
	slices.SortFunc(odd, byStake)
	left := b.held
	if b.bonus == nil {
		for _, m := range a.keepIf(b, odd, a.entryIfMature) {
			if amount := min(left, m.stake.kept()-m.to); amount > 0 {
				list = append(list, a.holdOn(m.stake.of, amount, odd))
				left -= amount
			}
		}
	}
	return append(list, a.holdsOfPeriod(b, odd, left)...)
}

// keepIf is what the stakes of a rule's basket would keep if odd ones counted for something
// else: those to which that makes a difference one by one.
func (a *Account) keepIf(b *basket, odd []*stake, as func(*stake) entry) (moves []move) {
	if b.order == nil {
		rates, at := b.rates(b.presentIf(odd, as))
		for _, k := range odd {
			moves = append(moves, move{k, rates[at].of(as(k).q)})
		}
		return moves
	}
	l := b.order
	places, is, was := make([]int, len(odd)), make([]entry, len(odd)), make([]entry, len(odd))
	for i, k := range odd {
		places[i], was[i], is[i] = k.place, l.at(k.place), as(k)
	}
	touched := l.change(b.edges(), places, is, true)
	shares := make([]int64, len(touched))
	for i, place := range touched {
		shares[i] = b.share(l.before(place), l.at(place), l.all())
	}
	l.change(b.edges(), places, was, true)
	for i, place := range touched {
		moves = append(moves, move{a.stakeAt(b, place), shares[i]})
	}
	return moves
}

// holdsOfPeriod is so much that is held of a basket and of none of its purchases: as each
// of them matures what a bonus is worth more then, and the rest.
func (a *Account) holdsOfPeriod(b *basket, odd []*stake, left int64) (list []holding) {
	own := holding{Hold: Hold{Rule: b.name, Period: b.periodName()}}
	if b.bonus != nil {
		own.Bonus, own.Rule = b.name, ""
	}
	hold := func(t *transaction, amount int64) {
		if amount = min(left, amount); amount > 0 {
			own.Amount = amount
			own.Why, own.Until = a.whyHeld(t)
			list = append(list, own)
			left -= amount
		}
	}
	var young []*stake
	for _, k := range odd {
		if k.of.is(immature) {
			young = append(young, k)
		}
	}
	slices.SortStableFunc(young, func(x, y *stake) int { return cmp.Compare(a.ripe(x.of), a.ripe(y.of)) })
	if b.bonus != nil {
		all := b.presentIf(odd, a.entryIfMature)
		for _, k := range young {
			before := min(b.used, b.worth(all))
			all = all.plus(a.entryIfPosted(k))
			hold(k.of, min(b.used, b.worth(all))-before)
		}
	}
	if left > 0 {
		hold(a.causeOfPeriod(odd), left)
	}
	return list
}

// causeOfPeriod is the purchase for which what a period has paid is held: the first that
// is not as it is posted, or else the last that is not of age; nil: none of these.
func (a *Account) causeOfPeriod(odd []*stake) (last *transaction) {
	for _, t := range a.causes(odd) {
		if !t.is(immature) {
			return t
		}
		if last == nil || a.ripe(t) >= a.ripe(last) {
			last = t
		}
	}
	return last
}

// datedIn says how much of a basket's holds is on lots that are over.
func (a *Account) datedIn(b *basket, list []holding) []holding {
	over := int64(0)
	a.eachHold(b, func(c Cycle, _, held int64) {
		if a.isOver(c) {
			over += held
		}
	})
	for i := range list {
		list[i].over = min(over, list[i].Amount)
		over -= list[i].over
	}
	return list
}
