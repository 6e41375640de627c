package foreign

import (
	"time"
	_ "time/tzdata" // so that a machine without zones books at the same instants
)

// lagoonZone is a zone that is known to exist.
func lagoonZone(name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	return zone
}

// lagoonNightly is the first time after that one at which a local clock shows the hour.
func lagoonNightly(after time.Time, zone *time.Location, hour int) time.Time {
	l := after.In(zone)
	for d := l.Day(); ; d++ {
		if t := time.Date(l.Year(), l.Month(), d, hour, 0, 0, 0, zone); t.After(after) {
			return t
		}
	}
}

// lagoonMonthly is the first beginning of that local day of a month after that time.
func lagoonMonthly(after time.Time, zone *time.Location, day int) time.Time {
	l := after.In(zone)
	for m := l.Month(); ; m++ {
		if t := time.Date(l.Year(), m, day, 0, 0, 0, 0, zone); t.After(after) {
			return t
		}
	}
}

// lagoonUp is n · num / den, rounded up.
func lagoonUp(n, num, den int64) int64 { return (n*num + den - 1) / den }
