package foreign

import "time"

var walrusCaribou = Design{
	Name:   "walrus-caribou",
	Source: "After Canadian cash-back cards with days of higher rates (from memory).",
	Published: "1% cash back on everything, 4% on what you buy on Saturdays and Sundays. Credited on the 1st of the next month and " +
		"yours from then on. Cash back is on net purchases: that of what you return is taken back, and a negative balance is carried forward.",
	How: "The run of the 1st books one row, which names nothing: all cash back so far less all that was booked. A return is a " +
		"negative purchase to it and gets the rate of the day on which the refund is dated, as every line of the file does, not that " +
		"of the purchase. Where that takes more than was given, customers complain, and on the 6th it is credited by hand; " +
		"where it takes less nobody does. What known returns will take is held back; debts stay.",
	Class: "other",
	Leak: "Buy for $1,000 on a Saturday (4%: $40), return it on a Tuesday: 1% of it, $10, is taken back, and $30 stay for nothing " +
		"spent, in whichever months the two are. Merchants post most refunds on weekdays.",
	Currency: "CAD",
	New:      func() Engine { return walrusNewDesk(&walrusCaribouClerk{zone: walrusZone("America/Toronto")}) },
}

// walrusCaribouClerk books on the 1st, and by hand on the 6th.
type walrusCaribouClerk struct{ zone *time.Location }

func (c *walrusCaribouClerk) next(after time.Time) time.Time {
	first, sixth := walrusMonthly(after, c.zone, 1, 5), walrusMonthly(after, c.zone, 6, 11)
	if sixth.Before(first) {
		return sixth
	}
	return first
}

func (c *walrusCaribouClerk) rate(at time.Time) int64 {
	if day := at.In(c.zone).Weekday(); day == time.Saturday || day == time.Sunday {
		return 4
	}
	return 1
}

// targets are the cash back of purchases before a time as the file has it, and what
// complaints bring beside it.
func (c *walrusCaribouClerk) targets(a *walrusAccount, until time.Time) (file, hand int64) {
	for _, p := range a.purchases {
		if !p.At.Before(until) {
			continue
		}
		rate := c.rate(p.At)
		line, fair := rate*p.Amount, rate*p.Amount
		for _, piece := range p.pieces {
			back := c.rate(piece.at) // the flaw: not the purchase's
			line -= back * piece.amount
			fair -= min(rate, back) * piece.amount
		}
		cents := (line - (line%100+100)%100) / 100 // rounded down, below zero too
		file += cents
		hand += fair/100 - cents
	}
	return file, hand
}

func (c *walrusCaribouClerk) batch(a *walrusAccount, at time.Time) {
	if at.In(c.zone).Day() == 6 {
		_, hand := c.targets(a, c.month(at))
		a.post(Posting{At: at, Kind: Adjusted, Amount: hand - a.booked["hand"], Note: "CUST SVC ADJ"})
		a.booked["hand"] = hand
		return
	}
	file, _ := c.targets(a, at)
	row := Posting{At: at, Kind: Earned, Amount: file - a.booked["file"], Note: "CASH BACK " + at.In(c.zone).AddDate(0, -1, 0).Format("JAN 06")}
	if row.Amount < 0 {
		row.Kind = Reversed
	}
	a.post(row)
	a.booked["file"] = file
}

// month is the last run of a 1st by a time.
func (c *walrusCaribouClerk) month(at time.Time) time.Time {
	l := at.In(c.zone)
	return time.Date(l.Year(), l.Month(), 1, 5, 0, 0, 0, c.zone)
}

// event books nothing: runs do.
func (c *walrusCaribouClerk) event(*walrusAccount, time.Time) {}

func (c *walrusCaribouClerk) worth(*walrusAccount, int64) func(*walrusPurchase) int64 {
	return func(p *walrusPurchase) int64 { return c.rate(p.At) }
}

// unbooked is what the next run of a 1st will take of what the last one gave, and what that
// of a 6th will take of what complaints brought.
func (c *walrusCaribouClerk) unbooked(a *walrusAccount, at time.Time) int64 {
	if a.last.IsZero() {
		return 0
	}
	file, hand := c.targets(a, c.month(a.last))
	return a.booked["file"] - file + max(0, a.booked["hand"]-hand)
}
