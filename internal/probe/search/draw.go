package search

import (
	"math/rand/v2"
	"slices"

	"recoup/internal/scenario"
	"recoup/reward"
)

// chance draws courses.
type chance struct {
	*world
	*rand.Rand
	course   course
	facts    map[scenario.Kind]int
	bought   []int // facts
	promised []int // purchases that were refunded before they were made
}

// draw makes a course of up to so many moves. What matters for rewards is more
// likely than what does not: returns, caps, closes.
func (w *world) draw(r *rand.Rand, most int) *course {
	d := &chance{world: w, Rand: r, facts: map[scenario.Kind]int{}}
	d.course.start = d.weighted(6, 2)
	moves := 2 + d.IntN(max(1, most-1))
	d.buy()
	for len(d.course.moves) < moves {
		d.move()
	}
	for _, fact := range d.promised {
		d.add(d.purchase(fact))
	}
	// A course takes no longer than a refund can be matched.
	for months := 0; d.course.monthsOf() > 12+closesAfter && months < len(d.course.moves); months++ {
		d.course.moves[months].gap = gap{}
	}
	return &d.course
}

// weighted returns an index, each as likely as its weight says.
func (d *chance) weighted(weights ...int) int {
	sum := 0
	for _, w := range weights {
		sum += w
	}
	n := d.IntN(sum)
	for i, w := range weights {
		if n -= w; n < 0 {
			return i
		}
	}
	panic("search: no weights")
}

func (d *chance) fact(k scenario.Kind) int {
	d.facts[k]++
	return d.facts[k]
}

func (d *chance) add(m move) { d.course.moves = append(d.course.moves, m) }

func (d *chance) move() {
	chargebacks := 0
	if d.can.Chargebacks {
		chargebacks = 8
	}
	switch d.weighted(16, 26, chargebacks, 18, 10, 5) {
	case 0:
		d.buy()
	case 1:
		d.add(d.reversal(scenario.Refund))
	case 2:
		d.add(d.reversal(scenario.Chargeback))
	case 3:
		d.add(move{kind: scenario.Redeem, fact: d.fact(scenario.Redeem), gap: d.gap(), ask: ask{what: asked(d.weighted(8, 4, 3, 1, 2))}})
	case 4:
		m := d.course.moves[d.IntN(len(d.course.moves))]
		m.gap = d.gap()
		d.add(m)
	case 5:
		fact := d.fact(scenario.Settle)
		d.promised = append(d.promised, fact)
		m := d.reversal(scenario.Refund)
		m.of, m.unlinked, m.silent = fact, false, false
		d.add(m)
	}
	if len(d.promised) > 0 && d.IntN(2) == 0 {
		d.add(d.purchase(d.promised[0]))
		d.promised = d.promised[1:]
	}
}

func (d *chance) buy() {
	d.add(d.purchase(d.fact(scenario.Settle)))
}

func (d *chance) purchase(fact int) move {
	d.bought = append(d.bought, fact)
	place := min(d.weighted(14, 5, 1), len(d.places)-1)
	return move{kind: scenario.Settle, fact: fact, gap: d.gap(), place: place, shop: d.weighted(4, 1), amount: d.amount(&d.places[place])}
}

// amount is a price: round, odd, small, or what the cap makes of it.
func (d *chance) amount(at *place) int64 {
	round := d.round
	prices := []int64{round, round, round, round / 3, round - 1, round / 10, 2 * round, 3*round + round/7, 20 * round, d.unit, 1 + d.Int64N(5*round)}
	if fills := at.fills(); fills > 1 && fills < reward.MaxAmount/1000 {
		prices = append(prices, fills, fills, fills-1, fills+1, fills/2+1, fills*3/4, 2*fills, 3*fills)
	}
	return max(1, prices[d.IntN(len(prices))])
}

// reversal is of a purchase that there was, mostly of the latest ones.
func (d *chance) reversal(k scenario.Kind) move {
	i := len(d.bought) - 1 - d.weighted(6, 3, 1)
	m := move{kind: k, fact: d.fact(k), gap: d.gap(), of: d.bought[max(0, i)]}
	if k == scenario.Refund && (d.can.UnlinkedRefunds == nil || *d.can.UnlinkedRefunds) {
		m.unlinked = d.IntN(6) == 0
		m.silent = m.unlinked && d.IntN(5) == 0
	}
	shares := []share{whole, whole, whole, rest, {21, 20}, {2, 1}}
	if d.can.PartialRefunds {
		shares = append(shares, rest, share{1, 2}, share{1, 2}, share{1, 3}, share{3, 5}, share{9, 10})
	} else {
		shares[3] = whole
	}
	m.share = shares[d.IntN(len(shares))]
	if d.can.PartialRefunds && d.reversed(m.of) && d.IntN(2) == 0 {
		m.share = rest
	}
	return m
}

// reversed reports whether something of a purchase went back already.
func (d *chance) reversed(fact int) bool {
	return slices.ContainsFunc(d.course.moves, func(m move) bool { return m.reverses() && m.of == fact })
}

func (d *chance) gap() gap {
	switch d.weighted(10, 6, 2, 5, 2) {
	case 1:
		return gap{days: []int{1, 3, 10, 16, 35}[d.IntN(5)]}
	case 2:
		return gap{last: true}
	case 3:
		return gap{months: 1}
	case 4:
		return gap{months: 1 + d.IntN(3), days: d.IntN(20)}
	}
	return gap{}
}
