package reward

import "slices"

// target is what a step places money on: purchases of one worth, wherever they
// are, or those of a bucket that its cap cuts.
type target struct {
	pool  *pool // of a binding target
	worth ratio // of a linear one
	loose []int // capped pools whose cap does not bind, so that they are part of a linear one
	pass  pass
	none  bool
}

// stretches are the candidates of a claim in the target.
func (a *allocation) stretches(t *target, s *seeker) []stretch {
	list := a.here[:0]
	if t.pool != nil {
		if i := t.pool.number; s.bids[i] > 0 {
			list = append(list, s.by[t.pass].capped[i])
		}
	} else {
		if x := s.dearest(t.pass); x != nil && x.pool.worth.cmp(t.worth) == 0 {
			list = append(list, *x)
		}
		for _, i := range t.loose {
			if s.bids[i] > 0 {
				list = append(list, s.by[t.pass].capped[i])
			}
		}
	}
	a.here = list
	return list
}

// choose finds the best target for the claims whose turn it is: the pool that is
// to be first if it can take anything, else the one worth most, of equals the
// linear one, then that of the newest cycle, then that of the earlier rule.
//
// What a binding one is worth takes to work out what would be placed there. Most
// need not be asked: it grows with that, and no more can be placed than is bid.
func (a *allocation) choose(p pass, first *pool) target {
	if first != nil && a.sums[first.number].reach[p] > 0 {
		return target{pool: first, pass: p}
	}
	best := target{none: true, pass: p}
	offer := func(worth ratio) {
		if best.none || worth.cmp(best.worth) > 0 {
			best.worth, best.none = worth, false
		}
	}
	for _, s := range a.seekers {
		if s.own == p {
			if x := s.dearest(p); x != nil {
				offer(x.pool.worth)
			}
		}
	}
	a.offers = a.offers[:0]
	a.loose = a.loose[:0]
	for i, q := range a.pools {
		switch {
		case a.sums[i].reach[p] == 0:
		case q.limit.binds():
			a.offers = append(a.offers, bidding{i, q.limit.worth(min(a.sums[i].most, q.left))})
		default:
			a.loose = append(a.loose, i)
			offer(q.limit.rate())
		}
	}
	best.loose = slices.DeleteFunc(a.loose, func(i int) bool { return a.pools[i].limit.rate().cmp(best.worth) != 0 })
	t := a.dearestOf(best)
	for i, q := range a.pools {
		if a.sums[i].reach[p] > 0 && q != t.pool {
			q.passed = true
		}
	}
	return t
}

// bidding is a binding target with the most that it may be worth.
type bidding struct {
	pool int
	most ratio
}

// dearestOf returns the best of the linear target and the binding ones on offer.
func (a *allocation) dearestOf(best target) target {
	for len(a.offers) > 0 {
		top := 0
		for i := range a.offers {
			if c := a.offers[i].most.cmp(a.offers[top].most); c > 0 || c == 0 && byAge(a.pools[a.offers[i].pool], a.pools[a.offers[top].pool]) < 0 {
				top = i
			}
		}
		o := a.offers[top]
		if c := o.most.cmp(best.worth); !best.none && (c < 0 || c == 0 && (best.pool == nil || byAge(best.pool, a.pools[o.pool]) < 0)) {
			break // nor can any other be better: the rest is worth no more, or younger
		}
		a.offers[top] = a.offers[len(a.offers)-1]
		a.offers = a.offers[:len(a.offers)-1]
		q, worth := a.pools[o.pool], o.most
		if worth.num != (uint128{}) {
			worth = q.limit.worth(a.wouldTake(o.pool, best.pass))
		}
		if c := worth.cmp(best.worth); best.none || c > 0 || c == 0 && best.pool != nil && byAge(q, best.pool) < 0 {
			best = target{pool: q, worth: worth, pass: best.pass}
		}
	}
	return best
}
