package probe

import (
	"fmt"

	"recoup/internal/flaw"
	"recoup/internal/lab/examine"
)

// byPrice reaches what takes much spending or many purchases: bonuses, tiers, stamps.
func (g *grid) byPrice() {
	for _, days := range g.withinAndAfter() {
		for _, times := range []int64{10, 100, 1000} {
			s := sampled(g.sample).of(times * g.sample.Amount)
			g.returned(ByPrice, days, s, "%d times the price, after %d days", times, days)
			if g.can.PartialRefunds {
				d := g.draft()
				d.buy(0, "t", s)
				d.refund(days, "r", "t", s.Amount-s.Amount/20)
				g.put(ByPrice, days, flaw.PartsIgnored, d, "all but a twentieth of %d times the price, after %d days", times, days).partial = true
			}
		}
		for _, times := range []int64{1, 4} { // what is collected may ask for a minimum of each
			s := sampled(g.sample).of(times * g.sample.Amount)
			g.collected(days, s, s.Amount, "%d times the price, all returned after %d days", times, days)
			if g.can.PartialRefunds {
				most := s.Amount - s.Amount/100
				g.collected(days, s, most, "%d times the price, all but a hundredth of each returned after %d days", times, days).partial = true
			}
		}
		g.littleOfEach(days)
	}
	if !g.still {
		g.returned(ByPrice, 400, sampled(g.sample).of(1000*g.sample.Amount), "1000 times the price, after 400 days") // beyond what a year's steps and caps are of
	}
}

// bySmallPrice returns purchases below the usual price, which may be too small to be heard of.
func (g *grid) bySmallPrice() {
	for _, days := range g.withinAndAfter() {
		for _, part := range []int64{2, 5, 12, 40} {
			s := sampled(g.sample).of(max(1, g.sample.Amount/part))
			g.returned(ByPrice, days, s, "a purchase of one %dth of the price, after %d days", part, days)
		}
	}
}

// collected buys often enough for what comes with a number of purchases, and returns as much
// of each.
func (g *grid) collected(days int, s examine.Sample, amount int64, level string, args ...any) *sweepCase {
	const n = 12
	d := g.draft()
	for i := range n {
		d.buy(i/2, fmt.Sprintf("t%d", i+1), s)
	}
	for i := range n {
		d.refund(days, fmt.Sprintf("r%d", i+1), fmt.Sprintf("t%d", i+1), amount)
	}
	return g.put(ByPrice, days, "", d, fmt.Sprintf("%d purchases of ", n)+level, args...)
}

// littleOfEach returns a little of many purchases, most of which a limit had cut, in amount or
// in number: what is reckoned anew, or frees a place, with each return may pay for more. A limit
// is often of one place alone.
func (g *grid) littleOfEach(days int) {
	if !g.can.PartialRefunds {
		return
	}
	for _, of := range g.here() {
		for _, times := range []int64{1, 10, 100} {
			s := sampled(of).of(times * of.Amount)
			g.collected(days, s, max(1, s.Amount/100), "%d times the price%s, a hundredth of each returned after %d days", times, g.place(of), days).partial = true
		}
	}
}

// byLevel buys at the rates of a level that spending has reached, in the next month, quarter or
// year, and returns that when the level has lapsed: what a return takes by the level of its own
// day is less than what was earned.
func (g *grid) byLevel() {
	if g.still {
		return
	}
	much := sampled(g.sample).of(1000 * g.sample.Amount)
	for _, s := range g.here() {
		for _, days := range [][2]int{{35, 70}, {100, 180}, {370, 400}} {
			d := g.draft()
			d.buy(0, "much", much)
			d.buy(days[0], "t", s)
			d.refund(days[0]+days[1], "r", "t", s.Amount)
			g.put(ByPrice, days[1], "", d, "1000 times the price kept, and %d days later%s one returned after %d days", days[0], g.place(s), days[1])
		}
	}
}

// here are the sample and what earns by another rate.
func (g *grid) here() []examine.Sample { return append([]examine.Sample{g.sample}, g.places...) }

// place names where something is bought, but for the sample.
func (g *grid) place(s examine.Sample) string {
	if at := spotAt(s); at != spotAt(g.sample) {
		return fmt.Sprintf(" at %s", at)
	}
	return ""
}
