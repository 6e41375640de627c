package foreign

import "time"

// saffronAirline is a mileage bank that takes too much at once and gives back weekly.
var saffronAirline = Design{
	Name:   "saffron-airline",
	Source: "after the mileage cards of Japanese airlines (terms from memory)",
	Published: "2 miles for each full ¥100 of travel, 1 mile for each full ¥100 of all else, credited on the third day, and 300 miles for every ¥30,000 of a calendar " +
		"quarter, on the 10th after it. A purchase that is returned even in part loses its miles at once; those of what was kept are credited again on Monday. " +
		"A return without a purchase is charged at the highest rate and matched by its shop on Monday.",
	How: "Miles of a purchase are one row, reversed whole with any return and granted anew by the Monday run, which also brings the quarters' bonuses to what was kept. " +
		"A nameless return is charged as travel and for its bonus; on Monday at the highest rate among the shop's purchases, if it has any, for as long as that is so.",
	Class:    "robust",
	Currency: "JPY",
	New:      func() Engine { return saffronNew("Asia/Tokyo", saffronAirlineScheme{}) },
}

type saffronAirlineScheme struct{}

func (saffronAirlineScheme) rate(b *saffronBuy) int64 {
	if b.category == "TRAVEL" {
		return 2
	}
	return 1
}

// loss bounds what a nameless return takes: until it is matched it may be anything's.
func (s saffronAirlineScheme) loss(a *saffronAccount) func(l *saffronLoose) int64 {
	return func(l *saffronLoose) int64 {
		rate, most := int64(2), a.largest
		if l.matched && l.merchant != "" {
			r, m := int64(0), int64(0)
			for _, b := range a.buys {
				if b.merchant == l.merchant || b.merchant == "" {
					r, m = max(r, s.rate(b)), max(m, b.amount)
				}
			}
			if r > 0 {
				rate, most = r, m
			}
		}
		yen := min(l.amount, most)
		return rate*saffronUp(yen, 100) + 300*saffronUp(yen, 30000)
	}
}

// bonuses are the quarters' bonuses by what was kept: of all purchases, or of those that
// the latest run has counted.
func (saffronAirlineScheme) bonuses(a *saffronAccount, all bool) map[int]int64 {
	sums := map[int]int64{}
	for _, b := range a.buys {
		if all || b.counted {
			sums[b.quarter()] += b.left()
		}
	}
	for q, yen := range sums {
		sums[q] = yen / 30000 * 300
	}
	return sums
}

// bought credits nothing yet, but may be what a nameless return was of.
func (s saffronAirlineScheme) bought(a *saffronAccount, now time.Time, _ *saffronBuy) {
	s.charge(a, now)
}

// returned takes all miles of a purchase of which anything came back.
func (s saffronAirlineScheme) returned(a *saffronAccount, now time.Time, b *saffronBuy, ref string) {
	if b != nil && b.granted > 0 {
		a.book(now, Reversed, -b.granted, b.id, ref, "Return: miles withdrawn")
		b.granted = 0
	}
	s.charge(a, now)
}

// charge follows the nameless returns, down and up.
func (s saffronAirlineScheme) charge(a *saffronAccount, at time.Time) {
	if len(a.loose) == 0 {
		return
	}
	earned := int64(0)
	for _, b := range a.buys {
		earned += b.granted
	}
	for _, p := range a.periods {
		earned += p
	}
	a.chargeLoose(at, Adjusted, earned, s.loss(a), "Return to be matched")
}

// day credits what is three days old, and runs Monday's and the 10th's work.
func (s saffronAirlineScheme) day(a *saffronAccount, at time.Time) {
	limit := at.AddDate(0, 0, -3)
	monday := at.Weekday() == time.Monday
	changed := monday || at.Day() == 10
	for _, b := range a.buys {
		if b.at.After(limit) || (b.done && !monday) {
			continue
		}
		note := "Miles"
		if b.done {
			note = "Miles of what was kept"
		}
		b.done, changed = true, true
		more := b.left()/100*s.rate(b) - b.granted
		a.book(at, Earned, more, b.id, "", note)
		b.granted += more
	}
	if monday || at.Day() == 10 {
		s.quarterly(a, at)
	}
	if monday {
		for _, l := range a.loose {
			l.matched = true
		}
	}
	if changed {
		s.charge(a, at)
	}
}

// quarterly brings the bonus of each quarter that is over for ten days to what was kept.
func (s saffronAirlineScheme) quarterly(a *saffronAccount, at time.Time) {
	sums := s.bonuses(a, true)
	for _, b := range a.buys {
		b.counted = true
	}
	for _, q := range saffronOver(sums, a.monthOf(at.AddDate(0, 0, -9))/3) {
		kind := Earned
		if _, again := a.periods[q]; again {
			kind = Adjusted
		}
		a.book(at, kind, sums[q]-a.periods[q], "", "", "Quarterly bonus")
		a.periods[q] = sums[q]
	}
}

// sure counts a bonus by what is known now, though it is put right on Monday only.
func (s saffronAirlineScheme) sure(a *saffronAccount) int64 {
	sum := int64(0)
	for _, b := range a.buys {
		sum += b.granted
	}
	for q, miles := range s.bonuses(a, false) {
		sum += min(miles, a.periods[q])
	}
	return max(0, sum-a.looseLoss(s.loss(a)))
}
