package foreign

import "time"

var garnetKazeDesign = Design{
	Name:   "garnet-kaze",
	Source: "after the mileage cards of Japanese airlines: miles per 100 yen, doubled beyond a yearly volume, spend-and-get for new members (from memory)",
	Published: "1 mile for each full 100 yen of a purchase, 2 miles beyond 1,000,000 yen in a calendar year, a mile being worth 1 yen. Spend 300,000 yen " +
		"within 90 days of joining and get 5,000 miles. Miles are credited on the 15th, for purchases up to the day before. A refund cancels the " +
		"miles of what was refunded, and of what was bought at the higher rate thanks to it, and the welcome miles if it takes you below 300,000 yen; " +
		"one that names no purchase counts as 2 miles per 100 yen begun. Miles can be negative. They can be redeemed once you have 1,000.",
	How: "One row per statement: what all purchases billed so far are worth today, less what was booked before. A refund of what was billed is booked at " +
		"once, as one row that names it; a refund of what was not yet billed has no row, for nothing was granted. Welcome miles are a row of their own. A refund whose purchase has not come for 30 days counts as one that names none, until it comes.",
	Class:    "robust",
	Currency: "JPY",
	New: func() Engine {
		return garnetOpenDesk(func(a *garnetAccount) garnetClerk {
			next := garnetNext(a.opened, 15, garnetTokyo)
			return &garnetKaze{a: a, next: next, billed: garnetFirst(garnetMonth(next, garnetTokyo)-1, 15, garnetTokyo)}
		})
	},
}

var garnetTokyo = garnetZone("Asia/Tokyo")

const (
	garnetKazeVolume  = 1000000
	garnetKazeWelcome = 5000
	garnetKazeGoal    = 300000
)

// garnetKaze knows miles only as a sum: what is billed is worth so much.
type garnetKaze struct {
	a             *garnetAccount
	purchases     []*garnetPurchase
	loose         int64 // yen of returns that name no purchase, each up to a full 100
	billed, next  time.Time
	miles, extras int64 // booked: for purchases, for joining
}

func (c *garnetKaze) bought(now time.Time, p *garnetPurchase) {
	p.period = p.at.In(garnetTokyo).Year()
	c.purchases = append(c.purchases, p)
	if p.at.Before(c.billed) {
		c.level(Posting{At: now, Kind: Earned, Transaction: p.id, Note: "late purchase"})
	}
}

func (c *garnetKaze) returned(now time.Time, r garnetReturn) {
	if r.purchase == nil {
		c.loose += garnetCeil(r.amount, 100) * 100
	}
	c.level(Posting{At: now, Kind: Earned, Refund: r.id, Note: "refund"})
}

// found has a return take what its purchase earned, and no more.
func (c *garnetKaze) found(now time.Time, r garnetReturn) {
	c.loose -= garnetCeil(r.amount, 100) * 100
	c.level(Posting{At: now, Kind: Earned, Refund: r.id, Note: "refund matched"})
}

func (c *garnetKaze) due() time.Time { return c.next }

func (c *garnetKaze) run(at time.Time) {
	c.billed, c.next = at, garnetNext(at, 15, garnetTokyo)
	c.level(Posting{At: at, Kind: Earned, Note: "statement of " + at.In(garnetTokyo).Format("2006-01-02")})
}

// worth is what all that is billed earns, by what is left of it today. Returns that may
// be of anything are taken from the miles at the highest rate and from the welcome's goal
// as well, so that whatever they are of has not earned.
func (c *garnetKaze) worth() (miles, extras int64) {
	years := map[int]int64{}
	goal := -c.loose
	for _, p := range c.purchases {
		if !p.at.Before(c.billed) {
			continue
		}
		counts := p.left() / 100 * 100
		years[p.period] += counts
		if !p.at.Before(c.a.opened) && p.at.Sub(c.a.opened) < 90*24*time.Hour {
			goal += counts
		}
	}
	for _, s := range years {
		miles += (s + max(0, s-garnetKazeVolume)) / 100
	}
	if goal >= garnetKazeGoal {
		extras = garnetKazeWelcome
	}
	return max(0, miles-c.loose/100*2), extras
}

// level books the difference between what is billed and what was booked, in rows like row.
func (c *garnetKaze) level(row Posting) {
	miles, extras := c.worth()
	welcome := row
	row.Amount, welcome.Amount = miles-c.miles, extras-c.extras
	welcome.Note = "welcome miles"
	c.miles, c.extras = miles, extras
	for _, r := range []Posting{row, welcome} {
		if r.Amount < 0 {
			r.Kind = Reversed
		}
		c.a.post(r)
	}
}

func (c *garnetKaze) free() int64 {
	if c.a.balance() < 1000 {
		return 0
	}
	return c.a.balance()
}
