package foreign

import "time"

var garnetEvergreenDesign = Design{
	Name:   "garnet-evergreen",
	Source: "after Australian supermarkets' rewards that expire, with redemptions and returns \"taken from your oldest points\" (from memory)",
	Published: "2 points for each full dollar of a purchase, a point being worth 1 cent off your shopping at any time. What you earned in a month expires " +
		"at the end of the sixth month after it, unless you use it; the oldest is used first. Returns take back what the purchase earned, unless it has expired; if you have " +
		"used it, new points then make up for it first.",
	How: "Points lie in one lot per month of purchase. Redemptions take from the oldest lot, and so do returns, by one common routine, whichever lot the " +
		"returned purchase's points are in; what no lot has is a debt, which the next points repay. At the end of its sixth month after, what is left of " +
		"a lot is written off, and is not taken again if its purchase is returned. A return without a receipt takes 2 points for each dollar begun.",
	Class: "other",
	Leak: "Buying and returning makes old points young. $2,000 in January earn $40.00, which expire when July ends. Buy for $2,000 on 20 July and return it on " +
		"the 25th: its $40.00 are taken from January's lot, and July's lives until the end of January. On 1 August there should be nothing; there are $40.00, " +
		"and the next such return keeps them alive for another half year.",
	Currency: "AUD",
	New: func() Engine {
		return garnetOpenDesk(func(a *garnetAccount) garnetClerk { return &garnetEvergreen{a: a, expired: map[int]int64{}} })
	},
}

var garnetSydney = garnetZone("Australia/Sydney")

// garnetLot is what is left of a month's points.
type garnetLot struct {
	month  int
	points int64
}

// expires is the end of the sixth month after.
func (l garnetLot) expires() time.Time { return garnetFirst(l.month+7, 1, garnetSydney) }

// garnetEvergreen keeps lots, none of them empty, the oldest first.
type garnetEvergreen struct {
	a    *garnetAccount
	now  time.Time // of the last purchase: a lot that comes late expires late
	lots []garnetLot
	debt int64 // while there is one, there are no lots
	// expired is what was written off by month: who returns a purchase whose points are
	// gone that way does not pay for them.
	expired map[int]int64
}

func (c *garnetEvergreen) bought(now time.Time, p *garnetPurchase) {
	c.now = now
	points := p.amount / 100 * 2
	c.a.post(Posting{At: now, Kind: Earned, Amount: points, Transaction: p.id, Note: "points"})
	repaid := min(points, c.debt)
	c.debt -= repaid
	c.put(garnetLot{month: garnetMonth(p.at, garnetSydney), points: points - repaid})
}

// put adds points to the lot of their month.
func (c *garnetEvergreen) put(lot garnetLot) {
	if lot.points == 0 {
		return
	}
	i := 0
	for i < len(c.lots) && c.lots[i].month < lot.month {
		i++
	}
	if i < len(c.lots) && c.lots[i].month == lot.month {
		c.lots[i].points += lot.points
		return
	}
	c.lots = append(c.lots[:i], append([]garnetLot{lot}, c.lots[i:]...)...)
}

func (c *garnetEvergreen) returned(now time.Time, r garnetReturn) {
	points := garnetCeil(r.amount, 100) * 2
	if p := r.purchase; p != nil {
		points = ((p.left()+r.amount)/100 - p.left()/100) * 2
	}
	c.a.post(Posting{At: now, Kind: Reversed, Amount: -points, Refund: r.id, Note: "return"})
	if p := r.purchase; p != nil {
		month := garnetMonth(p.at, garnetSydney)
		gone := min(points, c.expired[month])
		c.expired[month] -= gone
		points -= gone
		c.a.post(Posting{At: now, Kind: Adjusted, Amount: gone, Refund: r.id, Note: "had expired"})
	}
	c.taken(points) // the flaw: as if it were a redemption
}

// taken uses points up, the oldest first.
func (c *garnetEvergreen) taken(points int64) {
	for points > 0 && len(c.lots) > 0 {
		x := min(points, c.lots[0].points)
		c.lots[0].points -= x
		points -= x
		if c.lots[0].points == 0 {
			c.lots = c.lots[1:]
		}
	}
	c.debt += points
}

func (c *garnetEvergreen) due() time.Time {
	if len(c.lots) == 0 {
		return time.Time{}
	}
	at := c.lots[0].expires()
	if at.Before(c.now) {
		return c.now
	}
	return at
}

func (c *garnetEvergreen) run(at time.Time) {
	lot := c.lots[0]
	c.lots = c.lots[1:]
	c.expired[lot.month] += lot.points
	month := garnetFirst(lot.month, 1, garnetSydney).Format("2006-01")
	c.a.post(Posting{At: at, Kind: Adjusted, Amount: -lot.points, Note: "expired points of " + month})
}

func (c *garnetEvergreen) free() int64 { return c.a.positive() }
