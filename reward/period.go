package reward

import (
	"fmt"
	"time"
)

// Period is what a limit or a bonus is of.
type Period uint8

// The periods. Days, weeks (from Monday), months, quarters and years are calendar
// ones in the program's zone.
const (
	PerCycle Period = iota
	PerDay
	PerWeek
	PerMonth
	PerQuarter
	PerYear
	PerLifetime
)

var periodNames = [...]string{
	PerCycle: "cycle", PerDay: "day", PerWeek: "week", PerMonth: "month", PerQuarter: "quarter", PerYear: "year", PerLifetime: "lifetime",
}

// String returns the period's name in programs.
func (p Period) String() string { return nameOf(periodNames[:], int(p)) }

// Date is a calendar date, counted in days since 1 January 1970.
type Date int32

// DateOf returns the date of a time, as its location has it.
func DateOf(t time.Time) Date {
	y, m, d := t.Date()
	return Date(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / secondsOfDay)
}

const secondsOfDay = 24 * 60 * 60

func (d Date) utc() time.Time { return time.Unix(int64(d)*secondsOfDay, 0).UTC() }

// String renders the date, for example "2026-03-01".
func (d Date) String() string { return d.utc().Format(time.DateOnly) }

func (p *Program) zone() *time.Location {
	if p.Zone == nil {
		return time.UTC
	}
	return p.Zone
}

// local is an instant in the program's zone.
func (p *Program) local(i Instant) time.Time { return i.Time().In(p.zone()) }

// dawn is the first instant whose local date is the one given. A date that a zone
// skipped begins with the one after it.
func (p *Program) dawn(d Date) Instant {
	midnight := d.utc()
	if p.Zone == nil || p.Zone == time.UTC {
		return At(midnight)
	}
	// No zone is further than a day from UTC.
	at := midnight.Add(-24 * time.Hour).In(p.Zone)
	for {
		_, offset := at.Zone()
		_, end := at.ZoneBounds()
		first := midnight.Add(-time.Duration(offset) * time.Second)
		if first.Before(at) {
			first = at
		}
		if end.IsZero() || first.Before(end) {
			return At(first)
		}
		at = end.In(p.Zone)
	}
}

// date is the local date of an instant.
func (p *Program) date(i Instant) Date { return DateOf(p.local(i)) }

// number counts a kind of period: of days the Date, of weeks since that of 1970,
// of months and cycles since January of year zero, and so of quarters and years. A
// cycle has the number of the month in which it begins.
func (p *Program) number(per Period, i Instant) int32 {
	if per == PerLifetime {
		return 0
	}
	n := p.numberOf(per, p.date(i))
	for i >= p.begins(per, n+1) { // a date that comes twice
		n++
	}
	for i < p.begins(per, n) {
		n--
	}
	return n
}

// weekOffset is from Monday to Thursday, the first day of 1970.
const weekOffset = 3

func (p *Program) numberOf(per Period, d Date) int32 {
	y, m, day := d.utc().Date()
	month := int32(y)*12 + int32(m) - 1
	switch per {
	case PerDay:
		return int32(d)
	case PerWeek:
		return (int32(d) + weekOffset) / 7
	case PerMonth:
		return month
	case PerQuarter:
		return month / 3
	case PerYear:
		return int32(y)
	case PerLifetime:
		return 0
	}
	if day < max(p.StatementDay, 1) {
		month--
	}
	return month
}

// begins is the first instant of a period; always for a lifetime.
func (p *Program) begins(per Period, n int32) Instant {
	month := func(n int32, day int) Instant {
		return p.dawn(DateOf(time.Date(int(n)/12, time.Month(n%12+1), day, 0, 0, 0, 0, time.UTC)))
	}
	switch per {
	case PerDay:
		return p.dawn(Date(n))
	case PerWeek:
		return p.dawn(Date(n*7 - weekOffset))
	case PerMonth:
		return month(n, 1)
	case PerQuarter:
		return month(n*3, 1)
	case PerYear:
		return month(n*12, 1)
	case PerLifetime:
		return always
	}
	return month(n, max(p.StatementDay, 1))
}

// ends is the first instant after a period; never for a lifetime.
func (p *Program) ends(per Period, n int32) Instant {
	if per == PerLifetime {
		return never
	}
	return p.begins(per, n+1)
}

// named is how a period is written: 2026-03-01, 2026-W09, 2026-03, 2026-Q1, 2026 or
// lifetime.
func (per Period) named(n int32) string {
	switch per {
	case PerDay:
		return Date(n).String()
	case PerWeek:
		y, w := Date(n*7 - weekOffset).utc().ISOWeek()
		return fmt.Sprintf("%04d-W%02d", y, w)
	case PerQuarter:
		return fmt.Sprintf("%04d-Q%d", n/4, n%4+1)
	case PerYear:
		return fmt.Sprintf("%04d", n)
	case PerLifetime:
		return PerLifetime.String()
	}
	return Cycle(n).String()
}

// CycleAt returns the billing cycle that holds an instant.
func (p *Program) CycleAt(i Instant) Cycle {
	if p.calendarMonths() {
		return CycleAt(i)
	}
	return Cycle(p.number(PerCycle, i))
}

// CycleStart is a billing cycle's first instant, the close of the one before.
func (p *Program) CycleStart(c Cycle) Instant {
	if p.calendarMonths() {
		return c.Start()
	}
	return p.begins(PerCycle, int32(c))
}

// CycleEnd is the instant at which a billing cycle closes.
func (p *Program) CycleEnd(c Cycle) Instant { return p.CycleStart(c + 1) }

// calendarMonths reports whether cycles are those of UTC.
func (p *Program) calendarMonths() bool { return p.Zone == nil && p.StatementDay <= 1 }
