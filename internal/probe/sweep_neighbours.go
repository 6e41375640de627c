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
	g.amidOthers()
}

// amidOthers returns what earned by one rate beside as much that is kept and earned by another:
// what is taken at the average of all that was bought is too little of the dearer.
func (g *grid) amidOthers() {
	for _, days := range g.withinAndAfter() {
		for _, other := range g.places {
			for _, of := range [][2]examine.Sample{{g.sample, other}, {other, g.sample}} {
				d := g.draft()
				d.buy(0, "k", sampled(of[1]).of(10*g.sample.Amount))
				d.buy(0, "t", sampled(of[0]).of(10*g.sample.Amount))
				d.refund(days, "r", "t", 10*g.sample.Amount)
				g.put(ByNeighbours, days, "", d, "10 times the price at %s, returned after %d days, and as much kept at %s", spotAt(of[0]), days, spotAt(of[1])).partial = true
			}
		}
	}
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
// much again twice, after that or around it: room that becomes free is of the period of the
// purchase, even where that of the return has none left.
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
			d = g.draft()
			d.buy(1, "t", s)
			d.buy(days-1, "k1", s)
			d.refund(days, "r", "t", s.Amount)
			d.buy(days+1, "k2", s)
			g.put(ByNeighbours, days, "", d, "%d times the price, returned after %d days between two of as much that are kept", times, days).partial = true
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
