package foreign

import (
	"sort"
	"strconv"
	"time"
)

var amberSakura = Design{
	Name: "amber-sakura",
	Source: "After the public rules of Japanese airlines' co-brand cards (ANA, JAL: a mile per full 200 yen, " +
		"double at the airline, miles credited once per statement, a bonus by yearly spend); from memory.",
	Published: "1 mile per full JPY 200 of a purchase, 2 miles per full JPY 200 at the airline (category AIRLINE). 1,000 bonus miles " +
		"for each full JPY 1,000,000 of net purchases in a calendar year, at most 5 times. Miles are credited on the 10th, for " +
		"the statement that ends then, and can be redeemed from then on. Miles of what is returned are taken back at the next " +
		"statement and cannot be redeemed meanwhile; a shortfall is carried until it is made up. A return that names no " +
		"purchase, or none that clears within 30 days, takes, at once or from later rewards, 2 miles per JPY 200 or part, and " +
		"counts against the yearly spend of every year.",
	How: "At every statement all miles are computed anew from net purchases, by statement and by year; the difference to what was " +
		"booked for each is one row, which names neither purchase nor return. Between statements only what is both on the books and " +
		"still earned by known facts can be redeemed. One row takes what nameless returns may have earned.",
	Class:    "robust",
	Currency: "JPY",
	New:      amberNew("Asia/Tokyo", func(f *amberFile) amberHouse { return &amberSakuraHouse{f: f, booked: map[string]int64{}} }),
}

const (
	amberSakuraDay   = 10
	amberSakuraUnit  = 200
	amberSakuraSpend = 1_000_000
	amberSakuraBonus = 1_000
	amberSakuraTimes = 5
)

// amberSakuraHouse credits miles by statement.
type amberSakuraHouse struct {
	amberIdle
	f      *amberFile
	booked map[string]int64 // by lot
}

// amberSakuraLot is what a statement, or a year's bonus, is worth now.
type amberSakuraLot struct {
	name         string
	spend, miles int64
	year         bool
}

// lots are those of statements that are over, by name.
func (h *amberSakuraHouse) lots() []amberSakuraLot {
	byName := map[string]*amberSakuraLot{}
	lot := func(name string) *amberSakuraLot {
		if byName[name] == nil {
			byName[name] = &amberSakuraLot{name: name}
		}
		return byName[name]
	}
	for _, b := range h.f.buys {
		end := amberNextDay(b.at, h.f.zone, amberSakuraDay)
		if end.After(h.f.now) {
			continue
		}
		miles := b.net() / amberSakuraUnit
		if b.category == "AIRLINE" {
			miles *= 2
		}
		lot("statement of " + end.Format("2006-01-02")).miles += miles
		year := lot("yearly bonus " + strconv.Itoa(b.at.In(h.f.zone).Year()))
		year.spend, year.year = year.spend+b.net(), true
	}
	var all []amberSakuraLot
	nameless := h.f.namelessSum()
	for _, l := range byName {
		if l.year {
			l.miles = amberSakuraBonus * min(amberSakuraTimes, max(0, l.spend-nameless)/amberSakuraSpend)
		}
		all = append(all, *l)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].name < all[j].name })
	return all
}

func (h *amberSakuraHouse) debt() int64 {
	return h.f.debt(func(amount int64) int64 { return 2 * amberUp(amount, amberSakuraUnit) })
}

func (h *amberSakuraHouse) next(after time.Time) time.Time {
	return amberNextDay(after, h.f.zone, amberSakuraDay)
}

// due credits the statement, and corrects earlier ones.
func (h *amberSakuraHouse) due() {
	var earned int64
	for _, l := range h.lots() {
		earned += l.miles
		diff := l.miles - h.booked[l.name]
		h.booked[l.name] = l.miles
		if diff < 0 {
			h.f.post(Reversed, diff, "", "", "correction, "+l.name)
		} else {
			h.f.post(Earned, diff, "", "", l.name)
		}
	}
	h.f.withhold(h.debt(), earned, "")
}

// free is what is booked and, by what is known since, still earned.
func (h *amberSakuraHouse) free() int64 {
	var earned int64
	for _, l := range h.lots() {
		earned += l.miles
	}
	return min(h.f.balance(), max(0, earned-h.debt())-h.f.spent)
}
