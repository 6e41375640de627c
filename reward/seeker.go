package reward

// seeker is a claim at work: where it may look, and how far it has come.
type seeker struct {
	*claim
	field  *field
	number int32
	by     [nowhere]struct {
		manner
		known bool // slots were found
		may   bool // the claim takes part in the pass
		// fixed are its slots in pools of a worth of their own, the dearest first;
		// capped those in capped pools, by their number.
		fixed, capped []stretch
	}

	// Of the run under way.
	left int64
	own  pass         // the first in which it has a candidate
	next [nowhere]int // fixed slots before it are empty
}

// stretch is the candidates of a claim in a pool.
type stretch struct {
	pool      *pool
	list      *list
	low, high int32
}

func newSeeker(f *field, c *claim, number int32) *seeker {
	s := &seeker{claim: c, field: f, number: number, left: c.need}
	merchant, knownMerchant := f.names[c.merchant]
	kind, knownKind := f.names[c.kind]
	// A refund that names no merchant may be of any; an excess of a purchase that
	// has none is of another such.
	byMerchant := knownMerchant && (c.merchant != "" || c.excess())
	byKind := knownKind && (c.kind != "" || c.excess())
	may := [nowhere]bool{byMerchant && byKind, byMerchant, byKind && !c.excess(), !c.excess()}
	for p := range s.by {
		s.by[p].manner, s.by[p].may = manner{pass(p), merchant, kind}, may[p]
	}
	s.by[sameMerchant].kind, s.by[sameKind].merchant, s.by[anywhere].manner = 0, 0, manner{pass: anywhere}
	return s
}

func (s *seeker) begin() {
	s.left, s.own, s.next = s.need, sameBoth, [nowhere]int{}
}

// slots finds the candidates of the claim in a pass.
func (s *seeker) slots(p pass) (fixed, capped []stretch) {
	b := &s.by[p]
	if b.known || !b.may {
		return b.fixed, b.capped
	}
	b.known = true
	in := func(q *pool) (stretch, bool) {
		l := q.lists[b.manner]
		if l == nil || l.total == 0 && q.taken == 0 {
			return stretch{}, false
		}
		low, high := l.within(s.from, s.to)
		return stretch{q, l, low, high}, low < high
	}
	for _, q := range s.field.fixed {
		if x, some := in(q); some {
			b.fixed = append(b.fixed, x)
		}
	}
	for _, q := range s.field.capped {
		if x, some := in(q); some {
			if b.capped == nil {
				b.capped = make([]stretch, len(s.field.capped))
			}
			b.capped[q.number] = x
		}
	}
	return b.fixed, b.capped
}

// inPool is the claim's slot in a capped pool, in a pass.
func (s *seeker) inPool(q *pool, p pass) stretch {
	if _, capped := s.slots(p); capped != nil {
		return capped[q.number]
	}
	return stretch{}
}

// reaches reports whether the claim has a candidate in a capped pool in any pass.
func (s *seeker) reaches(q *pool) bool {
	for p := range nowhere {
		if x := s.inPool(q, p); x.some() {
			return true
		}
	}
	return false
}

// look returns the first pass in which the claim has a candidate: nowhere if
// there is none, or nothing left to place. What a run takes does not come back in
// it, so no pass does either.
func (s *seeker) look() pass {
	if s.left == 0 {
		return nowhere
	}
	for ; s.own < nowhere; s.own++ {
		if s.dearest(s.own) != nil {
			break
		}
		_, capped := s.slots(s.own)
		for i := range capped {
			if capped[i].some() {
				return s.own
			}
		}
	}
	return s.own
}

// dearest is the claim's slot of the highest worth among pools of a worth of
// their own, nil if there is none.
func (s *seeker) dearest(p pass) *stretch {
	fixed, _ := s.slots(p)
	for ; s.next[p] < len(fixed); s.next[p]++ {
		if x := &fixed[s.next[p]]; x.some() {
			return x
		}
	}
	return nil
}

// whole reports whether the slot is all of its list.
func (x *stretch) whole() bool { return x.low == 0 && int(x.high) == len(x.list.spots) }

// some reports whether anything is left in the slot.
func (x *stretch) some() bool {
	switch {
	case x.list == nil || x.list.total == 0:
		return false
	case x.whole():
		return true
	}
	return x.sum(1) > 0
}

// sum is what is left in the slot; it may stop adding at enough.
func (x *stretch) sum(enough int64) (sum int64) {
	switch {
	case x.list == nil:
		return 0
	case x.whole():
		return x.list.total
	}
	l := x.list
	for i := x.low; i < x.high && sum < enough; {
		b := i / blockLength
		if end := (b + 1) * blockLength; i == b*blockLength && end <= x.high {
			sum += l.sum[b]
			i = end
			continue
		}
		sum += l.field.spots[l.spots[i]].left
		i++
	}
	return sum
}
