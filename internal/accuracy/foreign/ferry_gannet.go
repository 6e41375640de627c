package foreign

import "time"

// ferryGannet treats a refund as a purchase below zero, at the rate of its own day.
var ferryGannet = Design{
	Name:   "ferry-gannet",
	Source: "after Australian rewards credit cards with weekend offers, from memory",
	Published: "1 point for every full A$1 of a purchase, 4 points for every full A$1 of one made on a Saturday or Sunday " +
		"(Sydney). Points are there at once; a point is worth half a cent as account credit. Refunds take back the " +
		"points that the purchase earned.",
	How: "A refund is a negative transaction: it runs through the same rate table as a purchase, by the day on which the " +
		"refund was made, though never at more than its purchase's rate where it names one. Its rows name the refund only. " +
		"Without a purchase's name it is rated by its day and rounded up to the full dollar.",
	Class: "other",
	Leak: "What is bought on a weekend and returned on a working day keeps three quarters of its points. Buy for A$1,000 " +
		"on Saturday, 4,000 points; returned on Tuesday, −1,000: 3,000 points, A$15, for nothing.",
	Currency: "AUD",
	New:      func() Engine { return ferryOpen(ferryGannetPlan{}) },
}

type ferryGannetPlan struct{ ferryPlain }

var ferrySydney = ferryZone("Australia/Sydney")

// rate is points a dollar by the day.
func (ferryGannetPlan) rate(t time.Time) int64 {
	switch t.In(ferrySydney).Weekday() {
	case time.Saturday, time.Sunday:
		return 4
	}
	return 1
}

// bought also lets refunds act that were heard of before their purchase, in place of
// what they had taken without it.
func (p ferryGannetPlan) bought(a *ferryAccount, b *ferryBuy) {
	a.post(Earned, b.amount/100*p.rate(b.at), b.id, "", "points")
	for _, r := range a.backs {
		if r.tx != "" && r.tx == b.id {
			a.post(Adjusted, p.unnamed(r), "", r.id, "refund found its purchase")
			p.named(a, b, r)
		}
	}
}

func (p ferryGannetPlan) returned(a *ferryAccount, r *ferryBack) {
	if b := a.byID[r.tx]; b != nil && r.tx != "" {
		p.named(a, b, r)
	} else {
		a.post(Reversed, -p.unnamed(r), "", r.id, "refund points")
	}
}

func (p ferryGannetPlan) unnamed(r *ferryBack) int64 { return (r.amount + 99) / 100 * p.rate(r.at) }

// named takes the full dollars by which the purchase has become less, so that many
// small refunds take no less than one large one.
func (p ferryGannetPlan) named(a *ferryAccount, b *ferryBuy, r *ferryBack) {
	before := b.left() / 100
	b.take(r)
	dollars := before - b.left()/100
	a.post(Reversed, -dollars*min(p.rate(r.at), p.rate(b.at)), "", r.id, "refund points")
}
