package foreign

import "time"

var walrusKarat = Design{
	Name:   "walrus-karat",
	Source: "After Japanese cards with yearly stages and one yen back per 200 yen (from memory).",
	Published: "0.5% of every full 200 yen back. From 300,000 yen a calendar year 1%, from 1,000,000 yen 1.5%, on all of the year's " +
		"purchases. Cash back is on the account the next morning, can be paid out at any time, and is paid out by itself on 10 January " +
		"if it is 1,000 yen or more. It is of purchases less returns, whenever these come; what has been paid out too much is set off.",
	How: "Every night at two all years are computed anew from what is left of each purchase, and the difference to all that was " +
		"booked so far is one row, which names nothing and may be of many purchases, returns, and a stage that was reached or lost. " +
		"What returns of the day will take cannot be paid out. Balances below zero stay.",
	Class: "robust", Currency: "JPY",
	New: func() Engine { return walrusNewDesk(&walrusKaratClerk{zone: walrusZone("Asia/Tokyo")}) },
}

// walrusKaratClerk books one difference a night.
type walrusKaratClerk struct{ zone *time.Location }

func (c *walrusKaratClerk) next(after time.Time) time.Time { return walrusNightly(after, c.zone, 2) }

func (c *walrusKaratClerk) year(p *walrusPurchase) string {
	if p.period == "" {
		p.period = p.At.In(c.zone).Format("2006")
	}
	return p.period
}

// walrusKaratRate is the tenths of a percent of a year with so much spend.
func walrusKaratRate(spend int64) int64 {
	switch {
	case spend >= 1000000:
		return 15
	case spend >= 300000:
		return 10
	}
	return 5
}

// target is what all years before a time are worth.
func (c *walrusKaratClerk) target(a *walrusAccount, until time.Time) int64 {
	spend := map[string]int64{}
	for _, p := range a.purchases {
		if p.At.Before(until) {
			spend[c.year(p)] += p.left / 200 * 200
		}
	}
	var yen int64
	for _, p := range a.purchases {
		if p.At.Before(until) {
			yen += walrusKaratRate(spend[c.year(p)]) * (p.left / 200 * 200) / 1000
		}
	}
	return yen
}

func (c *walrusKaratClerk) batch(a *walrusAccount, at time.Time) {
	target := c.target(a, at)
	row := Posting{At: at, Kind: Earned, Amount: target - a.booked["all"], Note: "ZENJITSU SAGAKU"}
	if row.Amount < 0 {
		row.Kind = Reversed
	}
	a.post(row)
	a.booked["all"] = target
	if l := at.In(c.zone); l.Month() == time.January && l.Day() == 10 && a.balance() >= 1000 {
		a.post(Posting{At: at, Kind: Paid, Amount: -a.balance(), Note: "NENJI FURIKOMI"})
	}
}

// event books nothing: nights do.
func (c *walrusKaratClerk) event(*walrusAccount, time.Time) {}

func (c *walrusKaratClerk) worth(a *walrusAccount, amount int64) func(*walrusPurchase) int64 {
	return walrusFall(a, amount, c.year, func(spend int64) int64 { return walrusKaratRate(spend) * spend / 1000 })
}

// unbooked leaves out what has been bought since the last night, which may itself come back
// and must not carry a stage before it is booked.
func (c *walrusKaratClerk) unbooked(a *walrusAccount, _ time.Time) int64 {
	return a.booked["all"] - c.target(a, a.last)
}
