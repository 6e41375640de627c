package foreign

import (
	"time"

	"recoup/internal/issuer"
)

// newestBKaede computes months, never purchases: a small card's points on the total of a
// month, as Japanese card companies give them.
var newestBKaede = Design{
	Name: "newest-kaede",
	Source: "JCB Oki Doki and JA Card (faq.cr.mufg.jp, id 2585): one point for every 1,000 yen of a month's total, the " +
		"rest of the total dropped, given once a month; paymentcard.xyz/jcb/starmembers: a point is worth about 5 yen and " +
		"big spenders earn more. Seven Bank's point service: all points of a month on a fixed day of the next",
	Published: "Kaede Card, in yen. A point is worth 5 yen, and amounts here are yen. Purchases of a calendar month (UTC, by date of " +
		"purchase) are added up. Every full 1,000 yen of the month's total gives one point (5 yen), and every full 1,000 yen of what the total is " +
		"above 50,000 yen gives another point; what is left below 1,000 yen is dropped each month. Single purchases are not rounded. " +
		"The points of a month are given on the 10th of the next month at 00:00 UTC and can be redeemed from then on, in any amount of yen. " +
		"A refund or chargeback, at any time and in any part, is taken off the total of the month in which the purchase was made. " +
		"If the points of that month have been given, they are computed again and the difference is taken at once; if you have spent them " +
		"your balance goes below zero and new points pay it off. A purchase that reaches us late is added to its month likewise. " +
		"What is refunded beyond the price does not count. A refund that does not say what it is for is taken off your latest purchases at that " +
		"merchant, then off your latest others, then off your next ones. Points do not expire.",
	How: "On the 10th and after each later fact the points of every month that is over are projected from all facts of the account, and each " +
		"month's difference to what was posted for it is posted. One step of rounding a month: returning 1 yen can cost 5 or 10 yen or nothing, " +
		"just as having spent 1 yen less would.",
	Class:    "robust",
	Currency: "JPY",
	New: func() Engine {
		return newestBOpenHouse(func(time.Time) newestBHolder {
			return &newestBKaedeCard{posted: map[time.Time]int64{}}
		})
	},
}

type newestBKaedeCard struct {
	newestBBook
	file   newestBFile
	now    time.Time
	posted map[time.Time]int64 // by month: yen given so far
}

// newestBKaedeYen is what a month's total is worth.
func newestBKaedeYen(total int64) int64 {
	points := total / 1000
	if total > 50000 {
		points += (total - 50000) / 1000
	}
	return 5 * points
}

// givenOn is the day on which a month's points are given.
func newestBKaedeGivenOn(month time.Time) time.Time { return month.AddDate(0, 1, 9) }

// project posts what every month that has been given lacks or has too much of. Months that
// become due in one go are given each on its own day, in order.
func (c *newestBKaedeCard) project(now time.Time, sale, refund string) {
	totals := map[time.Time]int64{}
	var first, last time.Time
	for _, s := range c.file.sales {
		m := newestBMonth(s.at)
		totals[m] += s.kept
		if first.IsZero() || m.Before(first) {
			first = m
		}
		if m.After(last) {
			last = m
		}
	}
	// Only months of purchases are walked, through the last, so that idle years cost nothing.
	for m := first; len(totals) > 0 && !m.After(last); m = m.AddDate(0, 1, 0) {
		due := newestBKaedeGivenOn(m)
		if due.After(now) {
			break
		}
		total, ok := totals[m]
		if !ok {
			continue
		}
		by := newestBKaedeYen(total) - c.posted[m]
		c.posted[m] += by
		// What falls due on the way is dated when it did; what changes afterwards, now.
		at, s, r := now, sale, refund
		if due.After(c.now) {
			at, s, r = due, "", ""
		}
		c.move(at, by, s, r, "points of "+m.Format("2006-01"))
	}
	c.now = now
}

func (c *newestBKaedeCard) tick(now time.Time) { c.project(now, "", "") }

func (c *newestBKaedeCard) settle(s issuer.Settlement, now time.Time) {
	c.file.buy(s)
	c.project(now, s.Transaction, "")
}

func (c *newestBKaedeCard) back(b newestBBack, now time.Time) {
	c.file.dig(b)
	c.project(now, b.sale, b.id)
}

func (c *newestBKaedeCard) free(time.Time) int64 { return c.balance() }
