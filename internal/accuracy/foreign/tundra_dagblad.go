package foreign

import (
	"maps"
	"slices"
	"time"
)

// tundraDagblad is sound: it has no memory of grants, only of days that it can work out again.
var tundraDagblad = Design{
	Name:   "tundra-dagblad",
	Source: "after the bonus of Swedish grocers' cards (ICA, Coop), from memory",
	Published: "3 % bonus on groceries, at most 300 kr a calendar month; 1.5 % on fuel; 0.5 % on all else. " +
		"The bonus of a day is booked at the following midnight and can be paid out at once. Returns lower the bonus as if you " +
		"had not bought what you returned, also after it was paid out: it may fall below zero, and what you earn later makes up for it first. " +
		"A return that does not say of which purchase it is takes back the highest rate at which you can have earned.",
	How: "The ledger is a book of days: one row a local day, which names no purchase. Whatever happens, all days are worked out anew " +
		"from what is left of each purchase, in order of time; a day that is booked and has changed is struck out and booked anew at once. " +
		"Returns without a purchase stand on days of their own, at once, at the dearest rate among the purchases at their merchant, or among all.",
	Class: "robust", Currency: "SEK",
	New: func() Engine { return newTundraDesk(tundraDagbladZone, tundraDagbladProgram{}) },
}

var tundraDagbladZone = newTundraCalendar("Europe/Stockholm")

const tundraDagbladCap = 300_00 // groceries, a month

// tundraDagbladProgram books days.
type tundraDagbladProgram struct{ tundraPlain }

func tundraDagbladRate(p *tundraPurchase) int64 {
	switch p.category {
	case "GROCERY":
		return 300
	case "FUEL":
		return 150
	}
	return 50
}

// due is every midnight.
func (tundraDagbladProgram) due(t time.Time) time.Time { return tundraDagbladZone.nextDay(t) }

func (g tundraDagbladProgram) tick(a *tundraAccount, at time.Time) {
	if a.waits {
		a.waits = false
		g.book(a, at)
	}
}

func (g tundraDagbladProgram) settled(a *tundraAccount, p *tundraPurchase) {
	a.waits = a.waits || p.day >= tundraDagbladZone.day(a.desk.clock)
	g.book(a, a.desk.clock)
}

func (g tundraDagbladProgram) returned(a *tundraAccount, _ *tundraPurchase, _ *tundraReturn, _ int64) {
	g.book(a, a.desk.clock)
}

func (g tundraDagbladProgram) stray(a *tundraAccount, r *tundraReturn) {
	a.addStray(r)
	g.book(a, a.desk.clock)
}

// cleared has nothing to add: strays are part of every booking.
func (tundraDagbladProgram) cleared(*tundraAccount) {}

// days is what each day should say, whether it is over or not. Strays take no more than
// everything that was earned.
func (tundraDagbladProgram) days(a *tundraAccount) map[string]int64 {
	days := map[string]int64{}
	used := map[string]int64{}
	var sum int64
	for _, p := range a.bought {
		earned := p.left() * tundraDagbladRate(p) / tundraParts
		if p.category == "GROCERY" {
			earned = min(earned, tundraDagbladCap-used[p.month])
			used[p.month] += earned
		}
		days[p.day] += earned
		sum += earned
	}
	for _, r := range a.strays {
		taken := min(sum, a.ceiling(r, 1, tundraDagbladRate))
		days["return "+tundraDagbladZone.day(r.at)] -= taken
		sum -= taken
	}
	return days
}

// book brings the rows of all days before today, and those of returns, to what they
// should say. A day without a row is as one of nothing.
func (g tundraDagbladProgram) book(a *tundraAccount, at time.Time) {
	today, days := tundraDagbladZone.day(at), g.days(a)
	for _, day := range slices.Sorted(maps.Keys(days)) {
		was, is := a.sheet[day], days[day]
		if was == is || day >= today && day[0] != 'r' {
			continue
		}
		note := "Bonus " + day
		if day[0] == 'r' {
			note = "Retur " + day[len("return "):]
		}
		if was != 0 {
			a.post(Posting{At: at, Kind: Reversed, Amount: -was, Note: "Struken: " + note})
		}
		kind := Earned
		if is < 0 {
			kind = Reversed
		}
		a.post(Posting{At: at, Kind: kind, Amount: is, Note: note})
		a.sheet[day] = is
	}
}
