package probe

import "recoup/internal/flaw"

// byPartialDebt returns the larger part of what was redeemed: who corrects a purchase of which
// something is kept elsewhere than one that goes back whole may know no debt there. Both are
// more than half, so that what is forgotten is more than the reward of what is kept.
func (g *grid) byPartialDebt() {
	if g.still || !g.can.PartialRefunds {
		return
	}
	for _, days := range g.withinAndAfter() {
		for _, times := range []int64{1, large} { // a program may ask for a minimum to be redeemed
			s := sampled(g.sample).of(times * g.sample.Amount)
			for _, tenths := range []int64{6, 9} {
				d := g.draft()
				d.buy(0, "t", s)
				d.redeem(days)
				d.refund(days, "r", "t", s.Amount*tenths/10)
				g.put(ByDebt, days, flaw.CodeOf(flaw.V3a), d, "%d times the price, redeemed then, %d tenths of it, after %d days", times, tenths, days).partial = true
			}
			if times == large { // and not redeemed, as is played of the sample by the size of the refund
				d := g.draft()
				d.buy(0, "t", s)
				d.refund(days, "r", "t", s.Amount*9/10)
				g.put(ByPrice, days, flaw.PartsIgnored, d, "9 tenths of %d times the price, after %d days", times, days).partial = true
			}
		}
	}
}
