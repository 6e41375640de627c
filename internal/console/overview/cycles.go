package overview

import (
	"context"
	"time"

	"recoup/reward"
)

// How many cycles are shown, and of how many before that of the month the stored statements are
// added up at every reading.
const (
	shownCycles = 13
	warmCycles  = 3
)

// coldFor is how long the sums of earlier cycles are remembered.
const coldFor = reward.Instant(time.Hour)

// firstCycle is the earliest that any program can show: one with a statement day, or with
// a zone behind UTC, may be in the cycle before that of the month.
func firstCycle(at reward.Instant) reward.Cycle { return reward.CycleAt(at) - shownCycles }

// pastCycles remembers the sums of cycles that are long over, by currency. A
// statement is stored when its account posts again, however much later, so an
// early cycle has some that are stored and some that are not. Both are
// remembered as of one moment, or those stored meanwhile would be missing.
type pastCycles struct {
	at    reward.Instant // when they were read; zero: never
	first reward.Cycle
	sums  map[string]map[reward.Cycle]Cycle
}

// read returns the cycles to show by currency.
func (c *pastCycles) read(ctx context.Context, s Store, n *counted, by calendars) (map[string][]Cycle, error) {
	first, warm := firstCycle(n.at), reward.CycleAt(n.at)-warmCycles
	whole := c.at == 0 || c.first != first || n.at-c.at >= coldFor || n.at < c.at
	from := warm
	if whole {
		from = first
	}
	stored, err := s.StatementSums(ctx, from)
	if err != nil {
		return nil, err
	}
	sums := make(map[string]map[reward.Cycle]Cycle, len(n.currencies))
	for code, p := range n.currencies {
		sums[code] = p.tallies
	}
	for i := range stored {
		of := sums[stored[i].Currency]
		if of == nil {
			continue // of accounts that came after all were counted
		}
		sum := of[stored[i].Cycle]
		sum.add(stored[i].Accounts, &stored[i].Statement)
		of[stored[i].Cycle] = sum
	}
	if whole {
		*c = pastCycles{n.at, first, make(map[string]map[reward.Cycle]Cycle, len(sums))}
	}
	shown := make(map[string][]Cycle, len(sums))
	for code, of := range sums {
		if whole {
			c.sums[code] = coldOf(of, warm)
		}
		open := by.open(code, n.at)
		last := open
		for cycle := range of {
			last = max(last, cycle) // dated ahead
		}
		for cycle := open - shownCycles + 1; cycle <= last; cycle++ {
			sum := of[cycle]
			if cycle < warm {
				sum = c.sums[code][cycle]
			}
			sum.Cycle = cycle
			shown[code] = append(shown[code], sum)
		}
	}
	return shown, nil
}

// coldOf returns the sums of the cycles before one.
func coldOf(sums map[reward.Cycle]Cycle, before reward.Cycle) map[reward.Cycle]Cycle {
	cold := make(map[reward.Cycle]Cycle)
	for cycle, sum := range sums {
		if cycle < before {
			cold[cycle] = sum
		}
	}
	return cold
}
