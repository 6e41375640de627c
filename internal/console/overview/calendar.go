package overview

import "recoup/reward"

// calendars are programs by what their rewards are in: a statement is of a cycle of its
// program, which begins with a day of the month in a zone.
type calendars map[string][]*reward.Program

func calendarsOf(programs []Program) calendars {
	by := make(calendars)
	for i := range programs {
		if p := programs[i].InForce.Terms; programs[i].Accounts > 0 { // others have no statements
			by[p.RewardUnit()] = append(by[p.RewardUnit()], p)
		}
	}
	return by
}

// open is the latest cycle that is open in a currency.
func (c calendars) open(currency string, at reward.Instant) reward.Cycle {
	var latest reward.Cycle
	for i, p := range c[currency] {
		if open := p.CycleAt(at); i == 0 || open > latest {
			latest = open
		}
	}
	if len(c[currency]) == 0 {
		return reward.CycleAt(at)
	}
	return latest
}

// shared is a program whose cycles are those of all in a currency, or nil.
func (c calendars) shared(currency string) *reward.Program {
	list := c[currency]
	for _, p := range list {
		if !SameCycles(list[0], p) {
			return nil
		}
	}
	if len(list) == 0 {
		return nil
	}
	return list[0]
}

// SameCycles reports whether cycles of two programs begin and close together.
func SameCycles(p, q *reward.Program) bool {
	return max(p.StatementDay, 1) == max(q.StatementDay, 1) && zone(p) == zone(q)
}

func zone(p *reward.Program) string {
	if p.Zone == nil {
		return "UTC"
	}
	return p.Zone.String()
}
