package reward

import "slices"

// bucketPart writes a bucket down whose cycle is over.
func bucketPart(b *bucket) Part {
	w := writer{make([]byte, 0, 32)}
	w.int(encoding)
	w.int(int64(b.number))
	w.int(int64(b.cycle))
	b.write(&w)
	return Part{Kind: BucketPart, ID: bucketID(b.number, b.cycle), Data: w.b}
}

func (b *bucket) write(w *writer) {
	for _, n := range [...]int64{b.used, b.net, b.soft, b.ungranted, b.young, b.risk, b.held} {
		w.int(n)
	}
}

func (a *Account) readBucket(rule int32, cycle Cycle, data []byte) *bucket {
	r := a.reader(BucketPart, bucketID(rule, cycle), data)
	if int32(r.int()) != rule || Cycle(r.int()) != cycle {
		r.fail("it is of another rule or cycle")
	}
	b := a.addBucket(rule, cycle, r)
	r.end()
	return b
}

func (a *Account) addBucket(rule int32, cycle Cycle, r *reader) *bucket {
	p := a.newest.In(cycle)
	if rule < 0 || int(rule) >= len(p.Rules) {
		r.fail("its program version has no such rule")
	}
	b := &bucket{program: p, rule: &p.Rules[rule], number: rule, cycle: cycle}
	b.unread = p.Method == Rerate && b.capped()
	for _, n := range [...]*int64{&b.used, &b.net, &b.soft, &b.ungranted, &b.young, &b.risk, &b.held} {
		*n = r.int()
	}
	a.shelve(b)
	return b
}

// findEdge finds where the cap cuts a ranking that has just been read.
func (b *bucket) findEdge() {
	e := b.edge
	slices.SortFunc(e.ranking, byOrder)
	e.whole, e.wholeSum = 0, 0
	b.moveEdge()
}
