package reward

import "math/big"

// target is what a step places money on: purchases of one worth, wherever they
// are, or those of a bucket that its cap cuts.
type target struct {
	pool  *pool   // of a binding target
	worth ratio   // of a linear one
	loose []*pool // capped pools whose cap does not bind, so that they are part of a linear one
	pass  pass
	none  bool
}

// slots are the candidates of a claim in the target.
func (t *target) slots(s *seeker) []stretch {
	if t.pool != nil {
		return []stretch{s.inPool(t.pool, t.pass)}
	}
	var list []stretch
	if x := s.dearest(t.pass); x != nil && x.pool.worth.cmp(t.worth) == 0 {
		list = append(list, *x)
	}
	for _, q := range t.loose {
		if x := s.inPool(q, t.pass); x.some() {
			list = append(list, x)
		}
	}
	return list
}

// choose finds the best target for the claims whose turn it is: the pool that is
// to be first if it can take anything, else the one worth most, of equals the
// linear one, then that of the newest cycle, then that of the earlier rule.
func (a *allocation) choose(p pass, first *pool) target {
	var binding []*pool
	best := target{none: true, pass: p}
	offer := func(worth ratio) {
		if best.none || worth.cmp(best.worth) > 0 {
			best.worth, best.none = worth, false
		}
	}
	for _, s := range a.turn {
		if x := s.dearest(p); x != nil {
			offer(x.pool.worth)
		}
	}
	var loose []*pool
	for _, q := range a.field.capped {
		if q.left == 0 || !a.reached(q, p) {
			continue
		}
		switch {
		case q == first:
			return target{pool: q, pass: p}
		case q.limit.binds():
			binding = append(binding, q)
		default:
			q.passed = true
			loose = append(loose, q)
			offer(q.limit.rate())
		}
	}
	for _, q := range loose {
		if q.limit.rate().cmp(best.worth) == 0 {
			best.loose = append(best.loose, q)
		}
	}
	t := a.dearestOf(binding, best)
	for _, q := range binding {
		q.passed = q.passed || q != t.pool
	}
	return t
}

// reached reports whether a claim whose turn it is has a candidate in a pool.
func (a *allocation) reached(q *pool, p pass) bool {
	for _, s := range a.turn {
		if x := s.inPool(q, p); x.some() {
			return true
		}
	}
	return false
}

// dearestOf returns the best of the binding targets and a linear one. What a
// binding one is worth takes to work out what would be placed there; most need
// not be asked, for it grows with that, and no more can be placed than is needed
// and left.
func (a *allocation) dearestOf(binding []*pool, best target) target {
	if len(binding) == 0 {
		return best
	}
	var needed int64
	for _, list := range [...][]*seeker{a.turn, a.later} {
		for _, s := range list {
			needed += s.left
		}
	}
	type bid struct {
		pool *pool
		most ratio
	}
	bids := make([]bid, len(binding))
	for i, q := range binding {
		bids[i] = bid{q, q.limit.worth(min(needed, q.left))}
	}
	for len(bids) > 0 {
		top := 0
		for i := range bids {
			if c := bids[i].most.cmp(bids[top].most); c > 0 || c == 0 && byAge(bids[i].pool, bids[top].pool) < 0 {
				top = i
			}
		}
		q := bids[top].pool
		if c := bids[top].most.cmp(best.worth); !best.none && (c < 0 || c == 0 && best.pool == nil) {
			break
		}
		bids[top] = bids[len(bids)-1]
		bids = bids[:len(bids)-1]
		worth := q.limit.worth(a.wouldTake(q, best.pass))
		if c := worth.cmp(best.worth); best.none || c > 0 || c == 0 && best.pool != nil && byAge(q, best.pool) < 0 {
			best = target{pool: q, worth: worth, pass: best.pass}
		}
	}
	return best
}

// wouldTake is what placing everybody's money on a binding target would put
// there: those whose turn it is first, then those who come later, each by its own
// pass.
func (a *allocation) wouldTake(q *pool, p pass) (sum int64) {
	begun := len(a.log)
	for _, list := range [...][]*seeker{a.turn, a.later} {
		for _, s := range list {
			if q.left == 0 {
				break
			}
			if x := s.inPool(q, s.own); x.some() {
				a.place(s, []stretch{x})
			}
		}
	}
	for _, x := range a.log[begun:] {
		sum += x.amount
	}
	a.undo(begun)
	return sum
}

func (l *limit) rate() ratio { return newRatio(int64(l.bucket.rule.Rate), rateScale) }

// sigma is Σ rate · (amount − reversed) of the bucket, in units of 1/rateScale.
func (l *limit) sigma() uint128 { return mul64(int64(l.bucket.rule.Rate), l.base-l.taken) }

// worth is (min(cap, Σ) − min(cap, Σ − rate·m)) / m, which of a cap that binds
// grows with m.
func (l *limit) worth(m int64) ratio {
	b := l.bucket
	full := mul64(b.rule.Cap, rateScale)
	before, after := l.sigma(), mul64(int64(b.rule.Rate), l.base-l.taken-m)
	return ratio{before.min(full).sub(after.min(full)), mul64(m, rateScale)}
}

// gain is what a run took of what all purchases together are worth: whole in
// units of 1/rateScale, and shares of grants that a cap had cut.
type gain struct {
	whole  uint128
	shares []share
}

// share is what was taken of a pool whose worth is no rate.
type share struct {
	worth  ratio
	amount int64
}

func (a *allocation) gain() (g gain) {
	for _, p := range a.field.fixed {
		switch {
		case p.taken == 0 || p.worth.num == uint128{}:
		case p.worth.den == uint128{lo: rateScale}:
			g.whole = g.whole.add(mul64(int64(p.worth.num.lo), p.taken))
		default:
			g.shares = append(g.shares, share{p.worth, p.taken})
		}
	}
	for _, p := range a.field.capped {
		if p.taken > 0 {
			b, l := p.limit.bucket, p.limit
			full := mul64(b.rule.Cap, rateScale)
			before, after := mul64(int64(b.rule.Rate), l.rest), mul64(int64(b.rule.Rate), l.rest-p.taken)
			g.whole = g.whole.add(before.min(full).sub(after.min(full)))
		}
	}
	return g
}

// above reports whether one gain is more than another, exactly.
func (g gain) above(h gain) bool {
	if len(g.shares)+len(h.shares) == 0 {
		return g.whole.cmp(h.whole) > 0
	}
	return g.exact().Cmp(h.exact()) > 0
}

func (g gain) exact() *big.Rat {
	sum := new(big.Rat).SetFrac(g.whole.big(), big.NewInt(rateScale))
	for _, s := range g.shares {
		worth := new(big.Rat).SetFrac(s.worth.num.big(), s.worth.den.big())
		sum.Add(sum, worth.Mul(worth, new(big.Rat).SetInt64(s.amount)))
	}
	return sum
}

func (x uint128) big() *big.Int {
	n := new(big.Int).SetUint64(x.hi)
	return n.Or(n.Lsh(n, 64), new(big.Int).SetUint64(x.lo))
}
