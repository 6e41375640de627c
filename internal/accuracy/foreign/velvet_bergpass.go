package foreign

import (
	"sort"
	"strconv"
	"time"
)

var velvetBergpass = Design{
	Name: "velvet-bergpass",
	Source: "after Swiss and warehouse-club cards with a yearly bonus by the year's turnover (Coop Supercard, Cumulus, Costco's " +
		"annual certificate), as their public rules say, from memory",
	Published: "A bonus on everything bought in a calendar year (Zurich): 0.4 %, from CHF 4,000 a year 0.7 %, from CHF 10,000 a year " +
		"1 %, on all of the year. It is paid by itself on the following 31 January, if CHF 5 or more is due; nothing is " +
		"paid on request. A return counts in the year of its purchase whenever it comes. If it is one of a year that " +
		"was paid, what was paid too much is owed and set off against the next payments. A return that names no purchase " +
		"counts against each year in which it may have been bought.",
	How: "Whatever happens to a year, the ledger cancels the year's bonus whole and books it anew: two rows a fact, both with " +
		"the name of the purchase or of the refund that was the reason. On 31 January a row of kind paid takes out what stands of " +
		"the years before. The balance is what has been earned and not paid; redemptions are always refused.",
	Class:    "robust",
	Currency: "CHF",
	New:      velvetNew(func(a *velvetAccount) velvetProgram { return &velvetBergpassBooks{a: a, years: map[int]int64{}} }),
}

var velvetZurich = velvetZone("Europe/Zurich")

// velvetBergpassBooks has one figure for each year, and what has been paid of all.
type velvetBergpassBooks struct {
	a     *velvetAccount
	years map[int]int64
}

func (b *velvetBergpassBooks) redeemable(int64) int64 { return 0 }

func (b *velvetBergpassBooks) bought(p *velvetPurchase) {
	p.begin = time.Date(p.at.In(velvetZurich).Year(), 1, 1, 0, 0, 0, 0, velvetZurich)
	b.level(p.id, "")
}

func (b *velvetBergpassBooks) returned(r *velvetReturn) {
	b.a.count(r)
	b.level("", r.id)
}

func velvetBergpassYear(p *velvetPurchase) int { return p.begin.Year() }

func (b *velvetBergpassBooks) next(after time.Time) time.Time {
	year := after.In(velvetZurich).Year()
	for {
		at := time.Date(year, 1, 31, 0, 0, 0, 0, velvetZurich)
		if at.After(after) {
			return at
		}
		year++
	}
}

// run pays out what the years that are over have brought and no earlier payment took. All
// that unnamed returns cost is left aside, of whatever year it is.
func (b *velvetBergpassBooks) run(at time.Time) {
	due := -b.a.paid
	for year, bonus := range b.years {
		if year < at.In(velvetZurich).Year() {
			due += bonus
		}
	}
	for _, r := range b.a.unnamed {
		due -= r.booked
	}
	if due = min(due, b.a.balance()); due >= 500 {
		b.a.book(Paid, -due, "", "", "bonus transferred")
		b.a.paid += due
	}
}

// velvetBergpassRate is the rate on all of a year in which so much was bought.
func velvetBergpassRate(turnover int64) int64 {
	switch {
	case turnover >= 1_000_000:
		return 10_000
	case turnover >= 400_000:
		return 7_000
	}
	return 4_000
}

// level cancels and books anew every year whose bonus is not what it should be.
func (b *velvetBergpassBooks) level(purchase, refund string) {
	turnover := map[int]int64{}
	for _, p := range b.a.purchases {
		turnover[velvetBergpassYear(p)] += p.left()
	}
	years := make([]int, 0, len(turnover))
	rates := map[int]int64{}
	for year, sum := range turnover {
		years = append(years, year)
		unnamed := b.a.unnamedIn(func(p *velvetPurchase) bool { return velvetBergpassYear(p) == year })
		rates[year] = velvetBergpassRate(sum - unnamed)
	}
	sort.Ints(years)
	bonus := map[int]int64{}
	var all int64
	for _, p := range b.a.purchases {
		year := velvetBergpassYear(p)
		reward := velvetShare(p.left(), rates[year])
		bonus[year] += reward
		all += reward
	}
	for _, year := range years {
		if old := b.years[year]; old != bonus[year] {
			name := strconv.Itoa(year)
			b.a.book(Reversed, -old, purchase, refund, "cancelled: bonus "+name)
			b.a.book(Earned, bonus[year], purchase, refund, "bonus "+name)
			b.years[year] = bonus[year]
		}
	}
	b.a.chargeUnnamed(velvetSuspicion{cost: func(_ *velvetReturn, p *velvetPurchase, part int64) int64 {
		return velvetShareUp(part, rates[velvetBergpassYear(p)])
	}}, all)
}
