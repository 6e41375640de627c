package reward

import "slices"

// What becomes of a purchase under terms that are not plain: it has a stake in each
// layer and bonus that it suits, is granted in all layers at once, and levelled to
// what E says of each.

// sortOut decides once which rule of each layer a purchase that posts is under, and
// which bonuses it counts for.
func (s *step) sortOut(t *transaction, bought Instant) {
	p := s.under(t)
	more := t.particular()
	more.layered, more.bought = true, bought
	o := &occasion{Terms: Terms{t.merchant, t.mcc, t.category}, labels: more.labels, at: bought, program: p, account: s.Account}
	if o.Category == "" && o.MCC != 0 && p.Categories != nil {
		o.Category = p.Categories(o.MCC)
	}
	for i := range p.Layers {
		rules := o.rulesOf(&p.Layers[i])
		if len(rules) == 0 {
			continue
		}
		k := &stake{of: t, rule: rules[0], layer: int8(i), earns: !t.is(barren)}
		if rules[0].Match.askedTiers() != nil {
			k.choice = &choice{rules: rules, posted: none}
		}
		if k.earns {
			if k.basket = s.basketOf(p, k.rule, t.settledAt); k.basket != nil {
				s.handBasket(k.basket)
				s.join(k)
			}
		}
		more.stakes = append(more.stakes, k)
	}
	for i := range p.Bonuses {
		b := &p.Bonuses[i]
		if t.is(barren) || !o.suits(&b.Match, &b.Except) {
			continue
		}
		k := &stake{of: t, basket: s.basketOfBonus(p, i, t.settledAt), earns: true}
		if b.Match.askedTiers() != nil {
			k.choice = &choice{posted: none}
		}
		s.handBasket(k.basket)
		s.join(k)
		more.counts = append(more.counts, k)
	}
	s.sortOutTiers(t, o)
}

// rulesOf are those of a layer that a purchase may be under: the first of which all holds,
// and before it those of which all but the tier does, which E decides.
func (o *occasion) rulesOf(l *Layer) (list []*Rule) {
	for i := range l.Rules {
		if r := &l.Rules[i]; o.suits(&r.Match, &r.Except) {
			list = append(list, r)
			if r.Match.askedTiers() == nil {
				break
			}
		}
	}
	return list
}

// grantLayers grants a posted purchase in all layers.
func (s *step) grantLayers(t *transaction) {
	for k := range t.all() {
		if !k.earns {
			continue
		}
		if k.choice != nil {
			k.choice.posted = k.choice.now
		}
		own := k.entry(t.base)
		switch b := k.basket; {
		case b == nil:
			k.original = own.floor
		case b.tier != nil:
			s.count(k, entry{}, k.entry(t.net()))
			continue
		default:
			s.handBasket(b)
			if k.rule != nil {
				k.original = b.asLast(own, b.present, b.used)
			}
			b.present = b.present.plus(k.entry(t.net()))
			b.granted = true
			s.reckonBasket(b)
		}
		t.original += k.original
		s.retainStake(k, k.original, Grant)
	}
	s.reholdLayers(t)
	s.touch(t)
}

// reckonBasket has levelling look at a basket.
func (a *Account) reckonBasket(b *basket) {
	a.handBasket(b)
	if !b.changed {
		b.changed = true
		a.unlevel = append(a.unlevel, b)
	}
	a.reholdOf(b)
}

// alterLayers has the baskets of a granted purchase know what is left of it.
func (a *Account) alterLayers(t *transaction, was int64) {
	if !t.is(granted) {
		return
	}
	for k := range t.all() {
		switch b := k.basket; {
		case b == nil:
		case b.tier != nil:
			a.count(k, k.entry(was), k.entry(t.net()))
		default:
			b.alter(k.entry(was), k.entry(t.net()))
			a.reckonBasket(b)
		}
	}
}

