package reward_test

import (
	"fmt"
	"time"

	"recoup/reward"
)

// naiveDate is a calendar date at UTC midnight.
type naiveDate = time.Time

func naiveZone(p *reward.Program) *time.Location {
	if p.Zone == nil {
		return time.UTC
	}
	return p.Zone
}

// naiveLocalDate is the date of an instant where the program is.
func naiveLocalDate(p *reward.Program, at reward.Instant) naiveDate {
	y, m, d := at.Time().In(naiveZone(p)).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}

var naiveDawns = map[string]reward.Instant{}

// naiveDawn looks for the first minute of a date where the program is: minute by
// minute, since no zone here changes its clocks at another time.
func naiveDawn(p *reward.Program, date naiveDate) reward.Instant {
	key := naiveZone(p).String() + date.Format(time.DateOnly)
	if at, known := naiveDawns[key]; known {
		return at
	}
	at := date.Add(-26 * time.Hour)
	for naiveLocalDate(p, reward.At(at)).Before(date) {
		at = at.Add(time.Minute)
	}
	naiveDawns[key] = reward.At(at)
	return naiveDawns[key]
}

// naiveSpan is a period: its first instant, that of the next, and how it is written.
type naiveSpan struct {
	begins, ends reward.Instant
	name         string
}

// naivePeriods are those that were asked for: traces ask for few, again and again.
var naivePeriods = map[naiveWhen]naiveSpan{}

type naiveWhen struct {
	program *reward.Program
	per     reward.Period
	at      reward.Instant
}

func naivePeriod(p *reward.Program, per reward.Period, at reward.Instant) naiveSpan {
	when := naiveWhen{p, per, at}
	span, known := naivePeriods[when]
	if !known {
		if len(naivePeriods) > 100_000 {
			clear(naivePeriods)
		}
		span = naiveFindPeriod(p, per, at)
		naivePeriods[when] = span
	}
	return span
}

// naiveFindPeriod is the period that holds an instant: of the candidates around it the
// last that has begun.
func naiveFindPeriod(p *reward.Program, per reward.Period, at reward.Instant) naiveSpan {
	if per == reward.PerLifetime {
		return naiveSpan{noHold, 1<<63 - 1, "lifetime"}
	}
	first := naiveFirstDay(p, per, naiveLocalDate(p, at))
	for naiveDawn(p, naiveFirstDay(p, per, naiveNextDay(per, first))) <= at {
		first = naiveFirstDay(p, per, naiveNextDay(per, first))
	}
	next := naiveFirstDay(p, per, naiveNextDay(per, first))
	return naiveSpan{naiveDawn(p, first), naiveDawn(p, next), naivePeriodName(per, first)}
}

func naiveNextDay(per reward.Period, first naiveDate) naiveDate {
	switch per {
	case reward.PerDay:
		return first.AddDate(0, 0, 1)
	case reward.PerWeek:
		return first.AddDate(0, 0, 7)
	case reward.PerQuarter:
		return first.AddDate(0, 3, 0)
	case reward.PerYear:
		return first.AddDate(1, 0, 0)
	}
	return first.AddDate(0, 1, 0)
}

// naiveFirstDay is the first day of the period that a date is in.
func naiveFirstDay(p *reward.Program, per reward.Period, date naiveDate) naiveDate {
	y, m, d := date.Date()
	switch per {
	case reward.PerDay:
		return date
	case reward.PerWeek:
		for date.Weekday() != time.Monday {
			date = date.AddDate(0, 0, -1)
		}
		return date
	case reward.PerQuarter:
		return time.Date(y, (m-1)/3*3+1, 1, 0, 0, 0, 0, time.UTC)
	case reward.PerYear:
		return time.Date(y, 1, 1, 0, 0, 0, 0, time.UTC)
	case reward.PerCycle:
		if day := max(1, p.StatementDay); d >= day {
			return time.Date(y, m, day, 0, 0, 0, 0, time.UTC)
		} else {
			return time.Date(y, m-1, day, 0, 0, 0, 0, time.UTC)
		}
	}
	return time.Date(y, m, 1, 0, 0, 0, 0, time.UTC)
}

func naivePeriodName(per reward.Period, first naiveDate) string {
	switch per {
	case reward.PerDay:
		return first.Format("2006-01-02")
	case reward.PerWeek:
		y, w := first.ISOWeek()
		return fmt.Sprintf("%d-W%02d", y, w)
	case reward.PerQuarter:
		return fmt.Sprintf("%d-Q%d", first.Year(), (int(first.Month())+2)/3)
	case reward.PerYear:
		return fmt.Sprint(first.Year())
	}
	return first.Format("2006-01")
}

// naiveCycle is the billing cycle of an instant, by the month in which it begins.
func naiveCycle(p *reward.Program, at reward.Instant) reward.Cycle {
	c, ok := reward.ParseCycle(naivePeriod(p, reward.PerCycle, at).name)
	if !ok {
		panic("no cycle")
	}
	return c
}
