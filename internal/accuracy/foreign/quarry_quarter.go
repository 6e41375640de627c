package foreign

import (
	"strconv"
	"time"
)

var quarryQuarter = Design{
	Name:   "quarry-quarter",
	Source: "after Swiss cashback cards that credit the account by themselves (Swisscard Cashback, Certo!), from memory",
	Published: "Of a calendar year's purchases: 0.25% of the first CHF 3,000, 0.5% up to CHF 10,000, 1% beyond; nothing on cash and transfers (CASH, TRANSFER). " +
		"Booked once a month. Paid to the card account on the 15th after each quarter if it is CHF 5 or more, else later; there is no payout on request. " +
		"Returns, whenever they come, count against the year of their purchase as if that had not been bought; what was paid too much is kept from the next payouts. " +
		"A return that does not name its purchase counts at the highest rate of the year that it may be of.",
	How: "On the first of a month one row brings the sum of rows to what all purchases before that day should have earned by the facts of now. " +
		"On the 15th of January, April, July and October a row of corrections comes first, then the payout of what is then positive. Rows name nothing.",
	Class:    "robust",
	Currency: "CHF",
	New: func() Engine {
		return quarryPayer{newQuarryDesk("Europe/Zurich", func(f *quarryFile) quarryBook { return &quarryQuarterBook{f: f} })}
	},
}

// quarryQuarterBook accrues by month and pays by quarter.
type quarryQuarterBook struct {
	quarryPlain
	f      *quarryFile
	posted int64 // the rows, without payouts
}

func (b *quarryQuarterBook) bought(int)   {}
func (b *quarryQuarterBook) returned(int) {}

// redeemable is nothing: the scheme pays by itself alone.
func (b *quarryQuarterBook) redeemable() int64 { return 0 }

// next is the first of a month, or the 15th of one that begins a quarter.
func (b *quarryQuarterBook) next(after time.Time) time.Time {
	t := after.In(b.f.zone)
	if pay := time.Date(t.Year(), t.Month(), 15, 0, 0, 0, 0, b.f.zone); t.Month()%3 == 1 && pay.After(after) {
		return pay
	}
	return time.Date(t.Year(), t.Month()+1, 1, 0, 0, 0, 0, b.f.zone)
}

func (b *quarryQuarterBook) run(at time.Time) {
	t := at.In(b.f.zone)
	first := time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, b.f.zone)
	due := b.due(first)
	note := "cashback " + first.AddDate(0, 0, -1).Format("January 2006")
	if t.Day() != 1 {
		note = "corrections"
	}
	b.f.level(at, due-b.posted, "", "", note)
	b.posted = due
	if t.Day() != 1 && b.f.balance >= 500 {
		quarter := (int(t.Month())+8)%12/3 + 1
		b.f.post(at, Paid, -b.f.balance, "", "", "payout quarter "+strconv.Itoa(quarter))
	}
}

// quarryQuarterWorth is what a year's spend earns, in ten-thousandths of a rappen.
func quarryQuarterWorth(spend int64) int64 {
	return 25*spend + 25*max(0, spend-300000) + 50*max(0, spend-1000000)
}

// quarryQuarterRate is what the last of it earned, which is the most.
func quarryQuarterRate(spend int64) int64 {
	switch {
	case spend > 1000000:
		return 100
	case spend > 300000:
		return 50
	}
	return 25
}

// due is what purchases before an instant should have earned, by all that is known.
// Rewards are whole rappen for each purchase, in the order in which they came.
func (b *quarryQuarterBook) due(before time.Time) int64 {
	left := b.f.left()
	years := map[int]int64{}
	var sum int64
	for i := range left {
		buy := &b.f.buys[i]
		if !buy.at.Before(before) || buy.category == "CASH" || buy.category == "TRANSFER" {
			left[i] = 0
		}
		year := buy.month / 12
		was := quarryQuarterWorth(years[year])
		years[year] += left[i]
		sum += (quarryQuarterWorth(years[year]) - was) / 10000
	}
	rate := func(i int) int64 { return quarryQuarterRate(years[b.f.buys[i].month/12]) }
	return max(0, sum-b.f.doubt(left, rate, func(i int, x int64) int64 {
		return min(quarryUp(rate(i)*x, 10000), rate(i)*left[i]/10000)
	}))
}
