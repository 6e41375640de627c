package foreign

import (
	"time"
	_ "time/tzdata" // zones must be there wherever this runs
)

// derive finds what is left of each purchase at a time: first what returns say themselves,
// then those that name no purchase, or one that has not turned up for too long.
func (d *walrusDesk) derive(a *walrusAccount, at time.Time) {
	if !a.stale && (a.parked.IsZero() || a.parked.After(at)) {
		return
	}
	a.stale, a.parked = false, time.Time{}
	for _, p := range a.purchases {
		p.left, p.pieces = p.Amount, nil
	}
	var nameless []*walrusReturn
	for _, r := range a.returns {
		if p := a.known[r.Transaction]; p != nil {
			amount := r.Amount
			if r.all {
				amount = p.left
			}
			p.take(r.At, amount)
		} else if free := r.came.AddDate(0, 0, walrusParkDays); r.Transaction == "" || !free.After(at) {
			nameless = append(nameless, r)
		} else if a.parked.IsZero() || free.Before(a.parked) {
			a.parked = free
		}
	}
	for _, r := range nameless {
		d.place(a, r)
	}
}

// take takes a part back and says how much that was.
func (p *walrusPurchase) take(at time.Time, amount int64) int64 {
	amount = min(amount, p.left)
	if amount > 0 {
		p.left -= amount
		p.pieces = append(p.pieces, walrusPiece{at, amount})
	}
	return amount
}

// place finds purchases for a return that names none: of its merchant, else of its kind,
// else any; made before it, else soon after; of these where it takes most, then the newest.
func (d *walrusDesk) place(a *walrusAccount, r *walrusReturn) {
	end := r.At.AddDate(0, 0, walrusLateDays)
	for amount := r.Amount; amount > 0; {
		worth := d.clerk.worth(a, amount)
		var best *walrusPurchase
		var bestClass int
		var bestWorth int64
		for _, p := range a.purchases {
			if p.left == 0 || p.At.After(end) {
				continue
			}
			c, w := r.class(p), worth(p)
			if best == nil || c < bestClass || c == bestClass && (w > bestWorth || w == bestWorth && !p.At.Before(best.At)) {
				best, bestClass, bestWorth = p, c, w
			}
		}
		if best == nil {
			return
		}
		amount -= best.take(r.At, amount)
	}
}

// class says how well a purchase fits: the lower the better.
func (r *walrusReturn) class(p *walrusPurchase) int {
	c := 2
	if r.Merchant != "" && r.Merchant == p.Merchant {
		c = 0
	} else if r.Category != "" && r.Category == p.Category || r.MCC != "" && r.MCC == p.MCC {
		c = 1
	}
	if p.At.After(r.At) {
		c += 3
	}
	return c
}

// walrusFall ranks by how much the value of a period falls for each unit of a return, if as
// much as possible of it is of that period's purchases.
func walrusFall(a *walrusAccount, amount int64, period func(*walrusPurchase) string, value func(spend int64) int64) func(*walrusPurchase) int64 {
	spend := map[string]int64{}
	for _, p := range a.purchases {
		spend[period(p)] += p.left
	}
	fall := map[string]int64{}
	for k, s := range spend {
		if m := min(amount, s); m > 0 {
			fall[k] = (value(s) - value(s-m)) * 10000 / m
		}
	}
	return func(p *walrusPurchase) int64 { return fall[period(p)] }
}

// walrusMonthly is the first instant after another that is a day of a month at an hour.
func walrusMonthly(after time.Time, zone *time.Location, day, hour int) time.Time {
	l := after.In(zone)
	for m := l.Month(); ; m++ {
		if t := time.Date(l.Year(), m, day, hour, 0, 0, 0, zone); t.After(after) {
			return t
		}
	}
}

// walrusNightly is the first instant after another that is an hour of a day.
func walrusNightly(after time.Time, zone *time.Location, hour int) time.Time {
	l := after.In(zone)
	for day := l.Day(); ; day++ {
		if t := time.Date(l.Year(), l.Month(), day, hour, 0, 0, 0, zone); t.After(after) {
			return t
		}
	}
}

// walrusZone is a zone that is known to exist.
func walrusZone(name string) *time.Location {
	z, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	return z
}
