package foreign

import (
	"fmt"
	"time"
)

// finalAnnual is a card that pays once a year, by brackets of the year's spending.
var finalAnnual = Design{
	Name:     "final-annual",
	Source:   "cards that pay cashback once a year by the year's turnover, in brackets; section 4.3, V2",
	Currency: "CHF",
	Class:    "V2",
	Published: "Of what is spent in a calendar year (Zurich, by clearing): up to CHF 3,000 0.25%, from there to CHF 10,000 0.75%, above 1.5%; down to full 5 centimes, once for the year. " +
		"Granted at 00:00 of 1 February of the next year, redeemable then. Returns count in the year of their purchase; those told of after that day correct the year at once.",
	How: "A year's turnover follows every return until 1 February, so that presents which go back in January are out. " +
		"Then the year's statement is sent, and a year that was sent is never worked out again.",
	Leak: "Spend CHF 12,000 in November, of it CHF 9,000 at a shop that takes things back for 100 days: CHF 90.00 is granted on 1 February. Send the CHF 9,000 back on 3 February: it would be CHF 7.50, and CHF 90.00 stays.",
	New: func() Engine {
		return newFinalDesk(&finalRecalc{grants: annualGrants, newest: true, moments: func(b *finalBook, _ *finalBuy) []time.Time {
			return []time.Time{annualDay(b.now.In(zurich).Year())}
		}})
	},
}

var zurich = finalZone("Europe/Zurich")

var annualBrackets = []struct{ from, rate int64 }{{0, 25}, {300_000, 75}, {1_000_000, 150}}

// annualDay is when a year's cashback is granted.
func annualDay(year int) time.Time {
	return time.Date(year+1, time.February, 1, 0, 0, 0, 0, zurich).UTC()
}

func annualGrants(b *finalBook) (list []finalGrant) {
	turnover := make(map[int]int64)
	var years []int
	for _, p := range b.buys {
		year := p.cleared.In(zurich).Year()
		if _, there := turnover[year]; !there {
			years = append(years, year)
		}
		turnover[year] += p.kept
	}
	for _, year := range years {
		if annualDay(year).After(b.now) {
			continue
		}
		g := finalGrant{key: fmt.Sprint("year ", year), note: fmt.Sprint("cashback of ", year)}
		if sent, was := b.booked[g.key]; was {
			g.amount = sent // it is in the customer's hands
		} else {
			g.amount = annualCashback(turnover[year])
		}
		list = append(list, g)
	}
	return list
}

// annualCashback is what a year's turnover earns.
func annualCashback(turnover int64) int64 {
	parts := int64(0)
	for i, step := range annualBrackets {
		to := turnover
		if i+1 < len(annualBrackets) {
			to = min(to, annualBrackets[i+1].from)
		}
		parts += max(0, to-step.from) * step.rate
	}
	return parts / 50_000 * 5
}
