package foreign

import "time"

// finalLots is a shop's coupon purse: every purchase is a lot of its own.
var finalLots = Design{
	Name:     "final-lots",
	Source:   "points of department stores and mobile wallets, kept as one lot per purchase and used oldest first; section 4.3, V3(a)",
	Currency: "KRW",
	Class:    "V3(a)",
	Published: "TRAVEL 3%, GROCERY and ONLINE 2%, FUEL 0.5%, all else 1%, down to full ₩10 per purchase, at most ₩3,000 per purchase; nothing if less than ₩1,000 is kept. " +
		"Granted at the midnight (Seoul) after clearing, redeemable then. Returns at any time take the points back at once, and used ones out of those to come.",
	How: "Redemptions empty the lots from the oldest on. A return brings the lot of its purchase down to what is kept, but a lot cannot hold less than nothing: " +
		"what was used of it is forgotten, even where other lots still hold points.",
	Leak: "Buy for ₩140,000 online: ₩2,800. Use them, then send the purchase back: the lot is empty, nothing is taken, and later purchases earn in full.",
	New:  func() Engine { return newFinalDesk(&lots{of: make(map[*finalBook]map[string]*lot)}) },
}

// lots is the program: for each book the lots by purchase.
type lots struct {
	of map[*finalBook]map[string]*lot
}

// lot is the points of one purchase.
type lot struct {
	granted int64 // as the terms have it
	left    int64 // not used, not taken back
}

var seoul = finalZone("Asia/Seoul")

var lotRates = map[string]int64{"TRAVEL": 300, "GROCERY": 200, "ONLINE": 200, "FUEL": 50}

func lotPoints(p *finalBuy) int64 {
	if p.kept < 1000 {
		return 0
	}
	rate, special := lotRates[p.category]
	if !special {
		rate = 100
	}
	return min(perTenThousand(p.kept, rate)/10*10, 3000)
}

// lotDay is when the points of a purchase that clears now are granted.
func lotDay(cleared time.Time) time.Time {
	t := cleared.In(seoul)
	return time.Date(t.Year(), t.Month(), t.Day()+1, 0, 0, 0, 0, seoul).UTC()
}

func (l *lots) bought(b *finalBook, p *finalBuy) {
	b.note(lotDay(p.cleared))
	l.work(b, "")
}

func (l *lots) returned(b *finalBook, r *finalBack) { l.work(b, r.id) }

func (l *lots) struck(b *finalBook) { l.work(b, "") }

// work brings every lot to what is kept of its purchase.
func (l *lots) work(b *finalBook, refund string) {
	b.place(b.backs, true)
	all := l.of[b]
	if all == nil {
		all = make(map[string]*lot)
		l.of[b] = all
	}
	for _, p := range b.buys {
		if lotDay(p.cleared).After(b.now) {
			continue
		}
		one := all[p.id]
		if one == nil {
			one = &lot{}
			all[p.id] = one
		}
		switch points := lotPoints(p); {
		case points > one.granted:
			more := points - one.granted
			one.granted, one.left = points, one.left+more
			b.post(Earned, more, p.id, "", "points")
		case points < one.granted:
			back := min(one.granted-points, one.left)
			one.granted, one.left = points, one.left-back
			b.post(Reversed, -back, p.id, refund, "points of a return")
		}
	}
}

func (l *lots) redeemable(b *finalBook) int64 { return b.balance }

// spent empties lots, the oldest first.
func (l *lots) spent(b *finalBook, amount int64) {
	for _, p := range b.buys {
		one := l.of[b][p.id]
		if one == nil {
			continue
		}
		part := min(amount, one.left)
		one.left -= part
		amount -= part
	}
}
