package foreign

import "fmt"

// blindTwins is a chemist's card whose tills send returns more than once.
var blindTwins = Design{
	Name: "blind-twins",
	Source: "Boots Advantage Card and other points cards of British shops (boots.com/advantage-card): points by the full pound, worth a penny each, taken off for what is returned. " +
		"Mine: the categories and how returns are told apart",
	Currency: "GBP",
	Class:    "other",
	Published: "Per full £1 of a purchase: GROCERY and ONLINE 3 points, TRAVEL 1, all else 2; a point is worth a penny. In the balance on clearing, redeemable at once. " +
		"Points of what is returned are taken back at once, at any time, as if it had not been bought; used points are owed. " +
		"A return that names no purchase is of the latest one of that shop, else category, else of all.",
	How: "Points follow what is kept of each purchase, in rows that name it. When a till loses its line it sends a return again under another number, " +
		"and so a second return of the same amount of the same purchase is taken for the first one; without a purchase, one of the same amount at the same shop on the same day is.",
	Leak: "Order three shirts of £30.00 at once: 270 points. Return them one after the other, for £30.00 each: 90 points are taken back, and 180 stay for nothing.",
	New: func() Engine {
		return newBlindDesk(blindRules{
			sole: func(r *blindBack) string {
				if r.of != "" {
					return fmt.Sprint("return of ", r.of, ": ", r.amount)
				}
				return fmt.Sprint("return at ", r.merchant, " on ", r.made.Format("2006-01-02"), ": ", r.amount)
			},
			back: func(b *blindBook, refund string) {
				for _, p := range b.buys {
					b.is("purchase "+p.id, blindTwinsPoints(p), p.id, refund, "points")
				}
			},
		})
	},
}

func blindTwinsPoints(p *blindBuy) int64 {
	pounds := p.kept / 100
	switch p.category {
	case "GROCERY", "ONLINE":
		return 3 * pounds
	case "TRAVEL":
		return pounds
	}
	return 2 * pounds
}
