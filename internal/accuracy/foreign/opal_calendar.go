package foreign

import "time"

// opalZone loads a zone of which it is known that it exists.
func opalZone(name string) *time.Location {
	z, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	return z
}

// opalFirst is the earlier of two instants, where b counts only if it is after the given
// one, and a zero a not at all.
func opalFirst(a, b, after time.Time) time.Time {
	if b.After(after) && (a.IsZero() || b.Before(a)) {
		return b
	}
	return a
}

// opalDay is the local date as a number, like 20260304.
func opalDay(t time.Time, z *time.Location) int {
	y, m, d := t.In(z).Date()
	return y*10000 + int(m)*100 + d
}

// opalMonth is the local month as a number, like 202603.
func opalMonth(t time.Time, z *time.Location) int { return opalDay(t, z) / 100 }

// opalYear is the local year.
func opalYear(t time.Time, z *time.Location) int { return t.In(z).Year() }

// opalQuarter numbers local quarters, so that one less is the quarter before.
func opalQuarter(t time.Time, z *time.Location) int {
	y, m, _ := t.In(z).Date()
	return y*4 + (int(m)-1)/3
}

// opalNextDay is the midnight at which the local day of t ends.
func opalNextDay(t time.Time, z *time.Location) time.Time {
	y, m, d := t.In(z).Date()
	return time.Date(y, m, d+1, 0, 0, 0, 0, z)
}

// opalNextClose is the first midnight after t at which a local day of that number begins.
func opalNextClose(t time.Time, day int, z *time.Location) time.Time {
	y, m, _ := t.In(z).Date()
	c := time.Date(y, m, day, 0, 0, 0, 0, z)
	if !c.After(t) {
		c = time.Date(y, m+1, day, 0, 0, 0, 0, z)
	}
	return c
}

// opalNewMember says whether t lies in the first days of a membership.
func opalNewMember(opened, t time.Time, days int) bool {
	return !t.Before(opened) && t.Before(opened.Add(time.Duration(days)*opal24h))
}

// opalCeil is a/b rounded up, for a ≥ 0.
func opalCeil(a, b int64) int64 { return (a + b - 1) / b }

// opalShare is how a rate in so many per part turns loose refunds into what they cost.
func opalShare(part int64) func(amount, rate int64) int64 {
	return func(amount, rate int64) int64 { return opalCeil(amount*rate, part) }
}
