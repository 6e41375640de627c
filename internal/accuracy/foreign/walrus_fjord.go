package foreign

import (
	"sort"
	"time"
)

var walrusFjord = Design{
	Name:   "walrus-fjord",
	Source: "After Norwegian airline and grocery credit cards that give points per full 100 kr (from memory).",
	Published: "30 points for every full 100 kr at grocers, 10 for every full 100 kr elsewhere. Points are on the account after " +
		"the statement of the 12th and can be used from then on. Points are of what is bought and kept: of returned goods they are " +
		"taken back with the next statement, and cannot be used once the return is known.",
	How: "At each statement every month of account whose points are no longer right is cancelled whole and stated anew, however " +
		"old it is: one row of its old points backwards, one of the new, neither naming a purchase. What a known return will take is " +
		"deducted from what can be used until then; balances below zero stay.",
	Class: "robust", Currency: "NOK",
	New: func() Engine { return walrusNewDesk(&walrusFjordClerk{zone: walrusZone("Europe/Oslo")}) },
}

// walrusFjordClerk states months of account, and restates them.
type walrusFjordClerk struct{ zone *time.Location }

func (c *walrusFjordClerk) next(after time.Time) time.Time {
	return walrusMonthly(after, c.zone, 12, 0)
}

// rate is the points of a full 100 kr.
func (c *walrusFjordClerk) rate(p *walrusPurchase) int64 {
	if p.Category == "GROCERY" {
		return 30
	}
	return 10
}

// targets are the points of each month of account that ended by a time.
func (c *walrusFjordClerk) targets(a *walrusAccount, until time.Time) map[string]int64 {
	points := map[string]int64{}
	for _, p := range a.purchases {
		if p.At.Before(until) {
			if p.period == "" {
				p.period = c.next(p.At).Format("02.01.2006")
			}
			points[p.period] += p.left / 10000 * c.rate(p)
		}
	}
	return points
}

func (c *walrusFjordClerk) batch(a *walrusAccount, at time.Time) {
	targets := c.targets(a, at)
	months := make([]string, 0, len(targets))
	for m := range targets {
		months = append(months, m)
	}
	sort.Slice(months, func(i, j int) bool { // by year, month, day
		x, y := months[i], months[j]
		return x[6:]+x[3:5]+x[:2] < y[6:]+y[3:5]+y[:2]
	})
	for _, m := range months {
		old, points := a.booked[m], targets[m]
		if old == points {
			continue
		}
		a.post(Posting{At: at, Kind: Reversed, Amount: -old, Note: "Storno konto " + m})
		a.post(Posting{At: at, Kind: Earned, Amount: points, Note: "Poeng konto " + m})
		a.booked[m] = points
	}
}

// event books nothing: statements do.
func (c *walrusFjordClerk) event(*walrusAccount, time.Time) {}

func (c *walrusFjordClerk) worth(*walrusAccount, int64) func(*walrusPurchase) int64 { return c.rate }

// unbooked does not set new points off against those that will go: they are not stated yet.
func (c *walrusFjordClerk) unbooked(a *walrusAccount, _ time.Time) int64 {
	var gone int64
	for m, points := range c.targets(a, a.last) {
		gone += max(0, a.booked[m]-points)
	}
	return gone
}
