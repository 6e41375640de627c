package intake

import (
	"strings"

	"recoup/reward"
)

// civil is a moment as calendars and clocks show it.
type civil struct {
	year, month, day     int
	hour, minute, second int
	nanos                int
}

var monthDays = [13]int{1: 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

// check refuses what no calendar or clock shows, leap seconds among it, and
// years beyond those that instants are of. A digit that was none shows as a
// negative number.
func (c *civil) check() class {
	if c.year < 0 || c.month < 1 || c.month > 12 || c.day < 1 ||
		uint(c.hour) > 23 || uint(c.minute) > 59 || uint(c.second) > 59 {
		return classTime
	}
	days := monthDays[c.month]
	if c.month == 2 && c.year%4 == 0 && (c.year%100 != 0 || c.year%400 == 0) {
		days = 29
	}
	switch {
	case c.day > days:
		return classTime
	case c.year < 1969 || c.year > 2200: // a day beyond, for offsets
		return classInstant
	}
	return good
}

// seconds counts from 1970 as if the clock showed UTC. The count of days is that
// of H. Hinnant, "chrono-compatible low-level date algorithms": years begin in
// March, so that the leap day is the last.
func (c *civil) seconds() int64 {
	year, month := c.year, c.month-3
	if month < 0 {
		year, month = year-1, month+12
	}
	era, ofEra := year/400, year%400
	days := era*146097 + ofEra*365 + ofEra/4 - ofEra/100 + (153*month+2)/5 + c.day - 1 - 719468
	return int64(days)*86400 + int64(c.hour*3600+c.minute*60+c.second)
}

// instant returns the moment, on a clock that is so many seconds ahead of UTC.
func (c *civil) instant(ahead int) (reward.Instant, class) {
	if why := c.check(); why != good {
		return 0, why
	}
	seconds := c.seconds() - int64(ahead)
	if seconds < int64(reward.EarliestInstant)/1e9 || seconds > int64(reward.LatestInstant)/1e9 {
		return 0, classInstant
	}
	return reward.Instant(seconds*1e9 + int64(c.nanos)), good
}

// two reads two digits; what is none makes it far below zero.
func two(s string, i int) int {
	a, b := s[i]-'0', s[i+1]-'0'
	if a > 9 || b > 9 {
		return -1_000_000
	}
	return int(a)*10 + int(b)
}

// fraction reads the decimals of a second, one to nine, and returns nanoseconds
// and how many digits there were, 0 if it is no such number.
func fraction(s string) (nanos, n int) {
	for n < len(s) && s[n]-'0' <= 9 {
		if n == 9 {
			return 0, 0
		}
		nanos = nanos*10 + int(s[n]-'0')
		n++
	}
	for i := n; i < 9; i++ {
		nanos *= 10
	}
	return nanos, n
}

// offset reads how far a clock is ahead of UTC, in seconds: Z or +01:00, and
// unless strict also UTC, +0100, +01 and a space before it.
func offset(s string, strict bool) (seconds int, ok bool) {
	if s == "Z" {
		return 0, true
	}
	if !strict {
		if s = strings.TrimPrefix(s, " "); s == "UTC" || s == "Z" || s == "z" {
			return 0, true
		}
	}
	if len(s) < len("+01") || s[0] != '+' && s[0] != '-' {
		return 0, false
	}
	hours, minutes := two(s, 1), 0
	switch n := len(s); {
	case n == len("+01:00") && s[3] == ':':
		minutes = two(s, 4)
	case strict:
		return 0, false
	case n == len("+0100"):
		minutes = two(s, 3)
	case n != len("+01"):
		return 0, false
	}
	if uint(hours) > 23 || uint(minutes) > 59 {
		return 0, false
	}
	seconds = hours*3600 + minutes*60
	if s[0] == '-' {
		seconds = -seconds
	}
	return seconds, true
}

// offsetLength is how many bytes at the beginning of s may be an offset.
func offsetLength(s string) int {
	n := len(s) - len(strings.TrimLeft(s, "Zz+-:0123456789UTC"))
	return min(n, len("+01:00"))
}
