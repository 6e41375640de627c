package demo

import (
	"time"

	"recoup/reward"
)

// history is how many whole months the data goes back.
const history = 9

// calendar dates the stories from the moment that the data ends at.
type calendar struct{ now time.Time }

// cycle returns the billing cycle n months before the one of the present moment.
func (c calendar) cycle(n int) reward.Cycle {
	return reward.CycleAt(reward.At(c.now)) - reward.Cycle(n)
}

// start is when the data begins.
func (c calendar) start() time.Time { return c.month(history, 1).Add(-12 * time.Hour) }

// month returns noon on a day, up to the 28th, of the month n months ago. From
// one month ago on it is in the past, whatever day it is today.
func (c calendar) month(n, day int) time.Time {
	return c.cycle(n).Start().Time().AddDate(0, 0, day-1).Add(12 * time.Hour)
}

// ago returns a moment so long ago, to the second.
func (c calendar) ago(d time.Duration) time.Time { return c.now.Add(-d).Truncate(time.Second) }

// days is ago in days.
func (c calendar) days(n int) time.Time { return c.ago(time.Duration(n) * 24 * time.Hour) }

// current returns a moment within the open cycle: halfway between its start and
// now.
func (c calendar) current() time.Time {
	start := c.cycle(0).Start().Time()
	return start.Add(c.now.Sub(start) / 2).Truncate(time.Second)
}
