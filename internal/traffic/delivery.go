package traffic

import (
	"time"

	"recoup/reward"
)

// delivery is the network between what happens and who hears of it: events may
// come late, or twice.
type delivery struct {
	world                *world
	duplicates, disorder int
	late                 queue[reward.Event]
	held                 reward.Event // has happened, but late ones come first
	holding              bool
}

// delay is how late late events are: half within ten minutes, nine in ten within
// six hours.
var delay = linear(
	quantile{0, int64(time.Second)},
	quantile{500, int64(10 * time.Minute)},
	quantile{900, int64(6 * time.Hour)},
	quantile{990, int64(48 * time.Hour)},
	quantile{1000, int64(120 * time.Hour)},
)

func (d *delivery) next() reward.Event {
	for {
		if !d.holding {
			d.held, d.holding = d.world.next(), true
		}
		if d.late.due(d.held.Time) {
			_, e := d.late.pop()
			return e
		}
		e := d.held
		d.holding = false
		dice := d.world.dice
		if dice.chance(d.duplicates) {
			d.late.push(e.Time+reward.Instant(delay.draw(dice)), e)
		}
		if !dice.chance(d.disorder) {
			return e
		}
		d.late.push(e.Time+reward.Instant(delay.draw(dice)), e)
	}
}
