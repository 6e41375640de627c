package foreign

import "time"

// kiteMiles books as airlines do for their card partners: the partner sends a file a week,
// and of a file there is one row, whatever is in it.
var kiteMiles = Design{
	Name:   "kite-miles",
	Source: "after the terms of US airline co-brand cards: AAdvantage and MileagePlus partners, with expiry as older programs had it (from memory)",
	Published: "3 miles per whole dollar of a purchase on travel, 2 on dining, 1 on everything else. From $5,000 of net purchases in a calendar " +
		"year 2,500 bonus miles, from $10,000 6,000 in all (Chicago time). Miles are credited with the weekly file, Mondays at 6, and can be " +
		"used from then on. Miles not used by the end of the twelfth month after that of the purchase (bonus miles: after December) " +
		"expire, the oldest being used first. Returned purchases earn no miles and do not count for the bonus.",
	How: "Every Monday one row is the difference between what all purchases are worth and what all files so far have brought: purchases of the week " +
		"less whatever was returned of any week, netted, so that most returns show only as a smaller credit and a row below zero comes in " +
		"weeks with more returned than bought. The bonus is a row of its own. Expiry is computed from the lots of months, first in " +
		"first out, anew each time: if a purchase is returned whose miles have expired, the file takes them back and an adjustment restores as " +
		"many. Unlinked refunds lose the highest rate that there is spending at, and every bonus that they could have been part of, but " +
		"nothing that has expired; they are in one adjustment with expiry, \"account maintenance\", with the file or at a month's end.",
	Class:    "robust",
	Currency: "USD",
	New: func() Engine {
		return newKite(kiteMilesPlan{kiteTariff: kiteTariff{zone: kiteZone("America/Chicago"), per: 100, unit: 100, rules: []kiteRule{
			{"travel", []string{"TRAVEL"}, 3, 0},
			{"dining", []string{"DINING"}, 2, 0},
			{"all", nil, 1, 0},
		}}})
	},
}

type kiteMilesPlan struct {
	kiteQuiet
	kiteTariff
}

// kiteMilesLife is how many months after its own a lot lives.
const kiteMilesLife = 12

func (m kiteMilesPlan) monday(t time.Time) time.Time {
	at := kiteDaily(t, m.zone, 6, 0)
	for at.In(m.zone).Weekday() != time.Monday {
		at = kiteDaily(at, m.zone, 6, 0)
	}
	return at
}

func (m kiteMilesPlan) next(t time.Time) time.Time {
	file, month := m.monday(t), kiteMonthly(t, m.zone, 1, 0)
	if month.Before(file) {
		return month
	}
	return file
}

// batch is the weekly file, or the end of a month, at which lots expire.
func (m kiteMilesPlan) batch(a *kiteAccount, at time.Time) {
	if at.In(m.zone).Hour() == 6 && a.dirty {
		a.dirty = false
		for _, p := range a.purchases {
			p.granted = true
		}
		base, bonus, _, _ := m.parts(a, kiteGranted, at)
		a.level(at, "file", base, Earned, Reversed, "Card partner file")
		a.level(at, "bonus", bonus, Earned, Reversed, "Annual bonus")
	}
	_, _, lost, expired := m.parts(a, kiteGranted, at)
	a.level(at, "service", -lost-expired, Adjusted, Adjusted, "Account maintenance")
}

func (m kiteMilesPlan) sure(a *kiteAccount, now time.Time) int64 {
	all := func(keep kiteKeep) int64 {
		base, bonus, lost, expired := m.parts(a, keep, now)
		return base + bonus - lost - expired
	}
	return min(all(kiteAll), all(kiteGranted))
}

// bonus is what a year with that much net spending brings.
func (kiteMilesPlan) bonus(spend int64) int64 {
	switch {
	case spend >= 1000000:
		return 6000
	case spend >= 500000:
		return 2500
	}
	return 0
}

// parts are what purchases and bonuses are worth, what loose refunds may have taken of
// that, and what has expired. Refunds take no more than what has not expired: the rest
// would be worth nothing to anyone.
func (m kiteMilesPlan) parts(a *kiteAccount, keep kiteKeep, now time.Time) (base, bonus, lost, expired int64) {
	lots, years := map[int]int64{}, map[int]int64{}
	for _, p := range a.purchases {
		if keep(p) {
			month := kiteMonth(p.at, m.zone)
			lots[month] += m.alone(p)
			years[month/12] += p.net()
			base += m.alone(p)
		}
	}
	var unnamed int64
	for _, r := range a.loose() {
		unnamed += r.amount
	}
	lost = kiteLoss(m.slices(a, keep), a.loose(), m.unit, m.per)
	for year, spend := range years {
		lots[year*12+11] += m.bonus(spend) // earned when the year is over, as far as expiry goes
		bonus += m.bonus(spend)
		lost += m.bonus(spend) - m.bonus(max(0, spend-unnamed))
	}
	expired = m.expired(a, lots, kiteMonth(now, m.zone))
	return base, bonus, min(lost, base+bonus-expired), expired
}

// expired goes through lots and uses, the oldest first. Uses that no lot bears yet are a
// debt, which later lots repay before they can expire.
func (m kiteMilesPlan) expired(a *kiteAccount, lots map[int]int64, now int) (sum int64) {
	first := now
	for month := range lots {
		first = min(first, month)
	}
	var debt int64
	used := 0 // draws are in the order of time
	for month := first; month+kiteMilesLife < now; month++ {
		for ; used < len(a.drawn) && kiteMonth(a.drawn[used].at, m.zone) <= month+kiteMilesLife; used++ {
			debt += a.drawn[used].amount
		}
		sum += max(0, lots[month]-debt)
		debt = max(0, debt-lots[month])
	}
	return sum
}
