package reward

// transactionPart writes a transaction down.
func (a *Account) transactionPart(t *transaction) Part {
	w := writer{make([]byte, 0, 128+len(t.links.unreadIDs()))}
	if t.more == nil {
		w.int(encoding)
	} else {
		w.int(layeredEncoding)
	}
	w.int(int64(t.flags&^handed) | int64(t.item)<<itemShift)
	w.text(t.merchant)
	w.text(t.category)
	w.int(int64(t.mcc))
	w.instant(t.settledAt)
	w.instant(t.postedAt)
	for _, n := range [...]int64{
		t.amount, t.home, t.placed, t.base, t.original, t.retained, t.levelled, t.pending(), t.risk, t.held,
		int64(t.order), int64(t.cycle), int64(t.rule),
	} {
		w.int(n)
	}
	w.flags(t.bucket != nil, t.links != nil)
	if t.links != nil {
		t.links.write(&w)
	}
	if t.more != nil {
		t.more.write(&w)
	}
	if t.abroad != nil {
		t.abroad.write(&w)
	}
	p := Part{Kind: TransactionPart, ID: t.id, Data: w.b, Working: a.works(t)}
	if t.is(posted) {
		p.Settled = t.settledAt
	}
	if t.is(ranked) && t.bucket != nil {
		p.Bucket = t.bucket.code()
	}
	p.ReviewSince = since(t.reviews(nil))
	return p
}

func (l *links) write(w *writer) {
	w.int(int64(l.unread.len() + len(l.refunds)))
	w.b = append(w.b, l.unreadIDs()...)
	for _, r := range l.refunds {
		w.text(r.id)
	}
	w.int(int64(len(l.chargebacks)))
	for _, c := range l.chargebacks {
		w.text(c.id)
	}
	w.int(int64(len(l.firm)))
	for _, p := range l.firm {
		w.text(p.of.id)
		w.int(p.amount)
		w.int(p.placed)
	}
	w.int(l.named)
	w.int(int64(l.disputes))
	w.instant(l.withdrawnAt)
	w.int(l.firmPlaced)
	l.contests.write(w)
}

// works reports whether an event may touch the transaction without naming it.
func (a *Account) works(t *transaction) bool {
	return t.is(immature|changed|short) || a.awaitsClose(t) || t.pending() != 0 || t.held != 0 || t.soft() > 0 || t.excess() > 0 || t.spread() > 0
}

// awaitsClose reports whether the close of the open cycle is to grant its reward.
func (a *Account) awaitsClose(t *transaction) bool {
	return t.is(posted) && !t.is(granted) && t.postedAt >= a.cycleStart
}

// readTransaction has a transaction at hand, with the facts that name it. It is
// found before they are read, so that they find it in turn.
func (a *Account) readTransaction(id string, data []byte) *transaction {
	r := a.reader(TransactionPart, id, data)
	t := &transaction{id: id}
	pending := t.readFigures(r)
	_, hash := a.transactions.find(id)
	a.transactions.add(t, hash)
	var earns, linked bool
	r.flags(&earns, &linked)
	if earns {
		if p := a.under(t); t.rule < 0 || int(t.rule) >= len(p.Rules) {
			r.fail("its program version has no such rule")
		}
		if t.bucket = a.findBucket(t.rule, t.cycle); t.bucket == nil {
			r.fail("its bucket is missing")
		}
	}
	if linked {
		t.links = new(links)
		a.readLinks(t.links, r)
		t.links.pending = pending
	}
	if r.layered {
		a.readParticulars(t, r)
	}
	if len(r.b) > 0 {
		t.abroad = r.abroad()
	}
	r.end()
	return t
}

// readFigures reads what leads to nothing else, and returns what is announced of it, which
// its links keep.
func (t *transaction) readFigures(r *reader) (pending int64) {
	marks := r.int()
	t.flags, t.item = txFlags(marks), uint16(marks>>itemShift)
	t.merchant, t.category, t.mcc = r.text(), r.text(), MCC(r.int())
	t.settledAt, t.postedAt = r.instant(), r.instant()
	for _, n := range [...]*int64{&t.amount, &t.home, &t.placed, &t.base, &t.original, &t.retained, &t.levelled, &pending, &t.risk, &t.held} {
		*n = r.int()
	}
	t.order, t.cycle, t.rule = int32(r.int()), Cycle(r.int()), int32(r.int())
	return pending
}

func (a *Account) readLinks(l *links, r *reader) {
	l.unread = r.unread()
	for range r.count() {
		id := r.text()
		c := a.lookupChargeback(id)
		if c == nil {
			r.fail("chargeback " + id + " is missing")
		}
		l.chargebacks = append(l.chargebacks, c)
	}
	for range r.count() {
		l.firm = append(l.firm, firmPlace{of: a.mustRefund(r), amount: r.int(), placed: r.int()})
	}
	l.named, l.disputes, l.withdrawnAt, l.firmPlaced = r.int(), int(r.int()), r.instant(), r.int()
	l.contests.read(r)
}

// mustRefund reads the id of a refund, which is there.
func (a *Account) mustRefund(r *reader) *refund {
	id := r.text()
	f := a.lookupRefund(id)
	if f == nil {
		r.fail("refund " + id + " is missing")
	}
	return f
}

// mustTransaction reads the id of a transaction, which is there.
func (a *Account) mustTransaction(r *reader) *transaction {
	id := r.text()
	t, _ := a.lookup(id)
	if t == nil {
		r.fail("transaction " + id + " is missing")
	}
	return t
}
