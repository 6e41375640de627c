package foreign

import (
	"strconv"
	"time"
)

// orchardPointsbank is a points bank: points at the monthly close, returns at once.
var orchardPointsbank = Design{
	Name:   "orchard-pointsbank",
	Source: "After Japanese card points (a point per full JPY 200, a point is a yen, annual bonus), from memory; none in particular.",
	Published: "One point for each full JPY 200 of a purchase, three at CONVENIENCE stores; a point is one yen. Besides, purchases of a calendar " +
		"year of JPY 500,000 or more bring 2,000 points, of JPY 1,000,000 or more 5,000 in all. Points are credited at the close on the " +
		"start of the 16th and can be used when their purchase is 30 days old. What is returned counts as never bought, for points and for " +
		"the annual bonus, however late; points owed are set off against later ones. A return without a purchase's name takes three points for each " +
		"JPY 200 begun, as far as there are any, and counts against the annual bonus of its own and of earlier years.",
	How: "A close credits all purchases that came since the last one, in one row, and the annual bonus in another. A refund is " +
		"worked off at once in rows that name the refund alone. Redeemable is the lower of the balance and of what credited purchases of " +
		"30 days and more are worth by themselves.",
	Class:    "robust",
	Currency: "JPY",
	New:      func() Engine { return orchardOpen(orchardBank{orchardZone("Asia/Tokyo")}) },
}

type orchardBank struct{ zone *time.Location }

func (o orchardBank) settled(*orchardBook, *orchardPurchase)    {}
func (o orchardBank) returned(b *orchardBook, r *orchardReturn) { o.level(b, r.id) }
func (o orchardBank) next(t time.Time) time.Time                { return orchardMonthly(o.zone, t, 16) }

// run credits what has come since the last close.
func (o orchardBank) run(b *orchardBook) {
	for _, p := range b.purchases {
		p.granted = true
	}
	o.level(b, "")
}

// value is what the credited purchases up to a time are worth: points, and each year's bonus.
func (o orchardBank) value(b *orchardBook, until time.Time) (points int64, years []int, bonus map[int]int64) {
	loose := b.tally(nil)
	spend := map[int]int64{}
	for _, p := range b.purchases {
		y := p.at.In(o.zone).Year()
		if _, known := spend[y]; !known {
			years = append(years, y)
			spend[y] = 0
		}
		if !p.granted || p.at.After(until) {
			continue
		}
		p.worth = p.left / 200
		if p.category == "CONVENIENCE" {
			p.worth *= 3
		}
		points += p.worth
		spend[y] += p.left
	}
	points -= b.debit(loose, func(r *orchardReturn, _ []*orchardPurchase) int64 { return 3 * orchardUp(r.amount, 200) })
	bonus = map[int]int64{}
	for _, y := range years {
		// Any of these may have been of that year.
		for _, r := range loose {
			if r.at.Add(orchardLate).In(o.zone).Year() >= y {
				spend[y] -= r.amount
			}
		}
		switch {
		case spend[y] >= 1000000:
			bonus[y] = 5000
		case spend[y] >= 500000:
			bonus[y] = 2000
		}
	}
	return points, years, bonus
}

// level brings the rows to the value of everything credited.
func (o orchardBank) level(b *orchardBook, refund string) {
	points, years, bonus := o.value(b, b.now)
	b.level("points", points, "", refund, "points")
	for _, y := range years {
		name := "annual bonus " + strconv.Itoa(y)
		b.level(name, bonus[y], "", refund, name)
	}
}

func (o orchardBank) redeemable(b *orchardBook) int64 {
	ripe, years, bonus := o.value(b, b.now.Add(-30*24*time.Hour))
	for _, y := range years {
		ripe += bonus[y]
	}
	return min(b.sum, ripe) - b.redeemed
}
