package foreign

import (
	"fmt"
	"time"
)

var tulipTokyo = tulipZone("Asia/Tokyo")

var tulipNightfileDesign = Design{
	Name:   "tulip-nightfile",
	Source: "Style of Japanese common points (one point for each 200 yen, more online, a monthly limit for the more); section 5.3 III-A, batched",
	Published: "1 point (1 yen) for each full 200 yen of a purchase; online and electronics 3 points for each full 200 yen, up to 10,000 points a calendar month. " +
		"Points are entered by the file of the next 3 a.m. and can be used from then. Points of returned goods are deducted, counted anew on what was kept; " +
		"until the file has run they are blocked from the moment we hear of the return. The balance may become negative. A return that we cannot assign is deducted at 3 points for each 200 yen begun.",
	How: "One ledger row per night in which anything changed: the difference between what the account should have and what had been filed, without naming " +
		"purchases; a return that meets new purchases is a smaller grant. Between return and file the ledger still shows the points, but the redemption gate holds them.",
	Class:    "robust",
	Currency: "JPY",
	New: func() Engine {
		return tulipOpen(func(f *tulipFile) tulipClerk { return &tulipNightfile{f: f, filed: map[*tulipBuy]bool{}} })
	},
}

const tulipNightfileCap = 10000

// tulipNightfile posts one difference a night.
type tulipNightfile struct {
	f      *tulipFile
	filed  map[*tulipBuy]bool
	posted int64
	astray int64 // points of returns that could not be assigned
	due    time.Time
	number int
}

func (c *tulipNightfile) bought(*tulipBuy) { c.queue() }

func (c *tulipNightfile) returned(b *tulipBuy, r tulipReturn) {
	if b == nil {
		c.astray += 3 * ((r.amount + 199) / 200)
	}
	c.queue()
}

// queue has the next file run.
func (c *tulipNightfile) queue() {
	if !c.due.IsZero() {
		return
	}
	l := c.f.now.In(tulipTokyo)
	c.due = time.Date(l.Year(), l.Month(), l.Day(), 3, 0, 0, 0, tulipTokyo)
	if !c.due.After(c.f.now) {
		c.due = c.due.AddDate(0, 0, 1)
	}
}

// entitled is what purchases that have been in a file are worth after all returns so far.
func (c *tulipNightfile) entitled() int64 {
	sum := -c.astray
	online := map[time.Time]int64{}
	for _, b := range c.f.buys {
		units := b.net() / 200
		switch {
		case !c.filed[b]:
		case b.category == "ONLINE" || b.category == "ELECTRONICS":
			online[tulipCycle(b.at, tulipTokyo, 1)] += 3 * units
		default:
			sum += units
		}
	}
	for _, n := range online {
		sum += min(n, tulipNightfileCap)
	}
	return sum
}

func (c *tulipNightfile) next() time.Time { return c.due }

func (c *tulipNightfile) run(time.Time) {
	c.due = time.Time{}
	c.number++
	for _, b := range c.f.buys {
		c.filed[b] = true
	}
	change := c.entitled() - c.posted
	c.posted += change
	switch note := fmt.Sprintf("file %04d", c.number); {
	case change > 0:
		c.f.post(Earned, change, "", "", note)
	case change < 0:
		c.f.post(Reversed, change, "", "", note)
	}
}

// redeemable leaves out what the next file will deduct, whatever else it will grant.
func (c *tulipNightfile) redeemable() int64 {
	return c.f.balance - max(0, c.posted-c.entitled())
}
