package foreign

import (
	"time"

	"recoup/internal/issuer"
)

// newestBSterling keeps sums and no purchases: a bank whose cashback is one line in a
// yearly account, run by whatever posts in the year.
var newestBSterling = Design{
	Name: "newest-sterling",
	Source: "American Express UK Platinum Cashback (valuepenguin.co.uk/platinum-cashback-credit-card-american-express; headforpoints.com, 5 May 2021): a lower " +
		"rate on the first 10,000 pounds of a membership year and a higher one above, credited once a year after the anniversary. " +
		"That refunds lower the spending of the year in which they post is how cards with yearly steps keep such accounts",
	Published: "Sterling Cashback, in pounds; amounts here are pence. In each membership year (from the day of opening to its anniversary, UTC) the first 10,000 pounds " +
		"of purchases earn 0.5% and everything above 1%, computed on the year's total and rounded down to the penny. Purchases count for the year in " +
		"which they reach your account. Cashback shows as you spend and can be redeemed once its membership year is over. If a purchase is " +
		"refunded or charged back, the cashback that it earned is taken off; your balance may go below zero, and what you earn then pays it off. " +
		"Refunds beyond the price of a purchase do not count. Cashback does not expire.",
	How: "A refund is set against the running total of the year that is open when it posts, whatever year its purchase was of. So it takes off what the last pounds of " +
		"this year's total earn, 0.5% early in a year (below zero too), though the purchase may have earned 1% late in the year before; and 1% late in a year, though it may have earned 0.5%. " +
		"Debts are carried for good, and within a year everything is exact.",
	Class: "other",
	Leak: "Spend 15,000 pounds in a year: 50.00 on the first 10,000 and 50.00 on 5,000 for a television that is bought last. After the anniversary redeem 100.00 and return " +
		"the television: 25.00 is taken off, not 50.00. On 10,000 pounds of net spending 75.00 is kept for good where 50.00 was earned. Again every year.",
	Currency: "GBP",
	New: func() Engine {
		return newestBOpenHouse(func(now time.Time) newestBHolder {
			return &newestBSterlingCard{opened: now, price: map[string]int64{}, left: map[string]int64{}, early: map[string][]newestBBack{}}
		})
	},
}

const newestBSterlingStep = 1000000

type newestBSterlingCard struct {
	newestBBook
	opened time.Time
	years  int   // that are over
	total  int64 // of the open year
	open   int64 // cashback of the open year, in the balance but not free
	// Of a purchase it knows only the price, for disputes, and how much of it can still come back.
	price, left map[string]int64
	early       map[string][]newestBBack
}

// newestBSterlingYear is the cashback on a year's total, the same below zero.
func newestBSterlingYear(total int64) int64 {
	if total < 0 {
		return -((-total*5 + 999) / 1000)
	}
	return (total*5 + max(0, total-newestBSterlingStep)*5) / 1000
}

// run changes the total of the open year and posts what that makes of its cashback.
func (c *newestBSterlingCard) run(now time.Time, by int64, sale, refund, note string) {
	before := newestBSterlingYear(c.total)
	c.total += by
	d := newestBSterlingYear(c.total) - before
	c.open += d
	c.move(now, d, sale, refund, note)
}

func (c *newestBSterlingCard) tick(now time.Time) {
	if c.opened.IsZero() {
		c.opened = now
	}
	// Anniversaries are counted from the day of opening, so that a 29 February does not drift.
	for !c.opened.IsZero() && !c.opened.AddDate(c.years+1, 0, 0).After(now) {
		c.years++
		c.total, c.open = 0, 0
	}
}

func (c *newestBSterlingCard) settle(s issuer.Settlement, now time.Time) {
	c.price[s.Transaction], c.left[s.Transaction] = s.Amount, s.Amount
	c.run(now, s.Amount, s.Transaction, "", "purchase")
	for _, b := range c.early[s.Transaction] {
		c.back(b, now)
	}
	delete(c.early, s.Transaction)
}

func (c *newestBSterlingCard) back(b newestBBack, now time.Time) {
	price, known := c.price[b.sale]
	switch {
	case b.sale == "":
		// The total does not ask what a refund is for.
		c.run(now, -b.amount, "", b.id, "refund")
		return
	case !known:
		c.early[b.sale] = append(c.early[b.sale], b)
		return
	case b.all:
		b.amount = price
	}
	b.amount = min(b.amount, c.left[b.sale])
	c.left[b.sale] -= b.amount
	c.run(now, -b.amount, b.sale, b.id, "refund")
}

// free leaves out what the open year has earned so far; what it has lost counts.
func (c *newestBSterlingCard) free(time.Time) int64 { return c.balance() - max(0, c.open) }
