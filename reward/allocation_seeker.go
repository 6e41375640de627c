package reward

// seeker is a claim at work: where it may look, and how far it has come.
type seeker struct {
	*claim
	field  *field
	number int32
	by     [nowhere]prospect

	// Of the run under way.
	left   int64
	own    pass         // the first in which it has a candidate
	next   [nowhere]int // fixed stretches before it are empty
	bids   []int64      // by capped pool: what of it the claim could place there by its own pass
	wanted int          // capped pools that it bids for
}

// prospect is where a claim may look in a pass.
type prospect struct {
	manner
	may   bool // the claim takes part in the pass
	known bool // stretches were found
	// fixed are the lists of pools of a worth of their own that it goes by, the
	// dearest first, and first its candidates in the first that has some left; capped
	// its candidates in pools of a cap, by the order of allocation.pools.
	fixed  []*list
	first  stretch
	capped []stretch
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
	s.by = [nowhere]prospect{
		{manner: manner{sameBoth, merchant, kind}, may: byMerchant && byKind},
		{manner: manner{sameMerchant, merchant, 0}, may: byMerchant},
		{manner: manner{sameKind, 0, kind}, may: byKind && !c.excess()},
		{manner: manner{anywhere, 0, 0}, may: !c.excess()},
	}
	return s
}

// widest is the pass in which the claim takes part whose candidates are those of
// every other one too.
func (s *seeker) widest() pass {
	if s.excess() {
		return sameMerchant
	}
	return anywhere
}

// prospect finds the candidates of the claim in a pass.
func (s *seeker) prospect(p pass, pools []*pool) *prospect {
	b := &s.by[p]
	if b.known || !b.may {
		return b
	}
	b.known = true
	all := s.field.lists[b.manner]
	if all == nil {
		return b
	}
	b.fixed = all.fixed
	for _, l := range all.capped {
		if x := s.stretch(l); x.low < x.high && l.pool.number >= 0 {
			if b.capped == nil {
				b.capped = make([]stretch, len(pools))
			}
			b.capped[l.pool.number] = x
		}
	}
	return b
}

func (s *seeker) stretch(l *list) stretch {
	low, high := l.within(s.from, s.to)
	return stretch{l.pool, l, low, high}
}

// dearest is the claim's stretch of the highest worth among pools of a worth of
// their own, nil if there is none.
func (s *seeker) dearest(p pass) *stretch {
	b := &s.by[p]
	for ; s.next[p] < len(b.fixed); s.next[p]++ {
		l := b.fixed[s.next[p]]
		if l.total == 0 {
			continue
		}
		if b.first.list != l {
			b.first = s.stretch(l)
		}
		if b.first.some() {
			return &b.first
		}
	}
	return nil
}

// whole reports whether the stretch is all of its list.
func (x *stretch) whole() bool { return x.low == 0 && int(x.high) == len(x.list.spots) }

// some reports whether anything is left in the stretch.
func (x *stretch) some() bool { return x.sum(1) > 0 }

// sum is what is left in the stretch; it may stop adding at enough.
func (x *stretch) sum(enough int64) (sum int64) {
	switch {
	case x.list == nil || x.list.total == 0:
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
