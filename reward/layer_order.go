package reward

// Levelling what a basket retains looks at the purchases that changed, and at those to
// which that makes a difference, not at all of the basket.

// inOrder levels a basket of which some stakes changed, and returns what those and
// others are to retain.
func (a *Account) inOrder(b *basket, changed []*stake) (moves []move) {
	l := b.order
	places, entries := make([]int, len(changed)), make([]entry, len(changed))
	for i, k := range changed {
		places[i], entries[i] = k.place, k.entry(k.of.net())
	}
	for _, place := range l.change(b.edges(), places, entries, false) {
		moves = append(moves, move{a.stakeAt(b, place), b.share(l.before(place), l.at(place), l.all())})
	}
	return moves
}

// valueInOrder is what a basket is worth if some stakes count for something else than
// what is posted. It is the order of the basket that is changed, and changed back.
func (a *Account) valueInOrder(b *basket, odd []*stake, as func(*stake) entry) int64 {
	l := b.order
	value := b.used
	places, is, was := make([]int, len(odd)), make([]entry, len(odd)), make([]entry, len(odd))
	for i, k := range odd {
		if !k.of.is(ranked) {
			value -= k.retained
		}
		places[i], was[i], is[i] = k.place, l.at(k.place), as(k)
	}
	sum := func(touched []int) (sum int64) {
		for _, place := range touched {
			sum += b.share(l.before(place), l.at(place), l.all())
		}
		return sum
	}
	touched := l.change(b.edges(), places, is, true)
	value += sum(touched)
	l.change(b.edges(), places, was, true)
	return value - sum(touched)
}

// together levels a basket in which one rate is for all. What the stakes that changed
// are to retain is returned one by one; what the others gain by another rate, at once.
func (b *basket) together(changed []*stake) (moves []move, others int64) {
	rates, at := b.rates(b.present)
	if b.sums == nil {
		b.sums = make([]int64, len(rates))
	}
	for _, k := range changed {
		if k.of.is(ranked) {
			k.add(-1, rates, k.levelled())
		}
	}
	others = b.sums[at] - b.sums[b.step]
	for _, k := range changed {
		kept := k.kept()
		k.of.retained += kept - k.retained
		k.retained = kept
		k.add(1, rates, k.entry(k.of.net()))
		moves = append(moves, move{k, rates[at].of(k.entry(k.of.net()).q)})
	}
	b.step = at
	return moves, others
}

// add has a basket's sums count a stake, or no more.
func (k *stake) add(sign int64, rates []Fraction, as entry) {
	for i, r := range rates {
		k.basket.sums[i] += sign * r.of(as.q)
	}
}

// valueTogether is what such a basket is worth if some stakes count for something else.
func (b *basket) valueTogether(odd []*stake, as func(*stake) entry) int64 {
	all := b.presentIf(odd, as)
	rates, at := b.rates(all)
	var value int64
	if b.sums != nil {
		value = b.sums[at]
	}
	for _, k := range odd {
		if k.of.is(ranked) {
			value -= rates[at].of(k.levelled().q)
		}
		value += rates[at].of(as(k).q)
	}
	return value
}

// uplift is what all purchases of a basket gain or lose together but those that changed
// themselves.
type uplift struct {
	basket *basket
	amount int64
}

// lift posts an uplift: one posting for the basket, not one for each purchase.
func (s *step) lift(u uplift) {
	if u.amount == 0 {
		return
	}
	b := u.basket
	s.handBasket(b)
	before := b.used
	b.used += u.amount
	s.reholdOf(b)
	s.earnIn(b, u.amount)
	p := s.post(Reallocation, u.amount)
	p.Version, p.Rule, p.Layer, p.Period = b.program.Version, b.rule.ID, b.program.layerOf(b.rule), b.periodName()
	rates, at := b.rates(b.present)
	p.Formula = Formula{
		Method: b.program.Method, Before: before, After: b.used, Cap: NoCap, Used: b.used,
		Exact: rates[at], Spend: b.present.spend, Purchases: b.present.count,
	}
	if step := b.rule.Steps[at]; step.Exact == (Fraction{}) {
		p.Formula.Rate, p.Formula.Exact = step.Rate, Fraction{}
	}
}

// layerOf is the id of the layer that a rule is in.
func (p *Program) layerOf(r *Rule) string {
	for i := range p.Layers {
		for j := range p.Layers[i].Rules {
			if &p.Layers[i].Rules[j] == r {
				return p.Layers[i].ID
			}
		}
	}
	return ""
}

// kept is what a stake retains: where one rate is for all, what that makes of what was
// left of its purchase when it was levelled.
func (k *stake) kept() int64 {
	if k.basket == nil || k.rule == nil || !k.rule.Whole || !k.of.is(ranked) {
		return k.retained
	}
	rates, _ := k.basket.rates(tally{})
	return rates[k.basket.step].of(k.levelled().q)
}

// kept is what a purchase retains, in all layers.
func (t *transaction) kept() int64 {
	if !t.layered() {
		return t.retained
	}
	var sum int64
	for _, k := range t.more.stakes {
		sum += k.kept()
	}
	return sum
}
