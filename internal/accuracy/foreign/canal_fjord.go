package foreign

import (
	"time"
)

// canalFjord is a Norwegian co-operative's purchase dividend. Its books know months and
// years and no purchase: a month has one row, and whatever comes back later has that row
// taken out and written anew.
type canalFjord struct {
	canalPlain
	zone *time.Location
}

var canalFjordDesign = Design{
	Name:   "canal-fjord-coop",
	Source: "after Norwegian co-operative shops' purchase dividend and yearly bonus (Coop, Trumf), from memory",
	Published: "Members get a dividend of 2 % on food (GROCERY) and 0.5 % on all else that they pay with their card, credited " +
		"when the calendar month (Oslo time) is over. Whose food of a calendar year comes to NOK 15,000 gets NOK 150 more, from NOK 30,000 " +
		"NOK 400 in all, credited with the month in which it is reached. What is returned was not bought: month and year are made up anew. The dividend may be drawn at any time.",
	How: "At the first instant of a month the month before is written as one row, and the yearly bonus as one. After every fact all closed months are " +
		"added up again from what is left of each purchase; where a sum differs, the old row is reversed and a new one written. Nameless refunds go to the " +
		"shop's purchases that earn most, or to those of one year first where that costs the member more.",
	Class:    "robust",
	Currency: "NOK",
	New: func() Engine {
		return canalOpenDesk(canalFjord{zone: canalZone("Europe/Oslo")})
	},
}

// rate is in hundredths of a percent.
func (canalFjord) rate(b *canalBuy) int64 {
	if b.category == "GROCERY" {
		return 200
	}
	return 50
}

// totals are what each closed month and each year's bonus come to, by the row's note.
func (p canalFjord) totals(f *canalFile) map[string]int64 {
	t, food := map[string]int64{}, map[string]int64{}
	for _, b := range f.buys {
		if canalMonth(b.at, p.zone, 1).After(f.now) {
			continue // its month is not over
		}
		day := b.at.In(p.zone)
		t["Kjøpeutbytte "+day.Format("2006-01")] += b.left() * p.rate(b) / 10000
		if b.category == "GROCERY" {
			food["Årsbonus "+day.Format("2006")] += b.left()
		}
	}
	for year, sum := range food {
		switch {
		case sum >= 3_000_000:
			t[year] = 40_000
		case sum >= 1_500_000:
			t[year] = 15_000
		}
	}
	return t
}

func (p canalFjord) worth(f *canalFile) int64 {
	sum := int64(0)
	for _, n := range p.totals(f) {
		sum += n
	}
	return sum
}

func (p canalFjord) orders(f *canalFile) [][]*canalBuy {
	return canalYearsFirst(canalDearest(f, p.rate), p.zone)
}

func (p canalFjord) next(_ *canalFile, t time.Time) time.Time { return canalMonth(t, p.zone, 1) }

func (p canalFjord) book(f *canalFile, _ canalCause) {
	want := p.totals(f)
	for _, key := range canalKeys(want, f.books) {
		if old := f.books[key]; old != want[key] {
			f.post(Reversed, -old, "", "", key+", annullert")
			f.post(Earned, want[key], "", "", key)
			f.books[key] = want[key]
		}
	}
}
