package probe

import (
	"fmt"
	"time"

	"recoup/internal/flaw"
	"recoup/internal/lab/examine"
	"recoup/internal/scenario"
)

// Axis is one thing in which returns differ.
type Axis string

// The axes of the sweep.
const (
	ByAge        Axis = "age of the refund"
	ByAgeOfLarge Axis = "age of the refund of a large purchase"
	ByDebt       Axis = "age of the refund, after redeeming"
	BySize       Axis = "size of the refund"
	ByParts      Axis = "number of parts"
	ByPrice      Axis = "price and number of purchases"
	ByChannel    Axis = "channel"
	ByPlace      Axis = "category"
	ByPosition   Axis = "day of the month"
	ByAccount    Axis = "age of the account"
	ByNeighbours Axis = "purchases before and after"
	ByOrder      Axis = "order of delivery"
	ByDelay      Axis = "delivery of the refund after its date"
	ByRedelivery Axis = "second deliveries"
	ByAuthorized Axis = "what was authorised before"
)

// sweepCase is one history of the sweep, and its twin that never bought what was
// returned.
type sweepCase struct {
	axis  Axis
	level string
	days  int // of the axes of age: those from the purchase to its return
	// flaw is what a leak here is called if it is found here and not in plain refunds.
	flaw flaw.Code
	// aside: not the plain case of its axis. Redeemed long before the return, or the debt
	// repaid by a purchase that is returned, too; or many purchases, each on a day of its own.
	aside bool
	// offset is the axis of the plain whole refund that it is, if on the day of that or shortly
	// before as much is bought and kept, whose reward can pay for what is taken.
	offset  Axis
	partial bool // something of the purchase is kept, so that rounding may differ by its share
	h, twin *history
	leak    int64 // above what the twin has; below zero: the customer has too little
}

// grid makes the cases of the sweep.
type grid struct {
	can    *Capabilities
	sample examine.Sample
	places []examine.Sample // that earn by another rate than the sample's
	alike  []examine.Sample // the others that earn
	// times is how often the sample has to be bought, a day after each other, to earn
	// anything: once, but where stamps are collected.
	times int
	still bool // time does not pass
	cases []*sweepCase
}

// ages are those of refunds, in days: in the first month no three without one between, since
// what is told to another system once a week forgets returns for days; then around the ends of
// return windows, of quarters and of years.
var ages = []int{0, 1, 3, 5, 7, 10, 12, 14, 16, 18, 20, 22, 24, 25, 27, 29, 31, 40, 41, 45, 60, 62, 72, 80, 89, 91, 97, 100, 103, 110, 119, 134, 150, 165, 179, 181, 200, 220, 240, 260, 280, 300, 320, 345, 364, 366, 382, 400}

// withinAndAfter are the days after a purchase on which it is returned where the age is
// not the question: in its own month and in the next.
func (g *grid) withinAndAfter() []int {
	if g.still {
		return []int{0}
	}
	return []int{10, 40}
}

func (g *grid) returned(axis Axis, days int, s examine.Sample, level string, args ...any) *sweepCase {
	d := g.draft()
	d.buyAll(s)
	d.returnAll(days, s)
	return g.put(axis, days, "", d, level, args...)
}

// fill makes all cases. Where a single purchase earns nothing only their return as a whole
// is tried.
func (g *grid) fill(quick bool) {
	g.byAge()
	if g.times > 1 {
		return
	}
	g.bySize()
	g.byPartialDebt()
	g.byParts()
	g.byChannel()
	g.byOrder()
	g.byAuthorized()
	g.bySmallPrice()
	if quick {
		return
	}
	g.byPrice()
	g.byLevel()
	g.byPlace()
	g.byPosition()
	g.byNeighbours()
}

func (g *grid) byAge() {
	list := ages
	if g.still {
		list = ages[:1]
	}
	for _, days := range list {
		g.returned(ByAge, days, g.sample, "whole, after %d days", days)
	}
	if g.still {
		return
	}
	g.offset(ByAge, g.sample, 40, 100)
	g.offset(ByAgeOfLarge, sampled(g.sample).of(large*g.sample.Amount), 40, 100)
	for _, days := range []int{5, 25, 40, 100, 200, 366} {
		for _, times := range []int64{1, large} { // a program may ask for a minimum to be redeemed
			d := g.draft()
			s := sampled(g.sample).of(times * g.sample.Amount)
			d.buyAll(s)
			d.redeem(g.times - 1 + days)
			d.returnAll(days, s)
			g.put(ByDebt, days, flaw.CodeOf(flaw.V3a), d, "%d times the price, redeemed then, whole, after %d days", times, days)
			if early := days / 2; early >= 20 {
				// What is long used up may be forgotten with its purchase, whereby its return is late.
				d := g.draft()
				d.buyAll(s)
				d.redeem(g.times - 1 + early)
				d.returnAll(days, s)
				g.put(ByDebt, days, flaw.CodeOf(flaw.V2), d, "%d times the price, redeemed after %d days, whole, after %d days", times, early, days).aside = true
			}
			if days <= 40 {
				g.debtRepaid(s, days)
			}
			if times == large {
				g.returned(ByAgeOfLarge, days, s, "%d times the price, whole, after %d days", times, days)
			}
		}
	}
}