// levelLayers brings what granted purchases retain to what E says of them, and then
// bonuses.
func (s *step) levelLayers(list []*transaction) {
	var own []*stake
	changed := make(map[*transaction]bool, len(list))
	for _, t := range list {
		changed[t] = true
		own = append(own, t.more.stakes...)
	}
	s.levelSharesProportionally(own)
	s.levelShares(own, changed)
	s.levelBonuses()
	for _, t := range list {
		s.hand(t)
		t.levelled = t.reversed()
		t.set(ranked)
		for k := range t.all() {
			if k.choice != nil {
				k.choice.posted = k.choice.now
			}
		}
	}
}

// move is what a stake is to retain.
type move struct {
	stake *stake
	to    int64
}

// levelShares is levelling under Rerate: every basket that changed is what it would
// be had the reversed part never been bought.
func (s *step) levelShares(own []*stake, changed map[*transaction]bool) {
	var moves []move
	ofBasket := make(map[*basket][]*stake)
	for _, k := range own {
		switch {
		case !k.earns || s.under(k.of).Method != Rerate:
		case k.basket == nil:
			moves = append(moves, move{k, k.entry(k.of.net()).floor})
		default:
			ofBasket[k.basket] = append(ofBasket[k.basket], k)
		}
	}
	var uplifts []uplift
	for _, b := range s.unlevel {
		if b.bonus != nil || b.program.Method != Rerate {
			continue
		}
		if rates, _ := b.rates(b.present); rates == nil {
			moves = append(moves, s.inOrder(b, ofBasket[b])...)
			continue
		}
		list, others := b.together(ofBasket[b])
		moves, uplifts = append(moves, list...), append(uplifts, uplift{b, others})
	}
	slices.SortStableFunc(moves, func(x, y move) int { return byStake(x.stake, y.stake) })
	for _, m := range moves {
		t := m.stake.of
		s.retainStake(m.stake, m.to, kindOfMove(m.to-m.stake.retained, changed[t] && !t.is(split), t.reversed()-t.levelled))
	}
	// Baskets are there in the order in which they came to hand.
	slices.SortFunc(uplifts, func(x, y uplift) int { return inFile(x.basket, y.basket) })
	for _, u := range uplifts {
		s.lift(u)
	}
}

// kindOfMove is why a purchase's reward changes, given by how much more of it is
// reversed if it is one of those that changed.
func kindOfMove(change int64, own bool, more int64) Kind {
	switch {
	case own && change < 0 && more > 0:
		return Clawback
	case own && change > 0 && more < 0:
		return Restore
	}
	return Reallocation
}

// proportional is f of clawback method Proportional at a reversed amount, as that of
// a plain purchase, in one layer.
func (k *stake) proportional(reversed int64) int64 {
	t := k.of
	if t.base == 0 {
		return 0
	}
	rate, left := k.rule.fraction(), t.amount-reversed
	if left > t.base && k.original == rate.of(t.base) {
		return rate.of(left)
	}
	return mulDiv(k.original, left, t.base)
}

// room is what a cap leaves to a stake for further rewards.
func (k *stake) room() int64 {
	if k.basket == nil {
		return MaxVolume
	}
	return k.rule.Cap - k.basket.used
}

// levelSharesProportionally makes all decreases, then all increases, each in posting
// order and by no more than the room under its cap.
func (s *step) levelSharesProportionally(own []*stake) {
	var rises []*stake
	mine := make(map[*stake]bool)
	look := func(k *stake) {
		if !k.earns || mine[k] || s.under(k.of).Method != Proportional {
			return
		}
		mine[k] = true
		switch f := k.proportional(k.of.reversed()); {
		case f < k.retained:
			kind := Reallocation
			if k.of.reversed() > k.of.levelled {
				kind = Clawback
			}
			s.retainStake(k, f, kind)
		case f > k.retained:
			rises = append(rises, k)
		}
	}
	for _, k := range own {
		look(k)
	}
	for _, b := range s.unlevel {
		if b.program.Method == Proportional {
			for _, k := range b.stakes {
				if k.short {
					look(k)
				}
			}
		}
	}
	slices.SortFunc(rises, byStake)
	for _, k := range rises {
		kind := Reallocation
		if k.of.reversed() < k.of.levelled {
			kind = Restore
		}
		f := k.proportional(k.of.reversed())
		s.retainStake(k, min(f, k.retained+max(0, k.room())), kind)
		k.short = f > k.retained
		s.markShort(k.of)
	}
}

