package reward

import "slices"

// write writes down what a transaction is to terms that are not plain.
func (m *particulars) write(w *writer) {
	w.text(string(m.labels))
	w.instant(m.purchased)
	w.flags(m.layered, len(m.ranks) > 0)
	w.int(int64(len(m.stakes)))
	for _, k := range m.stakes {
		w.int(int64(k.layer))
		w.text(k.rule.ID)
		w.flags(k.earns, k.short, k.byTier())
		if k.byTier() {
			k.choice.write(w)
		}
		for _, n := range [...]int64{k.original, k.retained, k.risk, k.held} {
			w.int(n)
		}
		w.int(int64(k.place))
	}
	w.int(int64(len(m.counts)))
	for _, k := range m.counts {
		w.text(k.basket.name)
		if k.byTier() {
			k.choice.write(w)
		}
	}
	if len(m.ranks) > 0 {
		m.writeRanks(w)
	}
	m.writeItems(w)
}

// readParticulars has them at hand, with the baskets that the transaction is in.
func (a *Account) readParticulars(t *transaction, r *reader) {
	m := t.particular()
	m.labels, m.purchased = Labels(r.text()), r.instant()
	var qualifies bool
	r.flags(&m.layered, &qualifies)
	p := a.under(t)
	for range r.count() {
		k := &stake{of: t, layer: int8(r.int())}
		if k.layer < 0 || int(k.layer) >= len(p.Layers) {
			r.fail("its program version has no such layer")
		}
		id, rules := r.text(), p.Layers[k.layer].Rules
		i := slices.IndexFunc(rules, func(x Rule) bool { return x.ID == id })
		if i < 0 {
			r.fail("its program version has no rule " + id)
		}
		k.rule = &rules[i]
		var byTier bool
		r.flags(&k.earns, &k.short, &byTier)
		if byTier {
			k.readChoice(rules, r)
		}
		for _, n := range [...]*int64{&k.original, &k.retained, &k.risk, &k.held} {
			*n = r.int()
		}
		k.place = int(r.int())
		if k.earns && k.rule.limited() {
			k.basket = a.basketOf(p, k.rule, t.settledAt)
			if k.place < 0 || k.place >= max(1, k.basket.places()) {
				r.fail("its basket has no such place")
			}
			k.basket.list(k)
		}
		m.stakes = append(m.stakes, k)
	}
	for range r.count() {
		id := r.text()
		i := slices.IndexFunc(p.Bonuses, func(x Bonus) bool { return x.ID == id })
		if i < 0 {
			r.fail("its program version has no bonus " + id)
		}
		k := &stake{of: t, earns: true, basket: a.basketOfBonus(p, i, t.settledAt)}
		if p.Bonuses[i].Match.askedTiers() != nil {
			k.readChoice(nil, r)
		}
		k.basket.list(k)
		m.counts = append(m.counts, k)
	}
	if qualifies {
		a.readTiersOf(t, r)
	}
	if len(r.b) > 0 { // it was written when there were items
		a.readItems(t, r)
	}
	a.look(t)
}

// Baskets, and the attributes of an account, are kept among its buckets, under ids that
// no bucket has.
const attributesID = "attributes"

// id names a basket within its account.
func (k basketKey) id() string {
	return string(k.sort) + "/" + k.name + "/" + k.per.String() + "/" + k.per.named(k.number)
}

// basketPart writes a basket down.
func basketPart(b *basket) Part {
	w := writer{make([]byte, 0, 48)}
	w.int(layeredEncoding)
	for _, n := range [...]int64{b.present.count, b.present.spend, b.present.floors, b.used, b.risk, b.held} {
		w.int(n)
	}
	w.int(int64(b.program.Version))
	w.flags(b.changed, b.granted, b.fell, b.rose)
	w.int(int64(b.places()))
	w.int(int64(b.step))
	w.int(int64(len(b.sums)))
	for _, n := range b.sums {
		w.int(n)
	}
	if b.tier != nil {
		b.ranks.write(&w)
	}
	if len(b.dated) > 0 { // where rewards expire
		w.int(int64(len(b.dated)))
		for _, x := range b.dated {
			w.int(int64(x.cycle))
			w.int(x.amount)
		}
	}
	if len(b.laid) > 0 { // where it has no dated ones
		w.int(int64(len(b.laid)))
		for _, x := range b.laid {
			for _, n := range [...]int64{int64(x.cycle), x.risk, x.held} {
				w.int(n)
			}
		}
	}
	return Part{Kind: BucketPart, ID: b.key().id(), Data: w.b, Working: b.changed}
}