// offset returns purchases when as much is bought and kept, on the day or nine days before: who
// has no memory of debts takes back what the same statement earns or what there is, and whoever
// ignores late returns does not.
func (g *grid) offset(of Axis, s examine.Sample, ages ...int) {
	if g.times > 1 {
		return
	}
	for _, days := range ages {
		for _, before := range []int{0, 9} {
			d := g.draft()
			d.buy(0, "t", s)
			d.buy(days-before, "k", s)
			d.refund(days, "r", "t", s.Amount)
			g.put(ByNeighbours, days, "", d, "%d, whole, after %d days, and as much bought and kept %d days before", s.Amount, days, before).offset = of
		}
	}
}

// debtRepaid returns what was redeemed, repays the debt by buying again, and returns that,
// too: what it repaid is owed again.
func (g *grid) debtRepaid(s examine.Sample, days int) {
	d := g.draft()
	last := g.times - 1
	d.buyAll(s)
	d.redeem(last + days)
	d.returnAll(days, s)
	for i := range g.times {
		d.buy(last+days+1+i, fmt.Sprintf("again%d", i+1), s)
	}
	for i := range g.times {
		d.refund(2*last+days+11, fmt.Sprintf("back%d", i+1), fmt.Sprintf("again%d", i+1), s.Amount)
	}
	g.put(ByDebt, days, flaw.CodeOf(flaw.V3a), d, "%d, redeemed and returned after %d days, and as much that repaid the debt returned as well", s.Amount, days).aside = true
}

// large is how many times the price a large purchase is.
const large = 20

func (g *grid) bySize() {
	if !g.can.PartialRefunds {
		return
	}
	p := g.sample.Amount
	for _, days := range g.withinAndAfter() {
		for _, amount := range []int64{1, p / 100, p / 20, p / 10, p / 4, p / 2, p * 9 / 10, p - 1, p + p/20, 2 * p} {
			d := g.draft()
			d.buy(0, "t", g.sample)
			d.refund(days, "r", "t", amount)
			code := flaw.PartsIgnored
			if amount > p {
				code = flaw.G2
			}
			g.put(BySize, days, code, d, "%d of %d, after %d days", amount, p, days).partial = amount < p
		}
	}
	if g.still {
		return
	}
	d := g.draft()
	d.from = d.from.AddDate(0, 1, 0) // for what depends on the month
	d.buy(0, "t", g.sample)
	d.refund(40, "r", "t", p*4/10)
	g.put(BySize, 40, flaw.PartsIgnored, d, "two fifths, after 40 days, bought a month later").partial = true
}

// byParts returns all of a purchase in parts that divide no rate evenly.
func (g *grid) byParts() {
	if !g.can.PartialRefunds {
		return
	}
	p := g.sample.Amount
	for _, days := range g.withinAndAfter() {
		for _, n := range []int{2, 3, 5, 10, 20, 50} {
			d := g.draft()
			d.buy(0, "t", g.sample)
			left := p
			for i := range n {
				part := max(1, p/int64(n)-1)
				if i == n-1 || part > left {
					part = left
				}
				if left > 0 {
					d.refund(days, fmt.Sprintf("r%d", i+1), "t", part)
				}
				left -= part
			}
			g.put(ByParts, days, flaw.Compounding, d, "%d parts, after %d days", n, days)
		}
		d := g.draft()
		d.buy(0, "t", g.sample)
		d.refund(days, "r1", "t", 1)
		d.refund(days, "r2", "t", p-1)
		g.put(ByParts, days, "", d, "a single minor unit and then the rest, after %d days", days)
	}
	if g.still {
		return
	}
	d := g.draft()
	d.buy(0, "t", g.sample)
	d.refund(10, "r1", "t", p*4/10)
	d.refund(40, "r2", "t", p-p*4/10)
	g.put(ByParts, 40, flaw.G1, d, "two fifths before the close and the rest after it")
	d = g.draft()
	d.buy(0, "t", g.sample)
	for i := range 4 {
		d.refund(10+31*i, fmt.Sprintf("r%d", i+1), "t", p/4+int64(i/3)*(p%4))
	}
	g.put(ByParts, 103, flaw.G1, d, "a quarter in each of four months")
	d = g.draft()
	d.buy(0, "t", g.sample)
	d.refund(10, "r1", "t", p*6/10)
	d.refund(40, "r2", "t", p)
	g.put(ByParts, 40, flaw.G2, d, "three fifths, and then the whole price")
}

