package attack

import (
	"slices"
	"time"

	"recoup/reward"
)

// calendar is the grid of days on which a customer acts, and what happens
// between them. Moves are made at the start of a day, in the program's zone, so those of the
// first of a cycle come right after the close of the one before.
type calendar []actingDay

// actingDay is one point of the grid.
type actingDay struct {
	at   time.Time
	buys bool // something can be bought
	// until are the statement closes between this day and the next one, and the
	// next one itself; after the last day, the closes until all is over.
	// By then all that was delivered is settled at every design.
	until []stop
}

// stop is a moment to which the clock is set.
type stop struct {
	at    time.Time
	days  int64 // since the stop before
	close bool  // a statement close
}

// firstMonth is when every attack begins that the terms do not have begin later. It is
// arbitrary but for the months after it: a 30-day return window that opens on 31 January
// touches three.
var firstMonth = reward.CycleAt(reward.At(time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)))

// newCalendar lays out the cycles in which the customer may buy, and one more. A day that a
// cycle lacks is its last; where days matter, the last on which what is bought posts in it.
func newCalendar(p *reward.Program, b *Bounds) calendar {
	l := layout{program: p, bounds: b, buys: map[reward.Instant]bool{}, first: firstMonth}
	last := -1
	if b.Matter {
		l.first = l.begin()
		last -= b.PostDays
	}
	for i := range b.Cycles + 1 {
		c := l.first + reward.Cycle(i)
		for _, d := range b.Days {
			day := l.day(p.CycleStart(c), d-1)
			if day >= p.CycleEnd(c) {
				day = l.day(p.CycleEnd(c), last)
			}
			l.add(day, i < b.Cycles)
		}
	}
	if b.Matter {
		l.windows()
		l.matter()
	}
	return l.calendar()
}

// layout is a calendar in the making.
type layout struct {
	program *reward.Program
	bounds  *Bounds
	first   reward.Cycle
	buys    map[reward.Instant]bool // by day on which the customer acts
}

func (l *layout) add(at reward.Instant, buys bool) { l.buys[at] = l.buys[at] || buys }

// day is the start of the day so many days after that of an instant.
func (l *layout) day(at reward.Instant, days int) reward.Instant {
	zone := zoneOf(l.program)
	y, m, d := at.Time().In(zone).Date()
	return reward.At(time.Date(y, m, d+days, 0, 0, 0, 0, zone))
}

func zoneOf(p *reward.Program) *time.Location {
	if p.Zone == nil {
		return time.UTC
	}
	return p.Zone
}

// begin is the cycle with which the first offer begins that does not begin before.
func (l *layout) begin() reward.Cycle {
	first := reward.Cycle(0)
	for _, m := range asked(l.program) {
		if m.From != nil {
			if c := l.program.CycleAt(l.dateOf(*m.From)); first == 0 || c < first {
				first = c
			}
		}
	}
	return max(first, firstMonth)
}

func (l *layout) dateOf(d reward.Date) reward.Instant {
	at, _ := time.ParseInLocation(time.DateOnly, d.String(), zoneOf(l.program))
	return reward.At(at)
}

// until is when nothing more can be bought.
func (l *layout) until() reward.Instant {
	return l.program.CycleStart(l.first + reward.Cycle(l.bounds.Cycles))
}

// buy adds days on which to buy, on either side of when something begins or ends.
func (l *layout) buy(days ...reward.Instant) {
	for _, day := range days {
		if day >= l.program.CycleStart(l.first) && day < l.until() {
			l.add(day, true)
		}
	}
}

// windows adds the days on either side of where what the terms ask of the day begins and ends.
func (l *layout) windows() {
	start := l.program.CycleStart(l.first)
	for _, m := range asked(l.program) {
		if m.From != nil {
			l.buy(l.day(l.dateOf(*m.From), -1), l.dateOf(*m.From))
		}
		if m.Until != nil {
			l.buy(l.day(l.dateOf(*m.Until), -1), l.dateOf(*m.Until))
		}
		if m.Within != nil {
			l.buy(l.day(start, m.Within.Days-1), l.day(start, m.Within.Days))
		}
		for i := 0; m.Weekdays != nil && i < l.bounds.Cycles; i++ {
			l.weekdays(l.program.CycleStart(l.first+reward.Cycle(i)), m.Weekdays)
		}
	}
}

// weekdays adds the first day from a day on that is one of them, and the first after it that
// is none.
func (l *layout) weekdays(from reward.Instant, days []time.Weekday) {
	for _, wanted := range []bool{true, false} {
		for range 7 {
			if slices.Contains(days, from.Time().In(zoneOf(l.program)).Weekday()) == wanted {
				l.buy(from)
				break
			}
			from = l.day(from, 1)
		}
	}
}

// matter adds the days on which something becomes of what was bought: it posts, its reward
// matures, it can be returned for the last time, the return posts, a hold after a close ends,
// what it earned is about to expire and has expired.
func (l *layout) matter() {
	b, p := l.bounds, l.program
	for at, buys := range l.bought() {
		if !buys {
			continue
		}
		posts, last := l.day(at, b.PostDays), l.day(at, b.ReturnDays-1)
		if b.PostDays > 0 {
			l.add(posts, false)
		}
		if p.MaturityDays > 0 {
			l.add(posts+reward.Instant(p.MaturityDays)*reward.Day, false)
		}
		if b.ReturnDays > 0 {
			l.add(last, false)
		}
		if p.ExpiryMonths > 0 {
			over := p.CycleEnd(p.CycleAt(posts) + reward.Cycle(p.ExpiryMonths))
			l.add(l.day(over, -1), false)
			l.add(over, false)
		}
	}
	if days := p.Redemption.GraceDays; days > 0 {
		for i := range b.Cycles + 1 {
			l.add(p.CycleEnd(l.first+reward.Cycle(i))+reward.Instant(days)*reward.Day, false)
		}
	}
}

// bought is a copy of the days so far.
func (l *layout) bought() map[reward.Instant]bool {
	days := make(map[reward.Instant]bool, len(l.buys))
	for at, buys := range l.buys {
		days[at] = buys
	}
	return days
}

// calendar is the layout in order, with what lies between.
func (l *layout) calendar() calendar {
	var c calendar
	for at, buys := range l.buys {
		c = append(c, actingDay{at: at.Time(), buys: buys})
	}
	slices.SortFunc(c, func(x, y actingDay) int { return x.at.Compare(y.at) })
	for i := range c {
		if i+1 < len(c) {
			c[i].until = l.stops(c[i].at, c[i+1].at)
			continue
		}
		last := l.day(reward.At(c[i].at), l.bounds.PostDays+l.bounds.RefundDays)
		c[i].until = l.stops(c[i].at, l.program.CycleEnd(l.program.CycleAt(last)+1).Time())
	}
	return c
}

// stops are the closes after one moment and up to another, and the other.
func (l *layout) stops(from, to time.Time) []stop {
	var list []stop
	for at := from; at.Before(to); {
		next := stop{at: l.program.CycleEnd(l.program.CycleAt(reward.At(at))).Time(), close: true}
		if next.at.After(to) {
			next = stop{at: to}
		}
		next.days = int64(next.at.Sub(at) / (24 * time.Hour))
		list = append(list, next)
		at = next.at
	}
	return list
}
