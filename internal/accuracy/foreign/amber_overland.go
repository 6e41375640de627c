package foreign

import (
	"sort"
	"time"
)

var amberOverland = Design{
	Name: "amber-overland",
	Source: "After the public rules of Canadian filling-station co-brand cards (Petro-Canada, Esso, Shell: a high rate on fuel up " +
		"to a spend, a low one beyond); from memory.",
	Published: "4% on fuel (category FUEL) up to CAD 1,500 of purchases in a calendar quarter, 1% beyond; 0.5% elsewhere. Cash back " +
		"is credited at the end of the day and can be redeemed at once. What comes back is taken out of the quarter in which " +
		"it was bought, so that later fuel of that quarter moves down to the better rate. Rewards owed are carried for ever. A " +
		"return that names no purchase, or none that clears within 30 days, takes, at once or from later rewards, 4%.",
	How: "One row per day of purchase. Whenever something changes a day that is booked (a return, a late clearing, room under the " +
		"limit), that day's row is cancelled and a new one made, at once; rows name neither purchases nor returns.",
	Class:    "robust",
	Currency: "CAD",
	New:      amberNew("America/Toronto", func(f *amberFile) amberHouse { return &amberOverlandHouse{f: f, booked: map[string]int64{}} }),
}

// amberOverlandLimit is the fuel of a quarter that earns the high rate.
const amberOverlandLimit = 150_000

// amberOverlandHouse keeps a book of days.
type amberOverlandHouse struct {
	amberIdle
	f      *amberFile
	booked map[string]int64 // by day
}

// amberOverlandFuel is what so much fuel earns in a quarter, in hundredths of a cent.
func amberOverlandFuel(spend int64) int64 {
	return 4*min(spend, amberOverlandLimit) + max(0, spend-amberOverlandLimit)
}

// days are the rewards of each local day that is over, in the order of clearing under the limit.
func (h *amberOverlandHouse) days() map[string]int64 {
	days, fuel := map[string]int64{}, map[int]int64{}
	for _, b := range h.f.buys {
		reward := b.net() * 5 / 1000
		if b.category == "FUEL" {
			q := amberQuarter(b.at, h.f.zone)
			reward = (amberOverlandFuel(fuel[q]+b.net()) - amberOverlandFuel(fuel[q])) / 100
			fuel[q] += b.net()
		}
		if !amberDayEnd(b.at, h.f.zone).After(h.f.now) {
			days[b.at.In(h.f.zone).Format("2006-01-02")] += reward
		}
	}
	return days
}

// restate makes the book say what the days are worth.
func (h *amberOverlandHouse) restate() {
	days := h.days()
	names := make([]string, 0, len(days))
	for name := range days {
		names = append(names, name)
	}
	sort.Strings(names)
	var earned int64
	for _, name := range names {
		was, is := h.booked[name], days[name]
		if was != is {
			h.f.post(Reversed, -was, "", "", name+" cancelled")
			h.f.post(Earned, is, "", "", name)
			h.booked[name] = is
		}
		earned += is
	}
	h.f.withhold(h.f.debt(func(amount int64) int64 { return amberUp(amount*4, 100) }), earned, "")
}

// next is the end of the first day that has something and is not over.
func (h *amberOverlandHouse) next(after time.Time) time.Time {
	var first time.Time
	for _, b := range h.f.buys {
		end := amberDayEnd(b.at, h.f.zone)
		if end.After(after) && (first.IsZero() || end.Before(first)) {
			first = end
		}
	}
	return first
}

func (h *amberOverlandHouse) due()             { h.restate() }
func (h *amberOverlandHouse) level(*amberBack) { h.restate() }
func (h *amberOverlandHouse) free() int64      { return h.f.balance() }
