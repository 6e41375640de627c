package foreign

import "time"

// nectarForecourt is a fuel club: provisional rows at the pump, a true-up each month.
type nectarForecourt struct{}

var nectarForecourtZone = nectarZone("Australia/Sydney")

var nectarForecourtDesign = Design{
	Name:   "nectar-forecourt",
	Source: "After the public rules of Australian fuel and shop clubs with volume bands (Shell Go+, Everyday Rewards at fuel partners); from memory.",
	Published: "FUEL purchases of $20 or more earn 1%; if they come to $300 in a calendar month all of them earn 3%, from $600 4%. Everything else earns 0.5%, up to $8 in a month. " +
		"$5 as a welcome with your first fill of $20 or more. 1% on fuel and 0.5% on the rest are credited at once, the rest is settled on the 5th of the next month. " +
		"Credit can be redeemed when the purchase is 7 days old. What is returned earns nothing and does not count for the bands. The help desk may credit or correct by hand.",
	How: "At once a provisional row that names the purchase: 1% of fuel, 0.5% of the rest whatever the limit. On the 5th a row without a name trues each month up or down, months long past included. " +
		"A return takes provisional credit at once in a row that names the return alone; bands, limit and welcome follow on the 5th as adjustments, and until then cannot be redeemed. " +
		"Returns without a purchase cost at once, in an adjustment, the most that they can.",
	Class:    "robust",
	Currency: "AUD",
	New:      nectarNew(nectarForecourt{}),
}

func (nectarForecourt) gestures(n uint32) []nectarGesture {
	switch n % 3 {
	case 0:
		return []nectarGesture{{30, 1000, "Goodwill: pump out of order"}}
	case 1:
		return []nectarGesture{{75, -350, "Manual correction, case closed"}, {140, 350, "Manual correction, case closed"}, {333, 500, "Goodwill"}}
	}
	return nil
}

func (nectarForecourt) next(after time.Time) time.Time {
	return nectarMonthly(after, nectarForecourtZone, 5, 5)
}

// fuel is what of a purchase counts as fuel.
func (nectarForecourt) fuel(p *nectarPurchase) int64 {
	if p.category != "FUEL" || p.left() < 2000 {
		return 0
	}
	return p.left()
}

// provisional is what a purchase is credited with at once.
func (s nectarForecourt) provisional(p *nectarPurchase) int64 {
	if p.category == "FUEL" {
		return s.fuel(p) / 100
	}
	return p.left() / 200
}

// band is the percentage that a month's fuel earns.
func (nectarForecourt) band(fuel int64) int64 {
	switch {
	case fuel >= 60000:
		return 4
	case fuel >= 30000:
		return 3
	}
	return 1
}

// months is what each month is worth, and the welcome (0), if so much of every month's fuel were back.
func (s nectarForecourt) months(v nectarView, back int64) map[int]int64 {
	fuel, shop, worth := map[int]int64{}, map[int]int64{}, map[int]int64{}
	toVoid := int64(0)
	for _, p := range v.purchases {
		m := nectarMonth(p.at, nectarForecourtZone)
		fuel[m] += s.fuel(p)
		if p.category != "FUEL" {
			shop[m] += p.left() / 200
		}
		if q := s.fuel(p); q > 0 {
			toVoid += q - 1999
		}
	}
	for _, p := range v.purchases {
		m := nectarMonth(p.at, nectarForecourtZone)
		worth[m] += s.fuel(p) * s.band(fuel[m]-back) / 100
	}
	for m, w := range shop {
		worth[m] += min(800, w)
	}
	worth[0] = 0
	if toVoid > back {
		worth[0] = 500
	}
	return worth
}
