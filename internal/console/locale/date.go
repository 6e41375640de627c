package locale

import (
	"time"

	"recoup/reward"
)

// Date writes the day of an instant, in UTC as all of the ledger.
func (l *Locale) Date(at reward.Instant) string { return at.Time().Format(l.date) }

// Moment writes an instant to the minute, in UTC.
func (l *Locale) Moment(at reward.Instant) string {
	return at.Time().Format(l.date + ", " + l.clock)
}

// Cycle writes a billing cycle of a program: "October 2026" if it is a calendar month, else
// its first and last day in the program's zone. Of no program it is named by the month in
// which it begins.
func (l *Locale) Cycle(p *reward.Program, c reward.Cycle) string {
	if p == nil || p.StatementDay <= 1 {
		first := c.Start().Time()
		return l.Sprintf("%s %d", l.Month(first.Month()), first.Year())
	}
	day := func(at reward.Instant) string { return at.Time().In(zoneOf(p)).Format(l.date) }
	return day(p.CycleStart(c)) + " – " + day(p.CycleEnd(c)-1)
}

// Begins writes the day on which a cycle of a program begins, in the program's zone, which
// it names if it is another than the ledger's.
func (l *Locale) Begins(p *reward.Program, at reward.Instant) string {
	day := at.Time().In(zoneOf(p)).Format(l.date)
	if zone := zoneOf(p); zone != time.UTC {
		return day + " (" + zone.String() + ")"
	}
	return day
}

func zoneOf(p *reward.Program) *time.Location {
	if p.Zone == nil {
		return time.UTC
	}
	return p.Zone
}

// Span writes how long something takes or has lasted, to its largest unit.
func (l *Locale) Span(d reward.Instant) string {
	const minute, hour = 60 * reward.Instant(1e9), 3600 * reward.Instant(1e9)
	switch {
	case d < minute:
		return l.Sprintf("less than a minute")
	case d < hour:
		n := int64(d / minute)
		return l.Sprintf("%s {2:minute|minutes}", l.Count(n), n)
	case d < 2*reward.Day:
		n := int64(d / hour)
		return l.Sprintf("%s {2:hour|hours}", l.Count(n), n)
	}
	return l.Days(int64(d / reward.Day))
}

// Days writes a number of days.
func (l *Locale) Days(n int64) string { return l.Sprintf("%s {2:day|days}", l.Count(n), n) }

var months = [...]Text{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}

// Month is the name of a month.
func (l *Locale) Month(m time.Month) string { return l.Say(months[m-1]) }

// ShortMonth is the name of a month where there is no room for it.
func (l *Locale) ShortMonth(m time.Month) string { return l.Say(shortMonths[m-1]) }

var shortMonths = [...]Text{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"}
