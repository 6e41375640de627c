package foreign

import "time"

var amberFjord = Design{
	Name: "amber-fjord",
	Source: "After the public rules of Norwegian co-brand cards (SAS EuroBonus Mastercard, Norwegian Reward, Trumf: points per full NOK " +
		"100, multiplied in campaigns); from memory.",
	Published: "10 points per full NOK 100 of a purchase, 40 on Saturdays and Sundays; a point is worth NOK 0.05. Points are credited " +
		"when a purchase clears and can be used at once. A return takes back the points of its part of the purchase; points " +
		"owed stay owed. A return that names no purchase, or none that clears within 30 days, takes, at once or from later " +
		"rewards, 40 points per NOK 100 or part of it.",
	How: "A row per purchase and a row per return, each naming only itself. A return is priced by the rate of the day on which it " +
		"happens, not of that on which the purchase was made, and takes at most what the purchase still has; so a part of a weekday's purchase, returned on a Sunday, takes too much.",
	Class: "other",
	Leak: "What is bought at the weekend and returned on a weekday keeps three quarters of its points: NOK 10,000 on a Saturday earn " +
		"4,000 points (NOK 200.00); returned whole on Tuesday, 1,000 are taken. 3,000 points (NOK 150.00) stay for nothing.",
	Currency: "NOK",
	New:      amberNew("Europe/Oslo", func(f *amberFile) amberHouse { return &amberFjordHouse{f: f, left: map[*amberBuy]int64{}} }),
}

const (
	amberFjordUnit    = 10_000
	amberFjordWeekday = 10
	amberFjordWeekend = 40
)

// amberFjordHouse keeps points by purchase.
type amberFjordHouse struct {
	amberIdle
	f      *amberFile
	left   map[*amberBuy]int64 // points that a purchase still has
	earned int64
}

// rate is today's rate card.
func (h *amberFjordHouse) rate(at time.Time) int64 {
	if day := at.In(h.f.zone).Weekday(); day == time.Saturday || day == time.Sunday {
		return amberFjordWeekend
	}
	return amberFjordWeekday
}

func (h *amberFjordHouse) bought(b *amberBuy) {
	h.left[b] = b.amount / amberFjordUnit * h.rate(b.at)
	h.earned += h.left[b]
	h.f.post(Earned, h.left[b], b.id, "", "points")
}

func (h *amberFjordHouse) returned(b *amberBuy, r *amberBack, part int64) {
	units := (b.net()+part)/amberFjordUnit - b.net()/amberFjordUnit
	back := min(h.left[b], units*h.rate(r.at)) // the flaw: not h.rate(b.at)
	h.left[b] -= back
	h.earned -= back
	h.f.post(Reversed, -back, "", r.id, "points of a return")
}

func (h *amberFjordHouse) level(r *amberBack) {
	refund := ""
	if r != nil {
		refund = r.id
	}
	h.f.withhold(h.f.debt(func(amount int64) int64 { return amberFjordWeekend * amberUp(amount, amberFjordUnit) }), h.earned, refund)
}

func (h *amberFjordHouse) free() int64 { return h.f.balance() }
