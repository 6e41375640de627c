package foreign

import "time"

var amberBasket = Design{
	Name: "amber-basket",
	Source: "After the public rules of British supermarkets' credit cards (Sainsbury's with Nectar, Tesco with Clubcard: points per " +
		"full pound, credited after each statement); from memory.",
	Published: "2 points per full GBP 1 of a purchase in supermarkets (category GROCERY), 1 point per full GBP 5 elsewhere; a point " +
		"is worth half a penny. Points of the statement that ends on the 20th are credited a week later, on the 27th, for " +
		"purchases less returns. Points of goods that are returned are taken back. A return that names no purchase, or none " +
		"that clears within 30 days, takes, at once or from later rewards, 2 points per GBP 1 or part of it.",
	How: "On the 27th the points of all purchases of the statement are computed, net of what has come back by then, and credited in one " +
		"row; then the statement is final. A return of a purchase whose statement is final finds nothing to correct and has no effect.",
	Class: "V2",
	Leak: "Returns later than the 27th keep their points: a purchase of GBP 2,000 at a supermarket on 2 March is credited with 4,000 " +
		"points (GBP 20.00) on 27 March; returned on 30 March, all 4,000 stay, and can be redeemed.",
	Currency: "GBP",
	New:      amberNew("Europe/London", func(f *amberFile) amberHouse { return &amberBasketHouse{f: f, final: map[*amberBuy]bool{}} }),
}

const (
	amberBasketEnd = 20 // day on which a statement ends
	amberBasketRun = 27 // day on which its points are credited
)

// amberBasketHouse credits points for statements, each once.
type amberBasketHouse struct {
	amberIdle
	f      *amberFile
	final  map[*amberBuy]bool
	earned int64
}

func amberBasketPoints(b *amberBuy) int64 {
	if b.category == "GROCERY" {
		return b.net() / 100 * 2
	}
	return b.net() / 500
}

func (h *amberBasketHouse) debt() int64 {
	return h.f.debt(func(amount int64) int64 { return 2 * amberUp(amount, 100) })
}

func (h *amberBasketHouse) next(after time.Time) time.Time {
	return amberNextDay(after, h.f.zone, amberBasketRun)
}

// due credits what was bought before the 20th and is not final; that includes what cleared
// too late for its own statement.
func (h *amberBasketHouse) due() {
	run := h.f.now.In(h.f.zone)
	end := time.Date(run.Year(), run.Month(), amberBasketEnd, 0, 0, 0, 0, h.f.zone)
	var points int64
	for _, b := range h.f.buys {
		if !h.final[b] && b.at.Before(end) {
			points += amberBasketPoints(b)
			h.final[b] = true // and nothing looks at it again
		}
	}
	h.earned += points
	h.f.post(Earned, points, "", "", "statement of "+end.Format("2 January 2006"))
	h.f.withhold(h.debt(), h.earned, "")
}

// free leaves what nameless returns will take at the next run.
func (h *amberBasketHouse) free() int64 {
	return h.f.balance() - max(0, min(h.debt(), h.earned)-h.f.withheld)
}