func (g *grid) byChannel() {
	s := g.sample
	really := []scenario.Part{{Purchase: "t", Amount: s.Amount}}
	list := g.withinAndAfter()
	if !g.still { // disputes take months, and so does money whose receipt is lost
		list = append(list, 75, 130)
	}
	for _, days := range list {
		for _, c := range []struct {
			name string
			code flaw.Code
			move scenario.Move
			can  bool
		}{
			{"a chargeback of the price", flaw.G9, scenario.Move{Kind: scenario.Chargeback, ID: "c", Of: "t", Amount: s.Amount}, g.can.Chargebacks},
			{"a chargeback without an amount", flaw.G9, scenario.Move{Kind: scenario.Chargeback, ID: "c", Of: "t", Really: really}, g.can.Chargebacks && g.can.WholeChargebacks},
			{"a refund that names merchant and category alone", flaw.UnlinkedIgnored, scenario.Move{Kind: scenario.Refund, ID: "r", Amount: s.Amount, Merchant: s.Merchant, Category: s.Category, MCC: s.MCC, Really: really}, g.can.unlinked()},
		} {
			if !c.can {
				continue
			}
			d := g.draft()
			d.buy(0, "t", s)
			d.add(d.at(days), c.move)
			g.put(ByChannel, days, c.code, d, "%s, after %d days", c.name, days)
		}
		if g.can.Chargebacks && g.can.PartialRefunds && days <= 40 {
			d := g.draft()
			d.buy(0, "t", s)
			d.refund(days, "r", "t", s.Amount*4/10)
			d.add(d.at(days+1), scenario.Move{Kind: scenario.Chargeback, ID: "c", Of: "t", Amount: s.Amount - s.Amount*4/10})
			if !g.still {
				g.put(ByChannel, days, flaw.G9, d, "two fifths as a refund and the rest as a chargeback, after %d days", days)
			}
		}
	}
}

// byOrder delivers facts early, and twice.
func (g *grid) byOrder() {
	p := g.sample.Amount
	d := g.draft()
	d.refund(0, "r", "t", p)
	d.buy(0, "t", g.sample)
	g.put(ByOrder, 0, flaw.G3, d, "the refund arrives before the purchase")
	g.delayed()
	for _, days := range g.withinAndAfter() {
		d = g.draft()
		d.buy(0, "t", g.sample)
		d.again(0, "t")
		d.refund(days, "r", "t", p)
		g.put(ByRedelivery, days, flaw.G4, d, "the purchase is delivered twice and returned after %d days", days)
		if g.can.PartialRefunds {
			d = g.draft()
			d.buy(0, "t", g.sample)
			d.refund(days, "r", "t", p*4/10)
			d.again(days, "r")
			g.put(ByRedelivery, days, flaw.G5, d, "a refund of two fifths after %d days is delivered twice", days).partial = true
		}
	}
}

// delayed delivers refunds later than they are dated, when a close has been between.
func (g *grid) delayed() {
	if g.still || !g.can.Dates {
		return
	}
	for _, days := range [][2]int{{26, 29}, {20, 40}, {10, 70}} {
		d := g.draft()
		d.buy(0, "t", g.sample)
		d.add(d.at(days[1]), scenario.Move{Kind: scenario.Refund, ID: "r", Of: "t", Amount: g.sample.Amount, Merchant: g.sample.Merchant, Happened: d.from.AddDate(0, 0, days[0])})
		g.put(ByDelay, days[1], "", d, "returned after %d days, of which is heard after %d", days[0], days[1])
	}
}

// byPosition buys and returns at the beginning and the end of a month, and on all of its
// days, and buys in old accounts.
func (g *grid) byPosition() {
	if g.still {
		return
	}
	for _, day := range []int{1, 15, 31} {
		for _, days := range []int{1, 29, 30} {
			d := g.draft()
			d.from = time.Date(examinedFrom, time.January, day, 10, 0, 0, 0, time.UTC)
			d.buy(0, "t", g.sample)
			d.refund(days, "r", "t", g.sample.Amount)
			g.put(ByPosition, days, "", d, "bought on the %d., returned after %d days", day, days)
		}
	}
	const month = 31
	for _, c := range []struct {
		bought int // days between two purchases
		days   int // from the month's first to the first return
		level  string
	}{
		{0, 0, "31 bought on the first of a month, one returned on each of its days"},
		{1, 59, "one bought on each day of January, and returned on the same day of March"},
	} {
		d := g.draft()
		d.from = time.Date(examinedFrom, time.January, 1, 10, 0, 0, 0, time.UTC)
		for i := range month {
			d.buy(c.bought*i, fmt.Sprintf("t%d", i+1), g.sample)
		}
		for i := range month {
			d.refund(c.days+i, fmt.Sprintf("r%d", i+1), fmt.Sprintf("t%d", i+1), g.sample.Amount)
		}
		g.put(ByPosition, c.days, "", d, "%s", c.level).aside = true
	}
	for _, old := range []int{100, 370, 800} {
		for _, days := range []int{10, 40} {
			d := g.draft()
			d.add(d.at(0), scenario.Move{Kind: scenario.Wait})
			d.buy(old, "t", g.sample)
			d.refund(old+days, "r", "t", g.sample.Amount)
			g.put(ByAccount, days, "", d, "an account of %d days, returned after %d days", old, days)
		}
	}
}

func spotAt(s examine.Sample) Spot {
	return Spot{Merchant: s.Merchant, MCC: s.MCC, Category: s.Category}
}
