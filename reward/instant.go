package reward

import "time"

// Instant is a moment in nanoseconds since the Unix epoch, UTC. The core knows
// no clock: every instant comes from an event.
type Instant int64

// Day is the length of the days in which programs count.
const Day = Instant(24 * time.Hour)

// EarliestInstant and LatestInstant bound the times that events may carry, so
// that adding any program period to one cannot overflow.
var (
	EarliestInstant = At(time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC))
	LatestInstant   = At(time.Date(2199, 12, 31, 23, 59, 59, 999999999, time.UTC))
)

// At converts a time between EarliestInstant and LatestInstant.
func At(t time.Time) Instant { return Instant(t.UnixNano()) }

// Time returns the instant as a time in UTC.
func (i Instant) Time() time.Time { return time.Unix(0, int64(i)).UTC() }

// String renders the instant as RFC 3339 in UTC.
func (i Instant) String() string { return i.Time().Format(time.RFC3339Nano) }

// plusDays returns the instant n days of 24 hours later.
func (i Instant) plusDays(n int) Instant { return i + Instant(n)*Day }

// Cycle is a billing cycle, t.n in the paper: a calendar month in UTC, counted
// in months since January of year zero.
type Cycle int32

// CycleAt returns the cycle that holds the instant.
func CycleAt(i Instant) Cycle {
	t := i.Time()
	return Cycle(t.Year()*12 + int(t.Month()) - 1)
}

// Start returns the cycle's first instant, which is the close of the one before.
func (c Cycle) Start() Instant {
	return At(time.Date(int(c)/12, time.Month(int(c)%12+1), 1, 0, 0, 0, 0, time.UTC))
}

// End returns the instant at which the cycle closes, the first of the next one.
func (c Cycle) End() Instant { return (c + 1).Start() }

// String renders the cycle as year and month, for example "2026-01".
func (c Cycle) String() string { return c.Start().Time().Format("2006-01") }
