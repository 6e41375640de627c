package foreign

import (
	"sort"
	"time"

	"recoup/internal/issuer"
)

// newestBZugvogel is an airline's card: nothing is computed when something happens, all is
// work in a queue with a day on which it falls due.
var newestBZugvogel = Design{
	Name: "newest-zugvogel",
	Source: "Miles & More cards (check24.de/kreditkarte/ratgeber/miles-and-more-kreditkarte): one mile for every two euros of a purchase, a welcome " +
		"bonus; and (miles-and-more-kreditkarte.com, FAQ on the statement): miles of goods that are returned and credited are taken off " +
		"again. thepointsguy.com/news/refunds-hurting-sign-up-bonus: a welcome bonus is taken back where the spending that counted is refunded",
	Published: "Zugvogel Card, in euros; a mile is worth one cent and amounts here are cents. A purchase gives one mile for every full 2 euros, and at " +
		"airlines (category codes 3000 to 3299 and 4511) one mile for every full euro; each purchase is rounded down by itself. " +
		"Miles of a purchase are credited 35 days after it and can be redeemed from then on. What came back before that day is left out; a " +
		"refund or chargeback after it, at any time and in any part, takes off at once the miles that the purchase would not have had on what you kept. " +
		"Welcome bonus: 5,000 miles if the purchases of the first 90 days after opening come to 1,500 euros or more, less all that is ever " +
		"refunded of them. It is credited 120 days after opening, and if a later refund takes that spending below 1,500 euros it is taken off at once. " +
		"Your balance may go below zero; new miles pay that off first. What is refunded beyond the price does not count. A refund that does not " +
		"say what it is for is taken off your latest purchases at that merchant, then off your latest others, then off your next ones. " +
		"Miles do not expire.",
	How: "Approvals of purchases and the decision on the bonus wait in a queue by day. Facts only touch the file of purchases, and every purchase that has been " +
		"approved is priced again when its kept amount changes; so is the bonus once it has been decided, both ways.",
	Class:    "robust",
	Currency: "EUR",
	New: func() Engine {
		return newestBOpenHouse(func(now time.Time) newestBHolder {
			return &newestBZugvogelCard{opened: now, credited: map[string]int64{}}
		})
	},
}

const (
	newestBZugvogelWait   = 35 * newestBDay
	newestBZugvogelWindow = 90 * newestBDay
	newestBZugvogelVerify = 120 * newestBDay
	newestBZugvogelSpend  = 150000
	newestBZugvogelBonus  = 5000
)

type newestBZugvogelCard struct {
	newestBBook
	file     newestBFile
	opened   time.Time
	started  bool
	jobs     []newestBZugvogelJob // by day, then by arrival
	credited map[string]int64     // miles by purchase, of those that were approved
	decided  bool
	bonus    int64
}

// newestBZugvogelJob approves a purchase, or decides on the bonus if it names none.
type newestBZugvogelJob struct {
	due  time.Time
	sale *newestBSale
}

func (c *newestBZugvogelCard) queue(j newestBZugvogelJob) {
	i := sort.Search(len(c.jobs), func(i int) bool { return c.jobs[i].due.After(j.due) })
	c.jobs = append(c.jobs, newestBZugvogelJob{})
	copy(c.jobs[i+1:], c.jobs[i:])
	c.jobs[i] = j
}

// start queues the decision on the bonus, once it is known when the account was opened.
func (c *newestBZugvogelCard) start(at time.Time) {
	if c.started {
		return
	}
	if c.opened.IsZero() {
		c.opened = at
	}
	if c.opened.IsZero() {
		return
	}
	c.started = true
	c.queue(newestBZugvogelJob{due: c.opened.Add(newestBZugvogelVerify)})
}

func newestBZugvogelMiles(s *newestBSale) int64 {
	if s.mcc >= "3000" && s.mcc <= "3299" && len(s.mcc) == 4 || s.mcc == "4511" {
		return s.kept / 100
	}
	return s.kept / 200
}

// run does the jobs that are due. One that came late is dated the day on which it runs.
func (c *newestBZugvogelCard) run(now, late time.Time, refund string) {
	for len(c.jobs) > 0 && !c.jobs[0].due.After(now) {
		j := c.jobs[0]
		c.jobs = c.jobs[1:]
		at := j.due
		if at.Before(late) {
			at = late
		}
		if j.sale == nil {
			c.decided = true
			c.review(at, refund)
			continue
		}
		c.credited[j.sale.id] = 0
		c.price(at, j.sale, refund)
	}
}

// price brings an approved purchase to what it is worth by now.
func (c *newestBZugvogelCard) price(at time.Time, s *newestBSale, refund string) {
	had, approved := c.credited[s.id]
	if !approved {
		return
	}
	worth := newestBZugvogelMiles(s)
	c.credited[s.id] = worth
	c.move(at, worth-had, s.id, refund, "miles")
}

// review brings the bonus, once it is decided, to what it is by now.
func (c *newestBZugvogelCard) review(at time.Time, refund string) {
	if !c.decided {
		return
	}
	var spent, worth int64
	for _, s := range c.file.sales {
		if s.at.Before(c.opened.Add(newestBZugvogelWindow)) {
			spent += s.kept
		}
	}
	if spent >= newestBZugvogelSpend {
		worth = newestBZugvogelBonus
	}
	c.move(at, worth-c.bonus, "", refund, "welcome bonus")
	c.bonus = worth
}

func (c *newestBZugvogelCard) after(changed []*newestBSale, now time.Time, refund string) {
	for _, s := range changed {
		c.price(now, s, refund)
	}
	c.run(now, now, refund)
	c.review(now, refund)
}

func (c *newestBZugvogelCard) tick(now time.Time) {
	c.start(now)
	c.run(now, time.Time{}, "")
}

func (c *newestBZugvogelCard) settle(s issuer.Settlement, now time.Time) {
	c.start(s.At)
	changed := c.file.buy(s)
	c.queue(newestBZugvogelJob{due: s.At.Add(newestBZugvogelWait), sale: c.file.sales[len(c.file.sales)-1]})
	c.after(changed, now, "")
}

func (c *newestBZugvogelCard) back(b newestBBack, now time.Time) {
	c.after(c.file.dig(b), now, b.id)
}

func (c *newestBZugvogelCard) free(time.Time) int64 { return c.balance() }