// markShort keeps a purchase among those that levelling may look at while one of its
// rewards waits for room.
func (a *Account) markShort(t *transaction) {
	a.hand(t)
	t.clear(short)
	if slices.ContainsFunc(t.more.stakes, func(k *stake) bool { return k.short }) {
		t.set(short)
	}
}

// levelBonuses brings what bonuses pay to what they are worth, in the order of the
// program file, then of periods.
func (s *step) levelBonuses() {
	list := s.unlevel
	s.unlevel = nil
	slices.SortFunc(list, inFile)
	for _, b := range list {
		b.changed = false
		if b.bonus != nil {
			s.payBonus(b, b.worth(b.present))
		}
		b.granted, b.fell, b.rose = false, false, false
		s.handBasket(b)
	}
}

// payBonus brings what a bonus has paid to what it is worth.
func (s *step) payBonus(b *basket, to int64) {
	before := b.used
	if to == before {
		return
	}
	kind := Reallocation
	switch {
	case to > before && b.granted:
		kind = Grant
	case to > before && b.rose:
		kind = Restore
	case to < before && b.fell:
		kind = Clawback
	}
	s.handBasket(b)
	b.used = to
	s.reholdOf(b)
	s.earnIn(b, to-before)
	p := s.post(kind, to-before)
	p.Version, p.Rule, p.Period = b.program.Version, b.name, b.periodName()
	p.Formula = Formula{Method: b.program.Method, Before: before, After: to, Cap: NoCap, Used: to, Spend: b.present.spend, Purchases: b.present.count}
}

// retainStake sets what a purchase retains in a layer, and posts the difference.
func (s *step) retainStake(k *stake, to int64, kind Kind) {
	before := k.retained
	if to == before {
		return
	}
	t := k.of
	s.hand(t)
	k.retained = to
	t.retained += to - before
	used := int64(0)
	if b := k.basket; b != nil {
		s.handBasket(b)
		b.used += to - before
		used = b.used
		s.reholdOf(b)
	}
	if b := k.basket; b != nil && b.ofPeriod() {
		s.earnIn(b, to-before)
	} else {
		s.earn(t.cycle, to-before)
	}
	s.reholdStake(k)
	program := s.under(t)
	p := s.post(kind, to-before)
	p.Transaction, p.Item = t.name()
	p.Version, p.Rule = program.Version, k.rule.ID
	p.Layer = program.Layers[k.layer].ID
	p.Formula = Formula{
		Method: program.Method, Purchase: t.amount, Reversed: t.reversed(), Base: t.base, Original: k.original,
		Before: before, After: to, Rate: k.rule.Rate, Exact: k.rule.Exact, Cap: k.rule.Cap, Used: used,
	}
	if b := k.basket; b != nil {
		p.Period = b.periodName()
		p.Formula.Spend, p.Formula.Purchases = b.present.spend, b.present.count
	}
}

// counts reports whether a purchase that a refund may be of counts in a period that is
// not over at a moment. Until then what the refund takes there may turn out to be more
// elsewhere. Under plain terms a refund need not wait for that.
func (a *Account) counts(r *refund, at Instant) bool {
	if !a.newest.everLayered() {
		return false
	}
	terms := a.program.Refunds
	for t := range a.settledBetween(r.at.plusDays(-terms.WindowDays), r.at.plusDays(terms.MatchDays)) {
		if t.countsAfter(at) {
			return true
		}
	}
	return false
}

// countsAfter reports whether a purchase counts in a period that is not over at a moment.
func (t *transaction) countsAfter(at Instant) bool {
	if !t.layered() {
		return false
	}
	for k := range t.all() {
		if b := k.basket; b != nil && b.per != PerLifetime && b.program.ends(b.per, b.lasts()) > at {
			return true
		}
	}
	return false
}
