package foreign

import "time"

var birchForecast = Design{
	Name:   "birch-forecast",
	Source: "after utility and fuel clubs that credit an estimate and settle it by the reading (from memory), moved to a card",
	Published: "In each statement cycle (from the 12th) 10p for every full GBP 10 that you spend, at most 200 times, and 20p more for every full GBP 10 " +
		"at restaurants, at most 25 times. On the 12th we credit in advance what we expect you to earn; it is settled against what you kept on the 17th after the cycle's end. " +
		"Only rewards of cycles that are over can be redeemed. Returns of any age are settled on the next 17th.",
	How: "The advance is a third of what the last three cycles are worth by now, in tens of pence; it is booked as earned though no purchase stands behind it. " +
		"The settlement is one adjusted row that brings the books to all closed cycles' worth, less the worst that refunds without a name could mean, plus the open cycle's advance. " +
		"Neither names a purchase or a refund. An account that falls idle is advanced something for three cycles more, which the settlements take back; it can never be redeemed. Redeemable is what is both booked and worth it in closed cycles at the instant asked.",
	Class:    "robust",
	Currency: "GBP",
	New:      birchNew(birchForecastBooks{}),
}

var birchForecastTerms = birchTerms{zone: birchZone("Europe/London"), day: 12, every: []birchEvery{
	{spend: 1000, reward: 10, atMost: 200, per: "cycle"},
	{categories: []string{"DINING"}, spend: 1000, reward: 20, atMost: 25, per: "cycle"},
}}

// birchForecastSettles is how many days after a cycle's begin the one before is settled.
const birchForecastSettles = 5

// birchForecastBooks has an advance and a settlement a cycle.
type birchForecastBooks struct{}

func (birchForecastBooks) next(t time.Time) time.Time {
	start := birchForecastTerms.start("cycle", t)
	if settles := start.AddDate(0, 0, birchForecastSettles); t.Before(settles) {
		return settles
	}
	return start.AddDate(0, 1, 0)
}

func (birchForecastBooks) heard(*birchAccount, time.Time, birchFact) {}

func (b birchForecastBooks) run(a *birchAccount, at time.Time) {
	start := birchForecastTerms.start("cycle", at)
	if at.Equal(start) {
		a.advance = b.expected(a, start)
		a.post(Posting{At: at, Kind: Earned, Amount: a.advance, Note: "expected rewards of the cycle, in advance"})
		return
	}
	target := b.closed(a, start) + a.advance
	a.post(Posting{At: at, Kind: Adjusted, Amount: target - a.sum, Note: "settlement"})
}

// expected is a third of the last three cycles, rounded down to tens of pence. Whoever stops
// buying is advanced nothing after three cycles.
func (birchForecastBooks) expected(a *birchAccount, start time.Time) int64 {
	a.count(time.Time{}, false)
	var recent []*birchPurchase
	for _, p := range a.purchases {
		if p.at.Before(start) && !p.at.Before(start.AddDate(0, -3, 0)) {
			recent = append(recent, p)
		}
	}
	return birchForecastTerms.level(recent) / 30 * 10
}

// closed is what the cycles before start are worth, at the least.
func (birchForecastBooks) closed(a *birchAccount, start time.Time) int64 {
	loose := a.count(time.Time{}, false)
	var over []*birchPurchase
	for _, p := range a.purchases {
		if p.at.Before(start) {
			over = append(over, p)
		}
	}
	worth := birchForecastTerms.level(over)
	return worth - birchForecastTerms.loss(over, loose, worth)
}

// sure leaves the open cycle out: it is the one in which the instant before the next run lies.
func (b birchForecastBooks) sure(a *birchAccount) int64 {
	return b.closed(a, birchForecastTerms.start("cycle", a.due.Add(-time.Second)))
}