// readBasket has what is written down of a basket at hand.
func (a *Account) readBasket(b *basket, data []byte) {
	r := a.reader(BucketPart, b.key().id(), data)
	if !r.layered {
		r.fail("it is no basket")
	}
	for _, n := range [...]*int64{&b.present.count, &b.present.spend, &b.present.floors, &b.used, &b.risk, &b.held} {
		*n = r.int()
	}
	version, p := int32(r.int()), a.newest
	for p != nil && p.Version != version {
		p = p.Earlier
	}
	if p == nil || !b.define(p) {
		r.fail("it is of no version of the program")
	}
	r.flags(&b.changed, &b.granted, &b.fell, &b.rose)
	places := r.int()
	if places < 0 || places > mostPlaces {
		r.fail("it has no such number of places")
	}
	if b.ordered() {
		b.order = &ladder{of: b, kept: a.kept, places: int(places)}
	}
	b.step = int(r.int())
	for range r.count() {
		b.sums = append(b.sums, r.int())
	}
	if b.tier != nil {
		a.readRanks(b, r)
	}
	if len(r.b) > 0 {
		for range r.count() {
			if b.order != nil {
				b.laid = append(b.laid, heldIn{Cycle(r.int()), r.int(), r.int()})
				continue
			}
			b.dated = append(b.dated, dated{Cycle(r.int()), r.int()})
		}
	}
	r.end()
	if b.changed {
		a.unlevel = append(a.unlevel, b)
	}
}

// places are how many stakes the basket has, where their order counts.
func (b *basket) places() int {
	if b.order == nil {
		return 0
	}
	return b.order.places
}

// findBasket fills a basket that is being made with what is written down of it.
func (a *Account) findBasket(b *basket) {
	if a.kept == nil {
		return
	}
	if data := a.kept.shelf.Find(BucketPart, b.key().id()); data != nil {
		b.unread = true
		a.readBasket(b, data)
	}
}

// complete has all purchases of a basket at hand.
func (a *Account) complete(b *basket) {
	if b.unread {
		a.readAll()
	}
}

// isBucket reports whether a part of the kind is that of a plain rule.
func isBucket(id string) bool {
	return id[0] >= '0' && id[0] <= '9' // it begins with a year
}

// attributesPart writes the attributes of an account down, all of them.
func (a *Account) attributesPart() Part {
	w := writer{make([]byte, 0, 64)}
	w.int(layeredEncoding)
	w.int(int64(len(a.attributes)))
	for _, x := range a.attributes {
		w.text(x.id)
		w.text(x.name)
		w.text(x.value)
		w.instant(x.from)
		w.flags(x.withdrawn, x.unheard, x.dismissed, x.heard != 0)
		if x.heard != 0 {
			w.instant(x.heard)
		}
	}
	return Part{Kind: BucketPart, ID: attributesID, Data: w.b, Working: true}
}

func (a *Account) readAttributes(data []byte) {
	r := a.reader(BucketPart, attributesID, data)
	a.attributes = nil
	for range r.count() {
		x := &attribute{id: r.text(), name: r.text(), value: r.text(), from: r.instant()}
		var waits bool
		r.flags(&x.withdrawn, &x.unheard, &x.dismissed, &waits)
		if waits {
			x.heard = r.instant()
		}
		a.attributes = append(a.attributes, x)
	}
	r.end()
}

// handBasket is for a basket, as hand is for a transaction.
func (a *Account) handBasket(b *basket) {
	if a.kept != nil && !b.handed {
		b.handed = true
		a.kept.baskets = append(a.kept.baskets, b)
	}
}

func (a *Account) handAttributes() {
	if a.kept != nil {
		a.kept.attributes = true
	}
}
