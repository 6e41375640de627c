package foreign

import "time"

var marbleKestrelDesign = Design{
	Name:   "marble-kestrel",
	Source: "in the style of Australian bank debit cards with cashback from a nightly job, from memory",
	Published: "3% back on travel, dining and restaurants, 2% on electronics with at most $40 for one purchase, 1% on everything else. No other limits. " +
		"Cashback is added in the night after a purchase clears and can be moved to your account at any time from then. If you return something, " +
		"the cashback for what you returned is taken away in the following night and cannot be moved meanwhile; your cashback may then be below zero. " +
		"Refunds without a purchase are taken back at the rate of their category or else at 3%.",
	How: "Facts are written to a day file that is posted at 2 a.m. Sydney time: purchases, then returns. The night job keeps what purchases " +
		"are worth in a hot table, from which it moves what is more than 120 days old to the archive to keep the job short. A return that finds its " +
		"purchase in the hot table is posted; any other goes to an exceptions file. What waits in the day file is held from redemption.",
	Class: "V2",
	Leak: "Returns that are posted more than 120 days after the purchase take nothing. A fridge for $4,000.00 at a 1% shop earns $40.00, flights for $4,000.00 " +
		"$120.00; cancelled and refunded after five months, the cashback stays.",
	Currency: "AUD",
	New: func() Engine {
		k := &marbleKestrel{zone: marbleZone("Australia/Sydney")}
		k.marbleDesk = marbleNewDesk[marbleKestrelBook](k)
		return k
	},
}

const (
	marbleKestrelHot  = 120 * 24 * time.Hour
	marbleKestrelHour = 2
)

type marbleKestrel struct {
	*marbleDesk[marbleKestrelBook]
	zone *time.Location
}

// marbleKestrelRow is a purchase in the hot table.
type marbleKestrelRow struct {
	category    string
	left, worth int64
	at          time.Time
}

// marbleKestrelLine is a line of the day file: a return if x is above zero.
type marbleKestrelLine struct {
	buy *marbleBuy
	ret marbleReturn
	x   int64
}

type marbleKestrelBook struct {
	hot        map[string]*marbleKestrelRow
	day        []marbleKestrelLine
	exceptions int
	next       time.Time
}

func marbleKestrelWorth(category string, amount int64) int64 {
	switch category {
	case "TRAVEL", "DINING", "RESTAURANT":
		return amount * 3 / 100
	case "ELECTRONICS":
		return min(4000, amount*2/100)
	}
	return amount / 100
}

func marbleKestrelCharge(r marbleReturn, x int64) int64 {
	return marbleDearest(r, func(category string) int64 {
		switch category {
		case "TRAVEL", "DINING", "RESTAURANT":
			return marbleUp(3*x, 100)
		case "ELECTRONICS":
			return marbleUp(2*x, 100)
		}
		return marbleUp(x, 100)
	})
}

func (k *marbleKestrel) night(after time.Time) time.Time {
	y, m, d := after.In(k.zone).Date()
	t := time.Date(y, m, d, marbleKestrelHour, 0, 0, 0, k.zone)
	if !t.After(after) {
		t = time.Date(y, m, d+1, marbleKestrelHour, 0, 0, 0, k.zone)
	}
	return t
}

func (k *marbleKestrel) opened(f *marbleFile[marbleKestrelBook]) {
	f.own = marbleKestrelBook{hot: map[string]*marbleKestrelRow{}, next: k.night(f.since)}
}

func (k *marbleKestrel) bought(f *marbleFile[marbleKestrelBook], b *marbleBuy) {
	f.own.day = append(f.own.day, marbleKestrelLine{buy: b})
}

func (k *marbleKestrel) returned(f *marbleFile[marbleKestrelBook], r marbleReturn, b *marbleBuy, x int64) {
	f.own.day = append(f.own.day, marbleKestrelLine{buy: b, ret: r, x: x})
}

func (k *marbleKestrel) run(f *marbleFile[marbleKestrelBook], at time.Time) {
	o := &f.own
	for _, l := range o.day {
		if l.x == 0 {
			row := &marbleKestrelRow{category: l.buy.category, left: l.buy.amount, at: l.buy.at}
			row.worth = marbleKestrelWorth(row.category, row.left)
			o.hot[l.buy.id] = row
			f.post(at, Earned, row.worth, l.buy.id, "", "cashback")
		}
	}
	for _, l := range o.day {
		switch {
		case l.x == 0:
		case l.buy == nil:
			f.post(at, Reversed, -marbleKestrelCharge(l.ret, l.x), "", l.ret.id, "refund without purchase")
		case o.hot[l.buy.id] == nil:
			o.exceptions++
		default:
			row := o.hot[l.buy.id]
			row.left -= l.x
			worth := marbleKestrelWorth(row.category, row.left)
			f.post(at, Reversed, worth-row.worth, l.buy.id, l.ret.id, "refund")
			row.worth = worth
		}
	}
	o.day = nil
	for id, row := range o.hot {
		if at.Sub(row.at) > marbleKestrelHot {
			delete(o.hot, id)
		}
	}
}

func (k *marbleKestrel) redeemed(*marbleFile[marbleKestrelBook], int64) {}

func (k *marbleKestrel) redeemable(f *marbleFile[marbleKestrelBook]) int64 {
	free, back := f.balance(), map[string]int64{}
	for _, l := range f.own.day {
		switch {
		case l.x == 0:
		case l.buy == nil:
			free -= marbleKestrelCharge(l.ret, l.x)
		default:
			back[l.buy.id] += l.x
		}
	}
	for id, x := range back {
		if row := f.own.hot[id]; row != nil {
			free -= row.worth - marbleKestrelWorth(row.category, row.left-x)
		}
	}
	return free
}

func (k *marbleKestrel) due(f *marbleFile[marbleKestrelBook], now time.Time) {
	for ; !f.own.next.After(now); f.own.next = k.night(f.own.next) {
		k.run(f, f.own.next)
	}
}
