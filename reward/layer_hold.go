package reward

import "slices"

// What is held under terms that are not plain: under Proportional as a plain purchase's,
// layer by layer; under Rerate what each basket and bonus has paid above what it would
// be worth if all were posted, without those purchases that have not matured.

// reholdLayers has the holds on a purchase's rewards worked out anew.
func (a *Account) reholdLayers(t *transaction) {
	if !t.is(granted) {
		return
	}
	for k := range t.all() {
		if k.basket != nil && a.under(t).Method == Rerate {
			a.reholdOf(k.basket)
		} else if k.rule != nil {
			a.reholdStake(k)
		}
	}
}

// reholdOf has a basket's hold worked out before the event is over.
func (a *Account) reholdOf(b *basket) {
	switch {
	case b.unheld:
		return
	case b.tier != nil:
		a.unheldTiers = append(a.unheldTiers, b)
	default:
		a.unheldBaskets = append(a.unheldBaskets, b)
	}
	b.unheld = true
}

// reholdStake is for a stake whose hold is its own: under Proportional, or without
// a limit.
func (a *Account) reholdStake(k *stake) {
	if k.rule == nil || !k.earns || k.basket != nil && a.under(k.of).Method == Rerate {
		return
	}
	risk, held := a.stakeHold(k)
	if risk == k.risk && held == k.held {
		return
	}
	a.hand(k.of)
	a.risk += risk - k.risk
	a.held += held - k.held
	a.holdLot(k.of.cycle, risk-k.risk, held-k.held)
	k.of.risk += risk - k.risk
	k.of.held += held - k.held
	k.risk, k.held = risk, held
}

func (a *Account) stakeHold(k *stake) (risk, held int64) {
	t := k.of
	if !t.is(granted) {
		return 0, 0
	}
	if a.under(t).Method == Rerate {
		return max(0, k.retained-a.entryIfPosted(k).floor), max(0, k.retained-a.entryIfMature(k).floor)
	}
	risk = max(0, k.retained-k.proportional(a.ahead(t)))
	if t.is(immature) {
		return risk, k.retained
	}
	return risk, risk
}

// reholdBasket works out what of a basket's rewards may not be redeemed.
func (a *Account) reholdBasket(b *basket) {
	b.unheld = false
	risk, held, laid := a.basketHold(b)
	if risk == b.risk && held == b.held && slices.Equal(laid, b.laid) {
		return
	}
	a.handBasket(b)
	a.risk += risk - b.risk
	a.held += held - b.held
	a.layHold(b, -1)
	b.risk, b.held, b.laid = risk, held, laid
	a.layHold(b, 1)
}

// basketHold is what a basket has paid above its value: of all purchases, and of the
// mature ones alone; and where its rewards are in several lots, of which.
func (a *Account) basketHold(b *basket) (risk, held int64, laid []heldIn) {
	if b.program.Method != Rerate || b.tier != nil {
		return 0, 0, nil // its stakes have holds of their own
	}
	odd := a.oddIn(b)
	switch {
	case len(odd) == 0:
		if b.bonus != nil {
			risk = max(0, b.used-b.worth(b.present))
		}
		return risk, risk, nil
	case a.inSeveralLots(b):
		return a.holdInOrder(b, odd)
	}
	return max(0, b.used-a.valueOf(b, odd, a.entryIfPosted)), max(0, b.used-a.valueOf(b, odd, a.entryIfMature)), nil
}

// valueOf is what a basket is worth at an allocation that differs from what is posted
// in odd stakes alone.
func (a *Account) valueOf(b *basket, odd []*stake, as func(*stake) entry) int64 {
	if b.bonus == nil {
		if rates, _ := b.rates(b.present); rates != nil {
			return b.valueTogether(odd, as)
		}
		return a.valueInOrder(b, odd, as)
	}
	return b.worth(b.presentIf(odd, as))
}

// presentIf is what a basket adds up to if odd stakes count for something else.
func (b *basket) presentIf(odd []*stake, as func(*stake) entry) tally {
	all := b.present
	for _, k := range odd {
		if k.of.is(granted) {
			all = all.minus(k.entry(k.of.net()))
		}
		all = all.plus(as(k))
	}
	return all
}

// oddIn are the stakes of a basket that are not as they are posted: what levelling has
// to look at, what would change if all were posted, and what has not matured.
func (a *Account) oddIn(b *basket) (list []*stake) {
	seen := make(map[*stake]bool)
	look := func(t *transaction) {
		if !t.layered() {
			return
		}
		for k := range t.all() {
			if k.basket == b && !seen[k] {
				seen[k] = true
				list = append(list, k)
			}
		}
	}
	for _, t := range a.dirty {
		look(t)
	}
	for t := range a.foreseen {
		look(t)
	}
	for _, t := range a.maturing {
		if t.is(immature) {
			look(t)
		}
	}
	if b.tier == nil {
		for _, k := range a.apartIn(b) {
			if !seen[k] {
				seen[k] = true
				list = append(list, k)
			}
		}
	}
	return list
}
