package foreign

import "time"

var garnetRappenDesign = Design{
	Name:   "garnet-rappen",
	Source: "after the points of the big Swiss supermarkets, and the vouchers they post every two months (from memory)",
	Published: "1 point for each full franc of all that you buy, taken together since you joined: centimes left over are never lost. " +
		"A point is worth 1 centime. Points are shown the next day. On the first of January, March, May, July, September and November we send " +
		"vouchers for every full 500 points by ourselves; there is nothing to ask for. Returns, with or without a receipt, lower what you have " +
		"bought; if you have had the vouchers already, you will see negative points, and new ones count against them first.",
	How: "Nothing is kept by purchase: the account has one running total of net purchases, and each night one row brings the points to " +
		"floor(total / 1 franc), up or down, naming neither purchase nor refund. The issue of vouchers comes after that night's row, and takes only " +
		"what stands above zero. A return whose purchase has not come for 30 days is taken off the total until it comes.",
	Class:    "robust",
	Currency: "CHF",
	New: func() Engine {
		return garnetOpenDesk(func(a *garnetAccount) garnetClerk {
			return &garnetRappen{a: a, issue: garnetNextIssue(a.opened)}
		})
	},
}

var garnetZurich = garnetZone("Europe/Zurich")

// garnetRappen is a card with one running total. As it makes no difference which purchase
// a franc was spent on, a return without a receipt takes exactly what one with it does.
type garnetRappen struct {
	a      *garnetAccount
	total  int64     // net purchases, of returns that name theirs
	loose  int64     // returns that name none: they may come before what they are of
	booked int64     // points granted so far, net
	night  time.Time // of the next row; zero if nothing happened since the last
	issue  time.Time // of the next vouchers
}

// garnetNextIssue is the next first of an odd month.
func garnetNextIssue(t time.Time) time.Time {
	month := garnetMonth(t, garnetZurich) + 1
	return garnetFirst(month+month%2, 1, garnetZurich)
}

func (c *garnetRappen) bought(now time.Time, p *garnetPurchase) {
	c.total += p.amount
	c.tonight(now)
}

func (c *garnetRappen) returned(now time.Time, r garnetReturn) {
	if r.purchase == nil {
		c.loose += r.amount
	} else {
		c.total -= r.amount
	}
	c.tonight(now)
}

// found has a return lower the total that its purchase raised.
func (c *garnetRappen) found(now time.Time, r garnetReturn) {
	c.loose -= r.amount
	c.tonight(now)
}

// tonight has a row written at the end of the day.
func (c *garnetRappen) tonight(now time.Time) {
	if c.night.IsZero() {
		y, m, d := now.In(garnetZurich).Date()
		c.night = time.Date(y, m, d+1, 0, 0, 0, 0, garnetZurich)
	}
}

func (c *garnetRappen) due() time.Time {
	if !c.night.IsZero() && !c.night.After(c.issue) {
		return c.night // before vouchers of the same midnight
	}
	return c.issue
}

func (c *garnetRappen) run(at time.Time) {
	if at.Equal(c.night) {
		c.night = time.Time{}
		c.level(at)
		return
	}
	c.issue = garnetNextIssue(at)
	c.a.post(Posting{
		At: at, Kind: Paid, Amount: -(c.a.positive() / 500 * 500),
		Note: "vouchers of 5 francs",
	})
}

// level books the day.
func (c *garnetRappen) level(at time.Time) {
	day := at.Add(-time.Hour).In(garnetZurich).Format("2006-01-02")
	points := max(0, c.total-c.loose) / 100
	row := Posting{At: at, Kind: Earned, Amount: points - c.booked, Note: "points of " + day}
	if row.Amount < 0 {
		row.Kind = Reversed
	}
	c.booked = points
	c.a.post(row)
}

// free is nothing: there are only the vouchers that come by themselves.
func (c *garnetRappen) free() int64 { return 0 }
