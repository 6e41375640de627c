package foreign

import "time"

// canalProtea is a South African bank's rewards: a level for each month. It sees a card's
// account as lines, payments above and refunds below zero, and joins every line to the
// level of the month in which the line is dated.
type canalProtea struct {
	canalPlain
	zone *time.Location
}

var canalProteaDesign = Design{
	Name:   "canal-protea-levels",
	Source: "after South African banks' tiered rewards (eBucks, Greenbacks, UCount), from memory",
	Published: "Your level in a calendar month (Johannesburg time) goes by what you spent with the card in the month before, less what was returned of it: silver from R 5,000, gold from R 15,000. Groceries and fuel " +
		"(GROCERY, GAS) earn 1 %, silver 4 %, gold 10 %; all else 0.5 % at any level. Credited at once, to be spent at any time. " +
		"Rewards of returned purchases are taken back, and a level that is lost with them as well; you may come to owe.",
	How: "Rewards are made up after every fact, from all lines: a payment earns at the level of its month, a refund takes at the level of its own month and not of the payment's. Levels go by " +
		"each month's payments less what was returned of them whenever, and are always made up anew. A refund at a higher level takes more than was earned, but no payment comes to less than nothing. " +
		"Rows name payment and refund; what other payments' levels change is one row.",
	Class: "other",
	Leak: "Returned in a month of a lower level, a purchase keeps the difference. R 15,000 of rent in January makes gold in February; R 15,000 of groceries in February earns R 1,500 at 10 %. " +
		"Nothing is bought in March, so April has no level: the groceries returned in April take 1 %, R 150, and R 1,350 is kept for nothing bought. A refund at a level no lower takes all of it.",
	Currency: "ZAR",
	New: func() Engine {
		return canalOpenDesk(canalProtea{zone: canalZone("Africa/Johannesburg")})
	},
}

// month numbers the months.
func (p canalProtea) month(t time.Time) int {
	y, m, _ := t.In(p.zone).Date()
	return y*12 + int(m)
}

// levels are the rates on groceries and fuel, in tenths of a percent, by month.
func (p canalProtea) levels(f *canalFile) map[int]int64 {
	spent := map[int]int64{}
	for _, b := range f.buys {
		spent[p.month(b.at)] += b.left()
	}
	l := map[int]int64{}
	for m, sum := range spent {
		switch {
		case sum >= 1_500_000:
			l[m+1] = 100
		case sum >= 500_000:
			l[m+1] = 40
		}
	}
	return l
}

// rate is what a line of this date earns if it is of such a purchase.
func (p canalProtea) rate(b *canalBuy, line time.Time, levels map[int]int64) int64 {
	if b.category == "GROCERY" || b.category == "GAS" {
		return max(10, levels[p.month(line)])
	}
	return 5
}

func (p canalProtea) orders(f *canalFile) [][]*canalBuy {
	levels := p.levels(f)
	return [][]*canalBuy{canalDearest(f, func(b *canalBuy) int64 { return p.rate(b, b.at, levels) })}
}

func (p canalProtea) book(f *canalFile, c canalCause) {
	levels, others := p.levels(f), int64(0)
	for _, b := range f.buys {
		sum := b.amount * p.rate(b, b.at, levels)
		for _, k := range b.cuts {
			sum -= k.amount * p.rate(b, k.at, levels)
		}
		d := max(0, sum)/1000 - b.booked
		b.booked += d
		if b.id == c.transaction {
			f.move(d, b.id, c.refund, "")
		} else {
			others += d
		}
	}
	f.move(others, "", c.refund, "level review")
}
