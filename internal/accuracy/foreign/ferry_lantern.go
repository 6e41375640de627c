package foreign

import "time"

// ferryLantern gives at once and takes with the statement, without a hold in between.
var ferryLantern = Design{
	Name: "ferry-lantern",
	Source: "after Swiss cashback cards with a higher rate from a yearly turnover on, from memory; the paper's Case III-B " +
		"(Issuer F)",
	Published: "1 % of every full franc of a purchase, 2 % of what goes beyond CHF 4,000 of purchases in a calendar year " +
		"(Zurich). Credited when a purchase clears and redeemable at once. Returned purchases are set off with the " +
		"statement of the 5th; a negative balance is carried forward.",
	How: "Purchases post a row each, without names. Returns are collected; the statement reckons the year anew with them " +
		"and posts one row for all. Until then they touch neither the balance nor what can be redeemed. The negative " +
		"balance stays for as long as it takes.",
	Class: "V3(b)",
	Leak: "Redeem between the return and the statement. Buy for CHF 3,000 on the 6th, return it on the 10th, redeem the " +
		"CHF 30.00 that are still shown on the 11th, then put the card away: the −CHF 30.00 of the 5th is never repaid.",
	Currency: "CHF",
	New:      func() Engine { return ferryOpen(ferryLanternPlan{}) },
}

type ferryLanternPlan struct{ ferryPlain }

var ferryZurich = ferryZone("Europe/Zurich")

const ferryLanternStep = 400000

func (ferryLanternPlan) next(t time.Time) time.Time { return ferryCloseOn(5, ferryZurich, t) }

func ferryLanternWorth(sum int64) int64 { return (sum + max(0, sum-ferryLanternStep)) / 100 }

func ferryLanternFrancs(left int64) int64 { return left / 100 * 100 }

func (ferryLanternPlan) parts(a *ferryAccount, b *ferryBuy) []ferryPart {
	return []ferryPart{{in: a.bucket(ferryYear(b.at, ferryZurich), ferryLanternWorth), counts: ferryLanternFrancs}}
}

// bought reckons with the returns that have been on a statement only.
func (ferryLanternPlan) bought(a *ferryAccount, b *ferryBuy) {
	var booked []*ferryBack
	for _, r := range a.backs {
		if r.booked {
			booked = append(booked, r)
		}
	}
	ferryMatch(a, a.buys, booked)
	_, total := ferryShares(a.buys)
	a.post(ferryLanternKind(total-a.posted), total-a.posted, "", "", "cashback "+b.merchant)
}

func (ferryLanternPlan) closed(a *ferryAccount) {
	for _, r := range a.backs {
		r.booked = true
	}
	ferryMatch(a, a.buys, a.backs)
	_, total := ferryShares(a.buys)
	a.post(ferryLanternKind(total-a.posted), total-a.posted, "", "", "returns of this statement")
}

func ferryLanternKind(d int64) Kind {
	if d < 0 {
		return Reversed
	}
	return Earned
}
