package foreign

import "time"

// blindEdelweiss is a coalition's card whose points vest after the return period.
var blindEdelweiss = Design{
	Name: "blind-edelweiss",
	Source: "jö Bonus Club and PAYBACK (joe-club.at, payback.at): a point for each full euro at all partners, coupons for coming often, points that are blocked at first. " +
		"Mine: the sixty days for all, the second step of the year, the bonus of the month, the rule for returns without a purchase",
	Currency: "EUR",
	Class:    "robust",
	Published: "A point, worth a cent, for each full euro of a purchase; of a calendar year's purchases (Vienna; full euros, in the order in which they clear) those beyond €2,000 earn two points a euro. " +
		"150 points for each calendar month in which four purchases or more of at least €15 were made and kept. FUEL earns nothing and counts for nothing. " +
		"Points of a purchase are granted 60 days after it cleared, the bonus once four such purchases of its month have been, redeemable then. " +
		"A return at any time makes its purchase smaller: later ones of the year move down, a bonus is taken back if fewer than four are left; what was used is owed. " +
		"A return that names no purchase is of one of just that amount at that merchant, else the latest there, else so in its category, else so of all.",
	How: "Grants each purchase in a row of its own when it is 60 days old, by what is kept of it then, and each bonus in one; all are brought up to date when a return comes, in rows that name purchase and return.",
	New: func() Engine {
		return newBlindDesk(blindRules{
			rather: func(left int64, p, q *blindBuy) bool {
				if exact := p.kept == left; exact != (q.kept == left) {
					return exact
				}
				return !p.made.Before(q.made)
			},
			back: blindEdelweissWork,
			// After a purchase that is its own day; after a return that day has been noted.
			wake: func(b *blindBook) time.Time { return b.now.Add(blindEdelweissWait) },
			tick: func(b *blindBook) { blindEdelweissWork(b, "") },
		})
	},
}

var blindVienna = blindZone("Europe/Vienna")

const blindEdelweissWait = 60 * 24 * time.Hour

func blindEdelweissWork(b *blindBook, refund string) {
	euros, visits := make(map[string]int64), new(blindTally)
	for _, p := range b.buys {
		if p.category == "FUEL" || p.told.Add(blindEdelweissWait).After(b.now) {
			continue
		}
		made := p.made.In(blindVienna)
		year := made.Format("2006")
		from := euros[year]
		euros[year] += p.kept / 100
		points := p.kept/100 + max(0, euros[year]-2000) - max(0, from-2000)
		b.is("purchase "+p.id, points, p.id, refund, "points")
		if p.kept >= 1500 {
			visits.add(made.Format("January 2006"), 1)
		} else {
			visits.add(made.Format("January 2006"), 0)
		}
	}
	for _, month := range visits.names {
		bonus := int64(0)
		if visits.sums[month] >= 4 {
			bonus = 150
		}
		b.is("bonus "+month, bonus, "", refund, "bonus of "+month)
	}
}
