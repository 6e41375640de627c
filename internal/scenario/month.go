package scenario

import "time"

// FirstOfMonth is the beginning, in UTC, of the month that is so many months after that of a
// time: statements are of calendar months, and are due there.
func FirstOfMonth(at time.Time, later int) time.Time {
	return time.Date(at.Year(), at.Month()+time.Month(later), 1, 0, 0, 0, 0, time.UTC)
}
