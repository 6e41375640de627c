package foreign

import "time"

var garnetLitreDesign = Design{
	Name:   "garnet-litre",
	Source: "after the points cards of Central European fuel stations, with their double-points days (from memory)",
	Published: "20 points for each full 10 zł of a purchase, double on Saturdays; a point is worth 1 grosz. Points can be used at the till at once. If you return " +
		"goods, the points that you got for them are deducted.",
	How: "One row per purchase. A return reckons the purchase's points anew, by what is left of it and by the day on which it was bought, and deducts the " +
		"difference; one without a receipt deducts 40 points for each 10 zł begun. \"Points are not negative\": no more is deducted than there is on " +
		"the card, and what was missing is not kept anywhere.",
	Class: "V3(a)",
	Leak: "The deduction stops at zero. Tyres for 3,000 zł on a weekday: 6,000 points, which pay 60 zł of fuel. Return the tyres: 6,000 points are to be " +
		"deducted, there are none, the card shows 0, and the next tank earns points that can be used at once. 60 zł are kept.",
	Currency: "PLN",
	New: func() Engine {
		return garnetOpenDesk(func(a *garnetAccount) garnetClerk { return &garnetLitre{a: a} })
	},
}

var garnetWarsaw = garnetZone("Europe/Warsaw")

// garnetLitre is a card on which points stand, and never less than none.
type garnetLitre struct{ a *garnetAccount }

// garnetLitreWorth is what is left of a purchase, in points.
func garnetLitreWorth(p *garnetPurchase) int64 {
	points := p.left() / 1000 * 20
	if p.at.In(garnetWarsaw).Weekday() == time.Saturday {
		points *= 2
	}
	return points
}

func (c *garnetLitre) bought(now time.Time, p *garnetPurchase) {
	p.posted = garnetLitreWorth(p)
	c.a.post(Posting{At: now, Kind: Earned, Amount: p.posted, Transaction: p.id, Note: "points"})
}

func (c *garnetLitre) returned(now time.Time, r garnetReturn) {
	row := Posting{At: now, Kind: Reversed, Refund: r.id, Note: "points of a return"}
	deduct := garnetCeil(r.amount, 1000) * 40
	if p := r.purchase; p != nil {
		row.Transaction = p.id
		worth := garnetLitreWorth(p)
		deduct = p.posted - worth
		p.posted = worth
	}
	row.Amount = -min(deduct, c.a.positive()) // the flaw: a debt is forgotten
	c.a.post(row)
}

func (c *garnetLitre) due() time.Time { return time.Time{} }

func (c *garnetLitre) run(time.Time) {}

func (c *garnetLitre) free() int64 { return c.a.positive() }
