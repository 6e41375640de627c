package attack

import (
	"time"

	"recoup/reward"
)

// calendar is the grid of days on which a customer acts, and what happens
// between them. Moves are made at the start of a day, in UTC, so those of the
// first of a month come right after the close of the month before.
type calendar []actingDay

// actingDay is one point of the grid.
type actingDay struct {
	at    time.Time
	cycle int // from zero
	// until are the statement closes between this day and the next one, and the
	// next one itself; after the last day, the closes of this month and the next.
	// By then all that was delivered is settled at every design.
	until []stop
}

// stop is a moment to which the clock is set.
type stop struct {
	at    time.Time
	days  int64 // since the stop before
	close bool  // a statement close
}

// firstMonth is when every attack begins. It is arbitrary but for the months
// after it: a 30-day return window that opens on 31 January touches three.
var firstMonth = reward.CycleAt(reward.At(time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)))

// newCalendar lays out the given number of cycles. A day that a month lacks is
// that month's last.
func newCalendar(days []int, cycles int) calendar {
	var c calendar
	for i := range cycles {
		month := firstMonth + reward.Cycle(i)
		start, length := month.Start().Time(), int((month.End()-month.Start())/reward.Day)
		last := 0
		for _, d := range days {
			if d = min(d, length); d != last {
				c = append(c, actingDay{at: start.AddDate(0, 0, d-1), cycle: i})
				last = d
			}
		}
	}
	for i := range c {
		next := (firstMonth + reward.Cycle(cycles) + 1).Start().Time()
		if i+1 < len(c) {
			next = c[i+1].at
		}
		c[i].until = stops(c[i].at, next)
	}
	return c
}

// stops are the closes after one moment and up to another, and the other.
func stops(from, to time.Time) []stop {
	var list []stop
	for at := from; at.Before(to); {
		next := stop{at: reward.CycleAt(reward.At(at)).End().Time(), close: true}
		if next.at.After(to) {
			next = stop{at: to}
		}
		next.days = int64(next.at.Sub(at) / (24 * time.Hour))
		list = append(list, next)
		at = next.at
	}
	return list
}

// lastCycle is the one in which the customer buys no more.
func (c calendar) lastCycle() int { return c[len(c)-1].cycle }
