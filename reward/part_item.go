package reward

// An item is a part of its own, under an id that no transaction has.

// itemShift is where the place of an item stands beside the flags of a transaction.
const itemShift = 32

// writeItems writes down what a transaction has of items, and of which it is one.
func (m *particulars) writeItems(w *writer) {
	w.text(string(m.inherited))
	w.instant(m.bought)
	p := m.parcel
	w.flags(p != nil, m.of != nil)
	if m.of != nil {
		w.text(m.of.id)
	}
	if p == nil {
		return
	}
	w.text(string(p.sent))
	w.flags(p.settled)
	w.instant(p.arrived)
	w.int(int64(len(p.items)))
	for _, n := range p.kept {
		w.int(n)
	}
	w.int(p.spread)
	w.int(int64(len(p.places)))
	for _, x := range p.places {
		w.int(int64(x.on.item))
		w.int(x.amount)
	}
}

// readItems has that at hand. A transaction is never at hand without its items, nor one
// of these without it.
func (a *Account) readItems(t *transaction, r *reader) {
	m := t.more
	m.inherited, m.bought = Labels(r.text()), r.instant()
	var has, is bool
	r.flags(&has, &is)
	if is {
		m.of = a.mustTransaction(r)
	}
	if !has {
		return
	}
	p := &parcel{sent: Items(r.text())}
	r.flags(&p.settled)
	p.arrived = r.instant()
	m.parcel = p
	n := r.count()
	for range n {
		p.kept = append(p.kept, r.int())
	}
	if p.spread = r.int(); n > 0 {
		a.fetchItems(t, r)
	}
	for range r.count() {
		i := r.int()
		if i < 1 || i > int64(n) {
			r.fail("it has no such item")
		}
		p.places = append(p.places, placement{p.items[i-1], r.int()})
	}
}

// fetchItems has the items of a transaction at hand. They settled when it did, so one
// look finds them all.
func (a *Account) fetchItems(t *transaction, r *reader) {
	p := t.more.parcel
	for _, x := range a.kept.shelf.Settled(t.settledAt, t.settledAt+1) {
		a.read(x)
	}
	for x := range p.sent.All() {
		i, _ := a.lookup(itemID(t.id, x.ID))
		if i == nil {
			r.fail("item " + x.ID + " is missing")
		}
		p.items = append(p.items, i)
	}
	if len(p.items) != len(p.kept) {
		r.fail("it has other items than were sent")
	}
}
