package judge

import "recoup/reward"

// cycle is one of the program's cycles with its bounds.
type cycle struct {
	reward.Cycle
	start, end reward.Instant // the end is the next one's start
}

// calendar tells cycles by instants. It remembers the latest, since rows come in order.
type calendar struct {
	program *reward.Program
	latest  cycle
}

func (c *calendar) at(t reward.Instant) cycle {
	if l := c.latest; t < l.start || t >= l.end {
		of := c.program.CycleAt(t)
		c.latest = cycle{of, c.program.CycleStart(of), c.program.CycleEnd(of)}
	}
	return c.latest
}

// How far rows may lie apart and still belong together.
const (
	together     = reward.Day / 24 / 12 // rows of one moment
	atOnceWithin = reward.Day           // what comes at once, or with a close just before it
	tooEarly     = 3 * reward.Day       // after a close its postings may still be missing
	lateRows     = 10 * reward.Day      // rows of any kind that are late, what a close posts too
	recently     = 45 * reward.Day      // a refund that rows which fit none are taken for
	forgotten    = 100 * reward.Day     // a refund that rows which name no purchase are not taken for any more
)

// days counts whole days of 24 hours, none if the second is before the first.
func days(from, to reward.Instant) int64 { return int64(max(0, to-from) / reward.Day) }
