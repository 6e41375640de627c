package foreign

import "time"

// lagoonLots is a bank of points in lots, one for each purchase, spent first in, first out.
var lagoonLots = Design{
	Name:   "lagoon-lots",
	Source: "from memory, after Australian store-card points (points for each full A$10 of a purchase, a bonus for new members)",
	Published: "15 points for every full A$10 of a purchase, 30 on groceries, and 5,000 once a new member has spent A$3,000 in 90 days. Points " +
		"are yours at once. When you return something, the points that it earned are taken back, from your other points if " +
		"you have used them.",
	How: "Each purchase has a lot, and so has the bonus. Redemptions drain the oldest lots. A return reckons the points of its " +
		"purchase on what is left, takes the difference out of that lot, and what is not there any more from the others, " +
		"oldest first. A lot cannot hold less than nothing: when all are empty, what is still owed is written off in the lot. " +
		"Points that come back to a lot (a return that turns out to be of another purchase) first undo what it wrote off.",
	Class: "V3(a)",
	Leak: "What a return takes beyond the balance is forgiven. Buy for A$1,000: 1,500 points. Use all of them, return everything: the balance is " +
		"0 where it should be −1,500 (some A$7.50), and the next purchase of A$1,000 shows 1,500 points again.",
	Currency: "AUD",
	New: func() Engine {
		return lagoonNewDesk(&lagoonLotsPlan{lots: map[*lagoonAccount][]*lagoonLot{}})
	},
}

const (
	lagoonLotsUnit      = 1000
	lagoonLotsWelcome   = 5000
	lagoonLotsThreshold = 300000
	lagoonLotsDays      = 90 * 24 * time.Hour
)

// lagoonLot are the points of a purchase, or of the bonus where it is nil.
type lagoonLot struct {
	purchase *lagoonPurchase
	value    int64 // what it should have earned, as last reckoned
	rest     int64 // what of it is still there
	waived   int64 // what was owed when the bank was empty
}

type lagoonLotsPlan struct {
	lagoonIdle
	lots map[*lagoonAccount][]*lagoonLot
}

func (*lagoonLotsPlan) rate(p *lagoonPurchase) int64 {
	if p.category == "GROCERY" {
		return 30
	}
	return 15
}

// values are the points of each purchase on what is left of it, the bonus, and their sum.
func (l *lagoonLotsPlan) values(a *lagoonAccount, now time.Time, prudent bool) (points []int64, bonus, sum int64) {
	points = a.kept(now, lagoonMatch{rank: l.rate, prudent: prudent})
	var spend int64
	for i, p := range a.purchases {
		if age := p.at.Sub(a.opened); age >= 0 && age < lagoonLotsDays {
			spend += points[i]
		}
		points[i] = points[i] / lagoonLotsUnit * l.rate(p)
		sum += points[i]
	}
	if spend >= lagoonLotsThreshold {
		bonus = lagoonLotsWelcome
	}
	return points, bonus, sum + bonus
}

// reckon brings all lots to what they should be worth now.
func (l *lagoonLotsPlan) reckon(a *lagoonAccount, now time.Time, cause string) {
	if l.lots[a] == nil {
		l.lots[a] = []*lagoonLot{{}}
	}
	for _, p := range a.purchases[len(l.lots[a])-1:] {
		l.lots[a] = append(l.lots[a], &lagoonLot{purchase: p})
	}
	points, bonus, _ := l.values(a, now, false)
	for _, lot := range l.lots[a] {
		value, entry := bonus, Posting{At: now, Refund: cause, Note: "welcome points"}
		if lot.purchase != nil {
			value, entry = points[lot.purchase.index], Posting{At: now, Transaction: lot.purchase.id, Refund: cause}
		}
		if entry.Kind, entry.Amount = Earned, l.rise(lot, value-lot.value); value < lot.value {
			entry.Kind, entry.Amount = Reversed, -l.fall(a, lot, lot.value-value)
		}
		lot.value = value
		a.book(entry)
	}
}

// rise adds points to a lot and says how many there were to add.
func (*lagoonLotsPlan) rise(lot *lagoonLot, points int64) int64 {
	points = max(0, points)
	undone := min(points, lot.waived)
	lot.waived -= undone
	lot.rest += points - undone
	return points - undone
}

// fall takes points out of the lot, then out of the others, and says how many there were.
func (l *lagoonLotsPlan) fall(a *lagoonAccount, lot *lagoonLot, points int64) (taken int64) {
	for _, from := range append([]*lagoonLot{lot}, l.lots[a]...) {
		x := min(points-taken, from.rest)
		from.rest -= x
		taken += x
	}
	lot.waived += points - taken
	return taken
}

func (l *lagoonLotsPlan) settled(a *lagoonAccount, _ *lagoonPurchase, now time.Time) {
	l.reckon(a, now, "")
}

func (l *lagoonLotsPlan) returned(a *lagoonAccount, r *lagoonReturn, now time.Time) {
	l.reckon(a, now, r.id)
}

func (l *lagoonLotsPlan) spent(a *lagoonAccount, amount int64) {
	for _, lot := range l.lots[a] {
		x := min(amount, lot.rest)
		lot.rest -= x
		amount -= x
	}
}

func (l *lagoonLotsPlan) redeemable(a *lagoonAccount, now time.Time) int64 {
	_, _, all := l.values(a, now, false)
	_, _, sure := l.values(a, now, true)
	return a.free(a.total - max(0, all-sure))
}
