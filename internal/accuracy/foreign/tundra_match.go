package foreign

import (
	"slices"
	"time"
)

// tundraCalendar is local time.
type tundraCalendar struct{ zone *time.Location }

// newTundraCalendar is the calendar of a zone that exists.
func newTundraCalendar(zone string) tundraCalendar {
	loc, err := time.LoadLocation(zone)
	if err != nil {
		panic(err) // the zones are built in and their names constants
	}
	return tundraCalendar{loc}
}

func (c tundraCalendar) day(t time.Time) string   { return t.In(c.zone).Format("2006-01-02") }
func (c tundraCalendar) month(t time.Time) string { return t.In(c.zone).Format("2006-01") }

// quarter counts quarters since year 0.
func (c tundraCalendar) quarter(t time.Time) int64 {
	l := t.In(c.zone)
	return int64(l.Year())*4 + int64(l.Month()-1)/3
}

// nextDay is the local midnight after t.
func (c tundraCalendar) nextDay(t time.Time) time.Time {
	y, m, d := t.In(c.zone).Date()
	return time.Date(y, m, d+1, 0, 0, 0, 0, c.zone)
}

// nextMonthly is the first beginning of such a day of a month after t.
func (c tundraCalendar) nextMonthly(t time.Time, day int) time.Time {
	y, m, _ := t.In(c.zone).Date()
	at := time.Date(y, m, day, 0, 0, 0, 0, c.zone)
	if !at.After(t) {
		at = time.Date(y, m+1, day, 0, 0, 0, 0, c.zone)
	}
	return at
}

// cycle names the cycle that t is in by the instant at which it ends.
func (c tundraCalendar) cycle(t time.Time, day int) int64 { return c.nextMonthly(t, day).Unix() }

// dearest is what a refund without a purchase's name may be of: the highest rate of any
// purchase that it can be of, and how much of it these can be. They are those of its
// merchant, if what is left of them is enough, else all of which something is left.
func (a *tundraAccount) dearest(r *tundraReturn, rate func(*tundraPurchase) int64) (top, spend int64) {
	var mine, mineTop int64
	last := r.at.Add(tundraLag)
	for _, p := range a.bought {
		if p.at.After(last) {
			break
		}
		left := p.left()
		if left == 0 {
			continue
		}
		top, spend = max(top, rate(p)), spend+left
		if r.merchant != "" && p.merchant == r.merchant {
			mineTop, mine = max(mineTop, rate(p)), mine+left
		}
	}
	if mine >= r.amount {
		top = mineTop
	}
	return top, min(spend, r.amount)
}

// ceiling is the most that a stray refund can be worth: the dearest rate, in parts of
// tundraParts, rounded up to full units. So whatever purchase it is really of, the
// customer keeps nothing of it.
func (a *tundraAccount) ceiling(r *tundraReturn, unit int64, rate func(*tundraPurchase) int64) int64 {
	top, spend := a.dearest(r, rate)
	return ((spend+unit-1)/unit*unit*top + tundraParts - 1) / tundraParts
}

// tundraParts is what rates are parts of.
const tundraParts = 10_000

// addStray files a stray refund in order of time.
func (a *tundraAccount) addStray(r *tundraReturn) {
	i, _ := slices.BinarySearchFunc(a.strays, r, func(x, y *tundraReturn) int {
		if c := x.at.Compare(y.at); c != 0 {
			return c
		}
		return -1 // of equals the one that came first
	})
	a.strays = slices.Insert(a.strays, i, r)
}

// attach gives a stray refund to purchases: of its merchant first, and of these to those
// which still have most for each unit of what is left of them. What no purchase can take
// waits for those that clear later. Only purchases for which in holds come into question.
func (a *tundraAccount) attach(r *tundraReturn, in func(*tundraPurchase) bool) {
	rest := r.amount
	for rest > 0 {
		var best *tundraPurchase
		for _, p := range a.bought {
			if p.left() > 0 && !p.at.After(r.at.Add(tundraLag)) && (in == nil || in(p)) && (best == nil || r.prefers(p, best)) {
				best = p
			}
		}
		if best == nil {
			a.addStray(&tundraReturn{id: r.id, merchant: r.merchant, amount: rest, at: r.at})
			return
		}
		rest -= a.desk.apply(a, best, r, rest)
	}
}

// prefers says whether the refund is rather of p than of q, which comes before it.
func (r *tundraReturn) prefers(p, q *tundraPurchase) bool {
	if mine := p.merchant == r.merchant; r.merchant != "" && mine != (q.merchant == r.merchant) {
		return mine
	}
	return p.kept*q.left() >= q.kept*p.left()
}

// retry offers strays that nothing could take to purchases that have cleared since.
func (a *tundraAccount) retry(in func(*tundraPurchase) bool) {
	waiting := a.strays
	a.strays = nil
	for _, r := range waiting {
		a.attach(r, in)
	}
}
