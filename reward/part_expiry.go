package reward

// What has expired is a part of its own, read and written when a cycle closes or an event
// reaches behind it. What has not is in the head.

const pastID = "expired"

// pastLots has what has expired at hand.
func (a *Account) pastLots() *past {
	l := a.lots
	if l.past == nil {
		l.past = &past{}
		if a.kept != nil {
			if data := a.kept.shelf.Find(BucketPart, pastID); data != nil {
				l.past.read(a.reader(BucketPart, pastID, data))
			}
		}
	}
	return l.past
}

// changePast hands it out for change.
func (a *Account) changePast() *past {
	p := a.pastLots()
	p.written, p.handed = true, true
	return p
}

func (a *Account) pastPart() Part {
	p := a.lots.past
	w := writer{make([]byte, 0, 64)}
	w.int(layeredEncoding)
	p.opening.write(&w)
	w.int(int64(len(p.lots)))
	for i := range p.lots {
		p.lots[i].write(&w)
		w.int(p.lots[i].expired)
	}
	w.int(int64(len(p.uses)))
	for _, u := range p.uses {
		w.int(int64(u.cycle))
		w.int(u.amount)
	}
	return Part{Kind: BucketPart, ID: pastID, Data: w.b}
}

func (p *past) read(r *reader) {
	p.written = true
	p.opening.read(r)
	for range r.count() {
		var x lot
		x.read(r)
		x.expired = r.int()
		p.lots = append(p.lots, x)
	}
	for range r.count() {
		p.uses = append(p.uses, use{Cycle(r.int()), r.int()})
	}
	r.end()
}

func (x *lot) write(w *writer) {
	for _, n := range [...]int64{int64(x.cycle), x.earned, x.risk, x.held} {
		w.int(n)
	}
}

func (x *lot) read(r *reader) {
	x.cycle = Cycle(r.int())
	for _, n := range [...]*int64{&x.earned, &x.risk, &x.held} {
		*n = r.int()
	}
}

// write writes down, in the head, what has not expired.
func (l *lots) write(w *writer) {
	for _, n := range l.sums() {
		w.int(*n)
	}
	w.int(int64(len(l.living)))
	for i := range l.living {
		l.living[i].write(w)
	}
}

func (a *Account) readLots(r *reader) {
	l := &lots{}
	for _, n := range l.sums() {
		*n = r.int()
	}
	for range r.count() {
		var x lot
		x.read(r)
		l.living = append(l.living, x)
	}
	a.lots = l
}

func (l *lots) sums() [6]*int64 {
	return [...]*int64{&l.used, &l.free, &l.owed, &l.expired, &l.riskRelief, &l.heldRelief}
}
