package reward

import "math/big"

// limit is a bucket with a cap, while purchases of it are on the field.
type limit struct {
	bucket *bucket
	pool   *pool // of its purchases whose worth depends on the cap; nil while there is none
	taken  int64 // what the run under way has placed on any of its purchases
	base   int64 // Σ of the bucket as the run begins, in spend
	rest   int64 // the same of those purchases alone whose worth depends on the cap
}

// begin sets what a limit is before a run.
func (l *limit) begin() {
	b := l.bucket
	l.taken, l.base = 0, b.net+b.soft
	l.rest = l.base
	if b.program.Method == Proportional {
		l.rest = b.ungranted
	}
}

// binds reports whether the cap cuts what is left of its bucket.
func (l *limit) binds() bool {
	return l.sigma().cmp(mul64(l.bucket.rule.Cap, rateScale)) > 0
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
