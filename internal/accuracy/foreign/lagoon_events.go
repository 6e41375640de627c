package foreign

import (
	"slices"
	"time"
)

// lagoonEvents is a points program that keeps nothing but the stream of facts: each night
// the stream is folded into what each month is worth, and what is new is posted as a line
// of that month.
var lagoonEvents = Design{
	Name: "lagoon-events",
	Source: "from memory, after the points of JCB and other Japanese cards (one point for each full 1,000 yen of a " +
		"month's total)",
	Published: "1 point for each full ¥1,000 of a calendar month's net purchases (Tokyo), and 2 more for each full ¥1,000 of its " +
		"net travel and dining. Points are posted overnight and can be used from a balance of 200. A return lowers the month in " +
		"which it was bought, whenever it comes; a balance may fall below zero. A return without a receipt is set off against " +
		"what earned most, 1 or 3 points for each ¥1,000 or part of it.",
	How: "A stream of facts and a projection by month of purchase, folded anew at 04:00. One line for each month whose worth has " +
		"changed, up or down; lines name a month and no purchase. What the projection of this minute would take holds " +
		"redemptions back. A return that names an unknown purchase waits 30 days and is then one without a receipt.",
	Class:    "robust",
	Currency: "JPY",
	New: func() Engine {
		return lagoonNewDesk(&lagoonEventsPlan{zone: lagoonZone("Asia/Tokyo")})
	},
}

type lagoonEventsPlan struct {
	lagoonIdle
	zone *time.Location
}

// lagoonMonth is the projection of a month.
type lagoonMonth struct{ all, away int64 }

func (m lagoonMonth) points() int64 { return m.all/1000 + 2*(m.away/1000) }

// weight is how many points a full ¥1,000 of a purchase brings.
func (*lagoonEventsPlan) weight(p *lagoonPurchase) int64 {
	if p.category == "TRAVEL" || p.category == "DINING" {
		return 3
	}
	return 1
}

// project folds the stream: the months by name, what all of them are worth, and what
// nameless returns take. Of a month's total, a part of ¥1,000 more or less can make a point
// of difference, so a nameless return pays for each one begun: whichever purchase it
// was really of, no more was lost there. It never takes more than there is.
func (e *lagoonEventsPlan) project(a *lagoonAccount, now time.Time, prudent bool) (months map[string]lagoonMonth, sum, unnamed int64) {
	left, parts := a.net(now, lagoonMatch{rank: e.weight, prudent: prudent})
	months = map[string]lagoonMonth{}
	for i, p := range a.purchases {
		name := p.at.In(e.zone).Format("2006-01")
		m := months[name]
		m.all += left[i]
		if e.weight(p) == 3 {
			m.away += left[i]
		}
		months[name] = m
	}
	for _, m := range months {
		sum += m.points()
	}
	for _, part := range parts {
		unnamed += e.weight(part.purchase) * lagoonUp(part.amount, 1, 1000)
	}
	return months, sum, min(sum, unnamed)
}

func (e *lagoonEventsPlan) next(after time.Time) time.Time { return lagoonNightly(after, e.zone, 4) }

func (e *lagoonEventsPlan) due(a *lagoonAccount, at time.Time) {
	if !a.stale {
		return
	}
	a.stale = false
	months, _, unnamed := e.project(a, at, false)
	names := make([]string, 0, len(months))
	for name := range months {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		a.level(name, months[name].points(), Posting{At: at, Note: "Points for " + name})
	}
	a.level("unnamed", -unnamed, Posting{At: at, Note: "Returns without a receipt"})
}

func (e *lagoonEventsPlan) redeemable(a *lagoonAccount, now time.Time) int64 {
	_, sum, unnamed := e.project(a, now, true)
	if free := a.free(sum - unnamed); free >= 200 {
		return free
	}
	return 0
}
