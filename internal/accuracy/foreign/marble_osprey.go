package foreign

import "time"

var marbleOspreyDesign = Design{
	Name:   "marble-osprey",
	Source: "in the style of Canadian cash back credit cards, from memory",
	Published: "4% cash back on groceries, up to $60 a statement period (statements close on the 12th), 3% on travel, 1% on everything else, nothing " +
		"on groceries beyond the limit. Cash back is yours as soon as a purchase clears; redeem any amount at any time. Returns: the cash back on them is " +
		"deducted on a statement; if you have used it, the balance turns negative and later cash back makes up for it, for as long as it takes. " +
		"Refunds we cannot match are deducted at the rate of their category or else at 4%.",
	How: "Purchases post at once. Returns go to a queue; at the close of a statement those that have been in it for ten days (a refund might bounce) are " +
		"posted and the groceries of the period they were bought in are worked out anew. Redemption looks at the balance and not at the queue.",
	Class: "V3(b)",
	Leak: "Between a return and the statement that deducts it, 10 to 41 days, its cash back can still be redeemed. Fly for $3,000.00, get $90.00, cancel on " +
		"the 5th: the $90.00 can be redeemed until the 12th of the next month. Who then stops using the card keeps it, and owes rewards that nobody collects.",
	Currency: "CAD",
	New: func() Engine {
		o := &marbleOsprey{zone: marbleZone("America/Toronto")}
		o.marbleDesk = marbleNewDesk[marbleOspreyBook](o)
		return o
	},
}

const (
	marbleOspreyCap   = 6000
	marbleOspreyDay   = 12
	marbleOspreyQueue = 10 * 24 * time.Hour
)

type marbleOsprey struct {
	*marbleDesk[marbleOspreyBook]
	zone *time.Location
}

type marbleOspreyLine struct {
	buy         *marbleBuy
	period      time.Time
	left, worth int64 // as far as returns have been deducted
}

type marbleOspreyReturn struct {
	ret  marbleReturn
	line *marbleOspreyLine // nil: unmatched
	x    int64
	in   time.Time
}

type marbleOspreyBook struct {
	lines []*marbleOspreyLine
	of    map[string]*marbleOspreyLine
	queue []marbleOspreyReturn
	close time.Time
}

func marbleOspreyRate(category string) int64 {
	switch category {
	case "GROCERY":
		return 4
	case "TRAVEL":
		return 3
	}
	return 1
}

func (o *marbleOsprey) opened(f *marbleFile[marbleOspreyBook]) {
	f.own = marbleOspreyBook{of: map[string]*marbleOspreyLine{},
		close: marbleLater(marbleCycle(f.since, marbleOspreyDay, o.zone), 1, o.zone)}
}

func (o *marbleOsprey) bought(f *marbleFile[marbleOspreyBook], b *marbleBuy) {
	l := &marbleOspreyLine{buy: b, period: marbleCycle(b.at, marbleOspreyDay, o.zone), left: b.amount}
	f.own.lines = append(f.own.lines, l)
	f.own.of[b.id] = l
	o.work(f, l, o.now, "", "cash back")
}

func (o *marbleOsprey) returned(f *marbleFile[marbleOspreyBook], r marbleReturn, b *marbleBuy, x int64) {
	q := marbleOspreyReturn{ret: r, x: x, in: o.now}
	if b != nil {
		q.line = f.own.of[b.id]
	}
	f.own.queue = append(f.own.queue, q)
}

// work posts what changes with l: itself, or all groceries of its period.
func (o *marbleOsprey) work(f *marbleFile[marbleOspreyBook], l *marbleOspreyLine, at time.Time, refund, note string) {
	if l.buy.category != "GROCERY" {
		worth := l.left * marbleOspreyRate(l.buy.category) / 100
		f.level(at, worth-l.worth, l.buy.id, refund, note)
		l.worth = worth
		return
	}
	room := int64(marbleOspreyCap)
	for _, g := range f.own.lines {
		if g.buy.category != "GROCERY" || !g.period.Equal(l.period) {
			continue
		}
		worth := min(room, g.left*4/100)
		room -= worth
		f.level(at, worth-g.worth, g.buy.id, refund, note)
		g.worth = worth
	}
}

func (o *marbleOsprey) redeemed(*marbleFile[marbleOspreyBook], int64) {}

func (o *marbleOsprey) redeemable(f *marbleFile[marbleOspreyBook]) int64 { return f.balance() }

func (o *marbleOsprey) due(f *marbleFile[marbleOspreyBook], now time.Time) {
	for ; !f.own.close.After(now); f.own.close = marbleLater(f.own.close, 1, o.zone) {
		at := f.own.close
		var wait []marbleOspreyReturn
		for _, q := range f.own.queue {
			switch {
			case at.Sub(q.in) < marbleOspreyQueue:
				wait = append(wait, q)
			case q.line == nil:
				charge := marbleDearest(q.ret, func(category string) int64 { return marbleUp(q.x*marbleOspreyRate(category), 100) })
				f.post(at, Reversed, -charge, "", q.ret.id, "refund we could not match")
			default:
				q.line.left -= q.x
				o.work(f, q.line, at, q.ret.id, "refund")
			}
		}
		f.own.queue = wait
	}
}
