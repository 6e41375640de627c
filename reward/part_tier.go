package reward

import "slices"

// write writes down how a tier stands.
func (r *ranking) write(w *writer) {
	w.flags(r.entered)
	for i, m := range r.marks {
		w.int(m.since)
		w.int(m.before)
		w.int(m.with)
		w.int(r.ahead[i])
		w.int(r.mature[i])
	}
}

func (a *Account) readRanks(b *basket, r *reader) {
	x := b.ranks
	r.flags(&x.entered)
	for i := range x.marks {
		m := &x.marks[i]
		m.since, m.before, m.with = r.int(), r.int(), r.int()
		x.ahead[i], x.mature[i] = r.int(), r.int()
	}
	a.noteApart(b)
}

// write writes a choice down.
func (c *choice) write(w *writer) {
	w.int(int64(len(c.rules)))
	for _, r := range c.rules {
		w.text(r.ID)
	}
	w.int(int64(c.now))
	w.int(int64(c.posted))
}

// readChoice has the choice of a stake at hand, whose rules are among those given.
func (k *stake) readChoice(rules []Rule, r *reader) {
	c := new(choice)
	for range r.count() {
		id := r.text()
		i := slices.IndexFunc(rules, func(x Rule) bool { return x.ID == id })
		if i < 0 {
			r.fail("its program version has no rule " + id)
		}
		c.rules = append(c.rules, &rules[i])
	}
	c.now, c.posted = int8(r.int()), int8(r.int())
	if most := int8(max(1, len(c.rules))); c.now < none || c.posted < none || c.now >= most || c.posted >= most {
		r.fail("it is under none of its rules")
	}
	k.choice = c
}

// writeRanks writes down for which tiers a purchase qualifies.
func (m *particulars) writeRanks(w *writer) {
	w.int(int64(len(m.ranks)))
	for _, k := range m.ranks {
		w.text(k.basket.name)
	}
}

func (a *Account) readTiersOf(t *transaction, r *reader) {
	p := a.under(t)
	for range r.count() {
		id := r.text()
		x, _ := p.tier(id)
		if x == nil {
			r.fail("its program version has no tier " + id)
		}
		k := &stake{of: t, earns: true, basket: a.basketOfTier(p, x, p.number(x.Per, t.settledAt))}
		k.basket.list(k)
		t.more.ranks = append(t.more.ranks, k)
	}
}
