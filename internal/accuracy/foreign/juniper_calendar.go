package foreign

import "time"

// juniperZone loads a zone that the program cannot do without.
func juniperZone(name string) *time.Location {
	loc, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	return loc
}

// juniperUp divides, rounding up.
func juniperUp(n, by int64) int64 { return (n + by - 1) / by }

// juniperMonth numbers the months of a zone; with a day above 1, those that begin on it.
func juniperMonth(t time.Time, loc *time.Location, day int) int {
	y, m, d := t.In(loc).Date()
	n := y*12 + int(m) - 1
	if d < day {
		n--
	}
	return n
}

// juniperMonthly is due on a day of those months that are given, or of all.
func juniperMonthly(loc *time.Location, day, hour int, months ...time.Month) func(*juniperAccount, time.Time) time.Time {
	return func(_ *juniperAccount, after time.Time) time.Time {
		y, m, _ := after.In(loc).Date()
		for {
			t := time.Date(y, m, day, hour, 0, 0, 0, loc)
			fits := len(months) == 0
			for _, want := range months {
				fits = fits || t.Month() == want
			}
			if fits && t.After(after) {
				return t
			}
			m++
		}
	}
}

// juniperDaily is due at an hour of every day (step 1) or of every Monday (step 7).
func juniperDaily(loc *time.Location, hour, step int) func(*juniperAccount, time.Time) time.Time {
	return func(_ *juniperAccount, after time.Time) time.Time {
		y, m, d := after.In(loc).Date()
		for {
			t := time.Date(y, m, d, hour, 0, 0, 0, loc)
			if t.After(after) && (step == 1 || t.Weekday() == time.Monday) {
				return t
			}
			d++
		}
	}
}

// juniperYearly is due so many days after the account was opened, and on that day of all
// years after.
func juniperYearly(loc *time.Location, days int) func(*juniperAccount, time.Time) time.Time {
	return func(a *juniperAccount, after time.Time) time.Time {
		y, m, d := a.opened.In(loc).Date()
		for {
			if t := time.Date(y, m, d+days, 12, 0, 0, 0, loc); t.After(after) {
				return t
			}
			y++
		}
	}
}
