package probe

import (
	"fmt"
	"slices"
	"time"

	"recoup/internal/flaw"
	"recoup/internal/lab/examine"
)

// byPlace returns what was bought at each place, whose rates and handling may be of its own.
func (g *grid) byPlace() {
	for _, s := range slices.Concat(g.places, g.alike) {
		for _, days := range g.withinAndAfter() {
			g.returned(ByPlace, days, s, "%s, after %d days", spotAt(s), days)
		}
	}
	if g.still {
		return
	}
	seen := map[string]bool{}
	for _, s := range slices.Concat([]examine.Sample{g.sample}, g.places, g.alike) {
		if at := spotAt(s).String(); !seen[at] {
			seen[at] = true
			g.week(s)
			g.monthly(s)
		}
	}
}

// week buys on each day of a week, and returns all of it on a Thursday: some rates are of some
// days alone, and seldom of that.
func (g *grid) week(s examine.Sample) {
	d, days := g.draft(), 14
	for d.from.AddDate(0, 0, days).Weekday() != time.Thursday {
		days++
	}
	for i := range 7 {
		d.buy(i, fmt.Sprintf("t%d", i+1), s)
	}
	for i := range 7 {
		d.refund(days, fmt.Sprintf("r%d", i+1), fmt.Sprintf("t%d", i+1), s.Amount)
	}
	g.put(ByPlace, days, flaw.CurrentRate, d, "%s, one bought on each day of a week, and all returned on a Thursday", spotAt(s)).aside = true
}

// monthly returns a twentieth of a purchase in each month of its year: some rates are of some
// months alone, and what is left may be booked anew by that of its return.
func (g *grid) monthly(s examine.Sample) {
	if !g.can.PartialRefunds {
		return
	}
	d, days := g.draft(), 10
	d.buy(0, "t", s)
	for i := range 12 {
		d.refund(days+30*i, fmt.Sprintf("r%d", i+1), "t", max(1, s.Amount/20))
	}
	g.put(ByPlace, days, "", d, "%s, a twentieth of it returned in each month of a year", spotAt(s)).partial = true
}
