package foreign

import "time"

// finalPartner is a wallet with partner shops, rates that change on a day, and a limit a year.
var finalPartner = Design{
	Name:     "final-partner",
	Source:   "wallets and shopping cards: partner merchants at a higher rate, rates announced from a date on, least and most per purchase, a limit per year, paid after a return period",
	Currency: "CAD",
	Class:    "robust",
	Published: "Merchants m-32 and m-35 6%; ONLINE 4% for purchases made until 31 October 2023, 2% from 1 November 2023; DINING 2% until then, 3% after; all else 0.5% (days of Vancouver). " +
		"Down to the cent per purchase; nothing under C$3, at most C$25 per purchase and C$160 per calendar year. Granted 45 days after clearing, redeemable then. " +
		"Returns count at once and at any time, as if the purchase had been smaller.",
	How: "Fills each year's limit from what is kept, in the order in which purchases were made, granted or not; books what is 45 days old.",
	New: func() Engine {
		return newFinalDesk(&finalRecalc{grants: partnerGrants, moments: func(_ *finalBook, p *finalBuy) []time.Time {
			return []time.Time{p.cleared.Add(partnerHold)}
		}})
	},
}

var (
	vancouver     = finalZone("America/Vancouver")
	partnerChange = time.Date(2023, time.November, 1, 0, 0, 0, 0, vancouver)
)

const (
	partnerHold  = 45 * finalDay
	partnerLeast = 300
	partnerMost  = 2500
	partnerYear  = 16_000
)

func partnerRate(p *finalBuy) int64 {
	before := p.made.Before(partnerChange)
	switch {
	case p.merchant == "m-32" || p.merchant == "m-35":
		return 600
	case p.category == "ONLINE" && before:
		return 400
	case p.category == "ONLINE", p.category == "DINING" && before:
		return 200
	case p.category == "DINING":
		return 300
	}
	return 50
}

func partnerGrants(b *finalBook) (list []finalGrant) {
	used := make(map[int]int64)
	for _, p := range b.inOrderMade() {
		if p.kept < partnerLeast {
			continue
		}
		year := p.made.In(vancouver).Year()
		reward := min(perTenThousand(p.kept, partnerRate(p)), partnerMost, partnerYear-used[year])
		used[year] += reward
		if !p.cleared.Add(partnerHold).After(b.now) {
			list = append(list, p.reward(reward, "cashback confirmed"))
		}
	}
	return list
}
