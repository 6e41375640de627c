package foreign

import "time"

// saffronHotel is a hotel group's card: provisional points, trued up by the month.
var saffronHotel = Design{
	Name:   "saffron-hotel",
	Source: "after the co-branded cards of American hotel groups (terms from memory)",
	Published: "10 points per full $1 on travel, 5 on dining, 1 on all else, shown at once. Points are yours if you keep purchases of at least $500 in the calendar " +
		"quarter; those of other quarters lapse. Points can be used as soon as their quarter has the $500. Returns cost the points of what is returned, and " +
		"those of the quarter if it falls below $500, with the next statement; until then they are on hold.",
	How: "A purchase is credited provisionally. On the first of a month one row without names trues all up: returns, lapsed quarters, quarters that lapsed and " +
		"qualify after all. Returns hold at once. A return without a purchase's name counts at 10 points and against the $500 of every quarter.",
	Class:    "robust",
	Currency: "USD",
	New:      func() Engine { return saffronNew("America/New_York", saffronHotelScheme{}) },
}

// saffronHotelMinimum is what makes a quarter's points good.
const saffronHotelMinimum = 50000

type saffronHotelScheme struct{}

func (saffronHotelScheme) points(b *saffronBuy) int64 {
	switch b.category {
	case "TRAVEL":
		return b.left() / 100 * 10
	case "DINING":
		return b.left() / 100 * 5
	}
	return b.left() / 100
}

func (saffronHotelScheme) loss(a *saffronAccount) func(l *saffronLoose) int64 {
	return func(l *saffronLoose) int64 { return 10 * saffronUp(a.clamp(l.amount), 100) }
}

// bought credits a purchase provisionally.
func (s saffronHotelScheme) bought(a *saffronAccount, now time.Time, b *saffronBuy) {
	a.book(now, Earned, s.points(b), b.id, "", "Provisional points")
}

// returned books nothing: that waits for the statement, but sure has it already.
func (saffronHotelScheme) returned(*saffronAccount, time.Time, *saffronBuy, string) {}

// worth is what the purchases kept earn in quarters that have their minimum, whichever
// purchases the nameless returns were of, and in those from `open` on that may yet.
// A quarter that the last statement has closed stays as it is until the next one for all
// that clears late, unless all is to be reckoned anew.
func (s saffronHotelScheme) worth(a *saffronAccount, open int, anew bool) int64 {
	spent, points := map[int]int64{}, map[int]int64{}
	for _, b := range a.buys {
		if _, closed := a.periods[b.quarter()]; anew || b.counted || !closed {
			spent[b.quarter()] += b.left()
		}
		points[b.quarter()] += s.points(b)
	}
	nameless := a.looseLoss(func(l *saffronLoose) int64 { return a.clamp(l.amount) })
	sum := int64(0)
	for q, p := range points {
		if q >= open || spent[q]-nameless >= saffronHotelMinimum {
			sum += p
		}
	}
	return max(0, sum-a.looseLoss(s.loss(a)))
}

// day is the statement: one row brings the books to what is earned.
func (s saffronHotelScheme) day(a *saffronAccount, at time.Time) {
	if at.Day() != 1 {
		return
	}
	open, booked := a.monthOf(at)/3, a.posted+a.paid
	a.book(at, Adjusted, s.worth(a, open, true)-booked, "", "", "Statement: returns and lapsed points")
	for _, b := range a.buys {
		if b.counted = true; b.quarter() < open {
			a.periods[b.quarter()] = 1
		}
	}
}

// sure leaves out every quarter that has not its minimum, over or not.
func (s saffronHotelScheme) sure(a *saffronAccount) int64 { return s.worth(a, 1<<30, false) }
