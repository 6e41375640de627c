package probe

import (
	"recoup/internal/lab/examine"
)

// byNeighbours keeps purchases beside the one that is returned: what it brought, room
// under a cap, a tier, may be left to them.
func (g *grid) byNeighbours() {
	for _, p := range g.places {
		for _, times := range []int64{10, 100} {
			g.threeOf(sampled(p).of(times*p.Amount), 10)
		}
	}
	for _, days := range g.withinAndAfter() {
		for _, times := range []int64{1, 10, 100} {
			s := sampled(g.sample).of(times * g.sample.Amount)
			for _, after := range []int{0, 35, 70} {
				if g.still && after > 0 || times == 1 && days == 40 && after == 0 { // which is an offset
					continue
				}
				d := g.draft()
				d.buy(0, "t", s)
				d.refund(days, "r", "t", s.Amount)
				d.buy(days+after, "k", g.sample)
				g.put(ByNeighbours, days, "", d, "%d times the price, returned after %d days, and %d days later one that is kept", times, days, after).partial = true
			}
			g.threeOf(s, days)
			g.before(s, days)
		}
	}
	g.nextPeriod()
}

// before returns what was bought before as much that is kept: a step, a tier or a goal that
// it reached may be left to that.
func (g *grid) before(s examine.Sample, days int) {
	if g.still {
		return
	}
	d := g.draft()
	d.buy(0, "t", s)
	d.buy(1, "k", s)
	d.refund(days, "r", "t", s.Amount)
	g.put(ByNeighbours, days, "", d, "%d, returned after %d days, and between as much that is kept", s.Amount, days).partial = true
}

// nextPeriod returns what filled a cap when its month, or quarter, is over, and buys as
// much again twice: room that becomes free is of the period of the purchase.
func (g *grid) nextPeriod() {
	if g.still {
		return
	}
	for _, days := range []int{40, 100} {
		for _, times := range []int64{10, 100} {
			s := sampled(g.sample).of(times * g.sample.Amount)
			d := g.draft()
			d.buy(0, "first", g.sample) // a life may begin with it, and a time for newcomers
			d.buy(1, "t", s)
			d.refund(days, "r", "t", s.Amount)
			d.buy(days+1, "k", sampled(g.sample).of(2*s.Amount))
			g.put(ByNeighbours, days, "", d, "%d times the price, returned after %d days, and then twice as much that is kept", times, days).partial = true
		}
	}
}

// threeOf returns the second of three purchases before the third is made: of one that a
// cap had cut, too much room may become free.
func (g *grid) threeOf(s examine.Sample, days int) {
	if g.still {
		return
	}
	d := g.draft()
	d.buy(0, "k1", s)
	d.buy(1, "t", s)
	d.refund(days, "r", "t", s.Amount)
	d.buy(days+1, "k2", s)
	g.put(ByNeighbours, days, "", d, "three of %d at %s, the second returned after %d days, before the third", s.Amount, spotAt(s), days).partial = true
}
