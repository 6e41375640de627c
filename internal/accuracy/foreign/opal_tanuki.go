package foreign

import (
	"fmt"
	"sort"
	"time"
)

var opalTanukiDesign = Design{
	Name:   "opal-tanuki",
	Source: "after the points of Japanese retail cards (Rakuten, d Point, Aeon), from memory of their public rules",
	Published: "1 point for every full ¥200 of a purchase, 2 for DINING and TRAVEL. ONLINE on Fridays 3 points more, GROCERY in the first 60 days of membership 1 more. " +
		"Points of a day are booked when the day ends (Tokyo time) and can be used from then on. After a return the day is booked anew, as if what came back had not been bought; " +
		"points that are missing are taken from later ones. A return without its receipt costs the points that its amount may have earned at most. A refund above the price counts as one of the price.",
	How: "A day has one row, the sum of what its purchases earn on what is left of each. Whenever a fact changes the sum of a day that is booked, its row is reversed and a new one is written at once. " +
		"Rows name no purchase and no refund. Loose refunds are rows of their own at the best rate of what is left at their merchant, rounded up, never above what was earned. Debts stay.",
	Class:    "robust",
	Currency: "JPY",
	New:      opalNew(func() opalScheme { return &opalTanuki{rows: map[int]int64{}, days: map[*opalBuy]opalTanukiDay{}} }),
}

var opalTokyo = opalZone("Asia/Tokyo")

// opalTanuki has the rows in force by day, and what loose refunds have cost. The days of
// purchases are kept since calendars are slow.
type opalTanuki struct {
	rows  map[int]int64
	days  map[*opalBuy]opalTanukiDay
	taken int64
}

// opalTanukiDay is a local day and the midnight at which it ends.
type opalTanukiDay struct {
	number int
	end    time.Time
}

func (s *opalTanuki) day(b *opalBuy) opalTanukiDay {
	day, ok := s.days[b]
	if !ok {
		day = opalTanukiDay{opalDay(b.at, opalTokyo), opalNextDay(b.at, opalTokyo)}
		s.days[b] = day
	}
	return day
}

const (
	opalTanukiUnit = 200
	opalTanukiTop  = 4 // no purchase is ONLINE and anything else
)

// rate is points for a full unit.
func (s *opalTanuki) rate(a *opalAccount, b *opalBuy) int64 {
	switch b.category {
	case "DINING", "TRAVEL":
		return 2
	case "ONLINE":
		if b.at.In(opalTokyo).Weekday() == time.Friday {
			return 4
		}
	case "GROCERY":
		if opalNewMember(a.opened, b.at, 60) {
			return 2
		}
	}
	return 1
}

// book brings the rows of all days that are over to what they should be.
func (s *opalTanuki) book(a *opalAccount, at time.Time) {
	sums, points := map[int]int64{}, make([]int64, len(a.buys))
	for day := range s.rows {
		sums[day] = 0
	}
	for i, b := range a.buys {
		if day := s.day(b); !day.end.After(at) {
			points[i] = b.net() / opalTanukiUnit * s.rate(a, b)
			sums[day.number] += points[i]
		}
	}
	days := make([]int, 0, len(sums))
	for day := range sums {
		days = append(days, day)
	}
	sort.Ints(days)
	for _, day := range days {
		if sums[day] == s.rows[day] {
			continue
		}
		a.post(Posting{At: at, Kind: Reversed, Amount: -s.rows[day], Note: fmt.Sprintf("%d booked anew", day)})
		a.post(Posting{At: at, Kind: Earned, Amount: sums[day], Note: fmt.Sprintf("points of %d", day)})
		s.rows[day] = sums[day]
	}
	cost := func(amount, rate int64) int64 { return opalCeil(amount, opalTanukiUnit) * rate }
	want := a.deduct(at, points, func(b *opalBuy) int64 { return s.rate(a, b) }, opalTanukiTop, cost)
	a.level(at, &s.taken, want, "returns without receipt")
}

func (s *opalTanuki) changed(a *opalAccount, at time.Time, _ *opalBuy, _ *opalBack) { s.book(a, at) }

func (s *opalTanuki) due(a *opalAccount, after time.Time) time.Time {
	next := a.parkEnds(after)
	for _, b := range a.buys {
		next = opalFirst(next, s.day(b).end, after)
	}
	return next
}

func (s *opalTanuki) tick(a *opalAccount, at time.Time) { s.book(a, at) }

func (s *opalTanuki) redeemable(a *opalAccount, _ time.Time) int64 { return max(0, a.balance()) }
