package probe

import "recoup/internal/scenario"

// byAuthorized has purchases authorised before they clear, for as much, for more as a
// petrol pump does, or in vain: what counts is what clears.
func (g *grid) byAuthorized() {
	if !g.can.Authorizations || g.still {
		return
	}
	p := g.sample.Amount
	authorized := func(times int64) *draft {
		d := g.draft()
		s := sampled(g.sample).of(times * p)
		d.add(d.at(0), scenario.Move{Kind: scenario.Authorize, ID: "t", Amount: s.Amount, Merchant: s.Merchant, MCC: s.MCC, Category: s.Category})
		return d
	}
	for _, times := range []int64{1, large} {
		d := authorized(times)
		g.put(ByAuthorized, 0, "", d, "%d times the price, and nothing clears", times)
		d = authorized(times)
		d.add(d.at(2), scenario.Move{Kind: scenario.Cancel, ID: "t"})
		g.put(ByAuthorized, 2, "", d, "%d times the price, cancelled after 2 days", times)
		d = authorized(times)
		d.buy(2, "t", g.sample)
		g.put(ByAuthorized, 2, "", d, "%d times the price, and the price clears after 2 days", times)
		for _, days := range g.withinAndAfter() {
			d = authorized(times)
			d.buy(2, "t", g.sample)
			d.refund(2+days, "r", "t", p)
			g.put(ByAuthorized, days, "", d, "%d times the price; the price clears, and is returned after %d days", times, days)
		}
	}
}
