package foreign

import "time"

// canalTaimatsu is a Japanese department store's card: its rate goes by the rank that the
// year before has earned. A point is a yen. The rank is nowhere stored. It is what the
// year's purchases come to now, so that a return of last year's lowers this year's points.
type canalTaimatsu struct {
	canalPlain
	zone *time.Location
}

var canalTaimatsuDesign = Design{
	Name:   "canal-taimatsu-depato",
	Source: "after Japanese department stores' yearly-rank point cards (Takashimaya, Mitsukoshi-Isetan), from memory",
	Published: "Points for every full ¥100 of a purchase, usable at once as ¥1 each: 1 on food (GROCERY); on all else 2, or by what was bought in the calendar " +
		"year before (Tokyo time, food included, less returns) 4 from ¥200,000, 6 from ¥500,000, 8 from ¥1,000,000. Returns give back " +
		"their points and do not count for the rank; where a rank is lost by them, so are the points above the lower one.",
	How: "After every fact the ranks of all years are made up from what is left of all purchases, and the points of each purchase " +
		"by the rank of the year before its own. The difference for the purchase concerned is a row that names it (and the refund); all " +
		"other differences are one row 'rank revision'. Nameless refunds go where they cost most: dearest first, or one year's first.",
	Class:    "robust",
	Currency: "JPY",
	New: func() Engine {
		return canalOpenDesk(canalTaimatsu{zone: canalZone("Asia/Tokyo")})
	},
}

// rates are the points per ¥100 that each year's purchases but food earn, by the year.
func (p canalTaimatsu) rates(f *canalFile) map[int]int64 {
	spent := map[int]int64{}
	for _, b := range f.buys {
		spent[b.at.In(p.zone).Year()] += b.left()
	}
	r := map[int]int64{}
	for year, sum := range spent {
		switch {
		case sum >= 1_000_000:
			r[year+1] = 8
		case sum >= 500_000:
			r[year+1] = 6
		case sum >= 200_000:
			r[year+1] = 4
		}
	}
	return r
}

func (p canalTaimatsu) points(b *canalBuy, rates map[int]int64) int64 {
	if b.category == "GROCERY" {
		return 1
	}
	return max(2, rates[b.at.In(p.zone).Year()])
}

func (p canalTaimatsu) worth(f *canalFile) int64 {
	rates, sum := p.rates(f), int64(0)
	for _, b := range f.buys {
		sum += b.left() / 100 * p.points(b, rates)
	}
	return sum
}

func (p canalTaimatsu) orders(f *canalFile) [][]*canalBuy {
	rates := p.rates(f)
	return canalYearsFirst(canalDearest(f, func(b *canalBuy) int64 { return p.points(b, rates) }), p.zone)
}

func (p canalTaimatsu) book(f *canalFile, c canalCause) {
	rates, others := p.rates(f), int64(0)
	for _, b := range f.buys {
		d := b.left()/100*p.points(b, rates) - b.booked
		b.booked += d
		if b.id == c.transaction {
			f.move(d, b.id, c.refund, "")
		} else {
			others += d
		}
	}
	f.move(others, "", c.refund, "rank revision")
}
