package foreign

import "time"

// amberNextDay is the first instant after the given one that begins such a day of a month.
func amberNextDay(after time.Time, zone *time.Location, day int) time.Time {
	local := after.In(zone)
	at := time.Date(local.Year(), local.Month(), day, 0, 0, 0, 0, zone)
	if !at.After(after) {
		at = time.Date(local.Year(), local.Month()+1, day, 0, 0, 0, 0, zone)
	}
	return at
}

// amberDayEnd is the first instant of the local day after the one that a time lies in.
func amberDayEnd(at time.Time, zone *time.Location) time.Time {
	local := at.In(zone)
	return time.Date(local.Year(), local.Month(), local.Day()+1, 0, 0, 0, 0, zone)
}

// amberQuarter numbers calendar quarters.
func amberQuarter(at time.Time, zone *time.Location) int {
	local := at.In(zone)
	return local.Year()*4 + (int(local.Month())-1)/3
}

// amberUp divides and rounds up; both are above or at zero.
func amberUp(amount, by int64) int64 { return (amount + by - 1) / by }
