package foreign

import (
	"sort"
	"time"
)

// A program that keeps no reward of a purchase at all. It knows the net spend of a
// calendar year, works the whole year out anew whenever something of it changes, and
// issues one certificate for it in the spring of the next.

const (
	latestDCertEatsBP   = 200     // restaurants, up to the limit
	latestDCertEatsCap  = 200_000 // 2,000.00 of restaurants a year
	latestDCertLowBP    = 25      // the first slice of the rest
	latestDCertLowSlice = 300_000 // 3,000.00
	latestDCertHighBP   = 100     // the rest of the rest
)

type latestDCertAccount struct {
	latestDFile
	entered map[int]int64 // what has been entered for a year, issued years only
	issued  map[int]bool
}

// latestDCertDay is when the certificate of a year is issued.
func latestDCertDay(year int) time.Time {
	return time.Date(year+1, time.March, 1, 0, 0, 0, 0, time.UTC)
}

// worth works out a year from its net purchases. Nothing in it depends on the order in
// which they were made, so a return leaves what would be without the purchase.
func (a *latestDCertAccount) worth(year int) int64 {
	var eats, rest int64
	for _, s := range a.order {
		if s.at.Year() != year {
			continue
		}
		if latestDEats(s.mcc) {
			eats += s.net()
		} else {
			rest += s.net()
		}
	}
	dear := min(eats, latestDCertEatsCap)
	rest += eats - dear
	low := min(rest, latestDCertLowSlice)
	return (dear*latestDCertEatsBP + low*latestDCertLowBP + (rest-low)*latestDCertHighBP) / 10_000
}

// bring brings the entries of an issued year to its worth.
func (a *latestDCertAccount) bring(year int, at time.Time, transaction, refund, note string) {
	worth := a.worth(year)
	p := Posting{At: at, Kind: Earned, Amount: worth - a.entered[year],
		Transaction: transaction, Refund: refund, Note: note}
	if p.Amount < 0 {
		p.Kind = Reversed
	}
	a.post(p)
	a.entered[year] = worth
}

func (a *latestDCertAccount) due(now time.Time) {
	var years []int
	for _, s := range a.order {
		y := s.at.Year()
		if !a.issued[y] && !now.Before(latestDCertDay(y)) {
			a.issued[y] = true
			years = append(years, y)
		}
	}
	sort.Ints(years)
	for _, y := range years {
		a.bring(y, latestDCertDay(y), "", "", "annual certificate")
	}
}

func (a *latestDCertAccount) booked(now time.Time, s *latestDSale) {
	y := s.at.Year()
	if now.Before(latestDCertDay(y)) {
		return
	}
	// The certificate of that year is out already, so this is a supplement to it.
	a.issued[y] = true
	a.bring(y, now, s.id, "", "supplement to a certificate")
}

func (a *latestDCertAccount) taken(now time.Time, s *latestDSale, _ int64, ref string, _ bool) {
	if y := s.at.Year(); a.issued[y] {
		a.bring(y, now, s.id, ref, "certificate worked out anew")
	}
}

func latestDCertDesign() Design {
	return Design{
		Name: "latest-year-certificate",
		Source: "Costco Anywhere Visa (Citi, citi.com: one certificate a year with the February statement, purchases \"minus returns and refunds\", yearly limit); " +
			"slices of the year as in Discover's old tiers and prove.com's glossary of tiered rewards",
		Published: "For a calendar year you get 2% on your first 2,000.00 of net purchases at restaurants (MCC 5811 to 5814), and on all other net purchases, " +
			"with restaurants beyond that limit, 0.25% on the first 3,000.00 and 1% on everything above. Net purchases are purchases less returns and disputed amounts; " +
			"a return counts against the year of its purchase. The sum of a year is rounded down to a cent. It is credited once, on 1 March of the following year, and can be " +
			"redeemed from then on; until then your balance does not show it. If something is returned after that, the year is worked out anew at once and the difference taken " +
			"from your balance, which may go below zero; new certificates make up for that first. A refund that names no purchase counts against your latest purchases at that merchant, " +
			"otherwise in the same kind of shop, otherwise your latest.",
		How: "Nothing is kept for a purchase. The worth of a year is a function of its net purchases by date of purchase; on 1 March it is entered, and from then on " +
			"whenever a purchase or return of that year comes in, the difference to what was entered. So a return takes off at the margin of the year: what the year is worth without it.",
		Class:    "robust",
		Currency: "USD",
		New: func() Engine {
			return latestDNewDesk(func(f latestDFile) latestDAccount {
				return &latestDCertAccount{latestDFile: f, entered: map[int]int64{}, issued: map[int]bool{}}
			})
		},
	}
}
