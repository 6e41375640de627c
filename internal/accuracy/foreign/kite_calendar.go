package foreign

import "time"

// kiteZone is a zone of the embedded database.
func kiteZone(name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	return zone
}

// kiteMonth numbers local months.
func kiteMonth(t time.Time, zone *time.Location) int {
	l := t.In(zone)
	return l.Year()*12 + int(l.Month()) - 1
}

// kiteDaily is the first time after t that a local clock shows hour:minute.
func kiteDaily(t time.Time, zone *time.Location, hour, minute int) time.Time {
	l := t.In(zone)
	for day := l.Day(); ; day++ {
		if at := time.Date(l.Year(), l.Month(), day, hour, minute, 0, 0, zone); at.After(t) {
			return at
		}
	}
}

// kiteMonthly is the first time after t that it is hour o'clock on that day of a month.
func kiteMonthly(t time.Time, zone *time.Location, day, hour int) time.Time {
	l := t.In(zone)
	for month := l.Month(); ; month++ {
		if at := time.Date(l.Year(), month, day, hour, 0, 0, 0, zone); at.After(t) {
			return at
		}
	}
}
