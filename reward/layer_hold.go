package reward

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
	if !b.unheld {
		b.unheld = true
		a.unheldBaskets = append(a.unheldBaskets, b)
	}
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
	var f int64
	if a.under(t).Method == Rerate {
		f = k.entry(t.amount - a.ahead(t)).floor
	} else {
		f = k.proportional(a.ahead(t))
	}
	risk = max(0, k.retained-f)
	if t.is(immature) {
		return risk, k.retained
	}
	return risk, risk
}

// reholdBasket works out what of a basket's rewards may not be redeemed.
func (a *Account) reholdBasket(b *basket) {
	b.unheld = false
	risk, held := a.basketHold(b)
	if risk == b.risk && held == b.held {
		return
	}
	a.handBasket(b)
	a.risk += risk - b.risk
	a.held += held - b.held
	a.layHold(b, -1)
	b.risk, b.held = risk, held
	a.layHold(b, 1)
}

// basketHold is what a basket has paid above its value: of all purchases, and of the
// mature ones alone.
func (a *Account) basketHold(b *basket) (risk, held int64) {
	if b.program.Method != Rerate {
		return 0, 0 // its stakes have holds of their own
	}
	odd := a.oddIn(b)
	if len(odd) == 0 {
		if b.bonus != nil {
			risk = max(0, b.used-b.worth(b.present))
		}
		return risk, risk
	}
	all := func(k *stake) (int64, bool) { return k.of.amount - a.ahead(k.of), k.of.is(granted) }
	mature := func(k *stake) (int64, bool) {
		return k.of.amount - a.ahead(k.of), k.of.is(granted) && !k.of.is(immature)
	}
	return max(0, b.used-a.valueOf(b, odd, all)), max(0, b.used-a.valueOf(b, odd, mature))
}

// valueOf is what a basket is worth at an allocation that differs from what is posted
// in odd stakes alone.
func (a *Account) valueOf(b *basket, odd []*stake, left func(*stake) (int64, bool)) int64 {
	if b.bonus == nil {
		if rates, _ := b.rates(b.present); rates != nil {
			return b.valueTogether(odd, left)
		}
		return a.valueInOrder(b, odd, left)
	}
	all := b.present
	for _, k := range odd {
		if k.of.is(granted) {
			all = all.minus(k.entry(k.of.net()))
		}
		if left, counts := left(k); counts {
			all = all.plus(k.entry(left))
		}
	}
	return b.worth(all)
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
	return list
}
