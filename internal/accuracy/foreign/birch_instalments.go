package foreign

import (
	"fmt"
	"time"
)

var birchInstalments = Design{
	Name:   "birch-instalments",
	Source: "after travel clubs that credit miles in parts as the return period runs (from memory)",
	Published: "3 points for every full franc of a travel or restaurant purchase, 1 for every other, together up to 40,000 points a calendar year. " +
		"A quarter of a purchase's points is credited 30, 60, 90 and 120 days after it, in the weekly run. What was credited for returned purchases is kept back from the next credits, whatever they are for. " +
		"Points for a return that we cannot assign are held, and taken after 60 days.",
	How: "On Mondays each purchase's due instalments are compared with those credited. Where too much was credited, since something came back, it is taken out of that run's instalments of other purchases, " +
		"which are then too small and bear their own names; only what exceeds them is an adjusted row. Room under the yearly limit that a return frees goes to other purchases, months later if need be. " +
		"Refunds without a name lower what is redeemable at once by the most they could mean, and the books after 60 days; what refunds pay beyond the price is such a refund at once. A refund whose purchase clears later is given back.",
	Class:    "robust",
	Currency: "CHF",
	New:      birchNew(birchInstalmentsBooks{}),
}

var birchInstalmentsTerms = birchTerms{zone: birchZone("Europe/Zurich"), day: 1, layers: [][]birchRule{{
	{categories: []string{"TRAVEL", "DINING"}, num: 3, den: 100, unit: 100, limit: 40000, per: "year", pool: "year"},
	{num: 1, den: 100, unit: 100, limit: 40000, per: "year", pool: "year"},
}}}

// birchInstalmentsHold is how many days a return without a name is held for.
const birchInstalmentsHold = 60

// birchInstalmentsBooks books on Mondays at six.
type birchInstalmentsBooks struct{}

func (birchInstalmentsBooks) next(t time.Time) time.Time {
	l := t.In(birchInstalmentsTerms.zone)
	y, m, d := l.Date()
	d += (8 - int(l.Weekday())) % 7
	run := time.Date(y, m, d, 6, 0, 0, 0, birchInstalmentsTerms.zone)
	if !run.After(t) {
		run = time.Date(y, m, d+7, 6, 0, 0, 0, birchInstalmentsTerms.zone)
	}
	return run
}

func (birchInstalmentsBooks) heard(*birchAccount, time.Time, birchFact) {}

// parts is how many of four instalments are due.
func (birchInstalmentsBooks) parts(p *birchPurchase, at time.Time) int64 {
	return max(0, min(4, int64(at.Sub(p.at)/(30*24*time.Hour))))
}

func (b birchInstalmentsBooks) due(p *birchPurchase, at time.Time) int64 {
	return p.share * b.parts(p, at) / 4
}

// run credits instalments, each less what is still to be kept back.
func (b birchInstalmentsBooks) run(a *birchAccount, at time.Time) {
	loose := a.count(at.AddDate(0, 0, -birchInstalmentsHold), true)
	taken := b.lost(a, loose, at)
	keep := taken - a.nameless
	a.nameless = taken
	for _, p := range a.purchases {
		keep += max(0, p.booked-b.due(p, at))
	}
	if keep < 0 {
		a.post(Posting{At: at, Kind: Adjusted, Amount: -keep, Note: "return assigned, points given back"})
		keep = 0
	}
	for _, p := range a.purchases {
		due := b.due(p, at)
		more := max(0, due-p.booked)
		less := min(keep, more)
		keep -= less
		p.booked = due
		a.post(Posting{At: at, Kind: Earned, Amount: more - less, Transaction: p.id,
			Note: fmt.Sprintf("instalment %d of 4, %d kept back", b.parts(p, at), less)})
	}
	a.post(Posting{At: at, Kind: Adjusted, Amount: -keep, Note: "kept back"})
}

// lost is the most that loose could take of the instalments due by then.
func (b birchInstalmentsBooks) lost(a *birchAccount, loose int64, at time.Time) int64 {
	birchInstalmentsTerms.level(a.purchases)
	return birchInstalmentsTerms.loss(a.purchases, loose, b.credited(a, at))
}

func (b birchInstalmentsBooks) credited(a *birchAccount, at time.Time) (sum int64) {
	for _, p := range a.purchases {
		sum += b.due(p, at)
	}
	return sum
}

// sure is what was due by the last run, a week before the next, less what all returns that
// are not assigned could take, held or not.
func (b birchInstalmentsBooks) sure(a *birchAccount) int64 {
	at := a.due.AddDate(0, 0, -7)
	lost := b.lost(a, a.count(time.Time{}, true), at)
	return b.credited(a, at) - lost
}
