package foreign

import "time"

// pebbleCairn piles rewards up in three layers, and puts a hold on a pile before it takes
// stones away.
var pebbleCairn = Design{
	Name:   "pebble-cairn",
	Source: "after the cashback of British banks and challengers that credit in instalments (Santander, Chase UK, Virgin Money), from memory",
	Published: "2% on FUEL and TRAVEL up to GBP 60 in a calendar year (London time), 0.5% on everything else. A purchase's cashback is credited in " +
		"thirds on the next three statements, on the 8th. Returns shrink what is still to come; what was credited too much is " +
		"held at once, set off against what comes next, and taken after two statements. A return without a purchase holds 2% of it.",
	How: "One row a statement that names nothing: what all kept purchases have earned by then in thirds, less what was credited. " +
		"If that is below zero it is a hold, which cannot be redeemed, with no row; the second statement that finds it books it " +
		"as reversed. Room in the year's cap that a return frees goes to later purchases with the next statement.",
	Class: "robust", Currency: "GBP",
	New: func() Engine { return pebbleNew(&pebbleCairns{pebbleZone("Europe/London")}) },
}

const (
	pebbleCairnCap   = 6000 // of the reward at 2% in a year
	pebbleCairnDay   = 8
	pebbleCairnHour  = 1
	pebbleCairnParts = 3
)

type pebbleCairns struct{ loc *time.Location }

// parts says how many statements after the purchase are over, three at most.
func (k *pebbleCairns) parts(p *pebbleBuy, now time.Time) int64 {
	t := p.at
	for n := int64(0); n < pebbleCairnParts; n++ {
		if t = pebbleMonthly(t, k.loc, pebbleCairnDay, pebbleCairnHour); t.After(now) {
			return n
		}
	}
	return pebbleCairnParts
}

// due is what should have been credited by now. A purchase that was delivered since the
// last statement is not in it, however old it is: it must not melt a hold before its time.
func (k *pebbleCairns) due(a *pebbleAccount, now time.Time) int64 {
	used := map[int]int64{}
	var sum int64
	for _, p := range a.buys {
		if p.listed.IsZero() {
			continue
		}
		worth := p.left() * 5 / 1000
		if p.category == "FUEL" || p.category == "TRAVEL" {
			year := p.at.In(k.loc).Year()
			worth = min(p.left()*2/100, pebbleCairnCap-used[year])
			used[year] += worth
		}
		sum += worth * k.parts(p, now) / pebbleCairnParts
	}
	for _, c := range a.loose() {
		sum -= pebbleUp(c.amount*2, 100)
	}
	return sum
}

// booked does nothing: a hold is what sure finds, not a row.
func (k *pebbleCairns) booked(*pebbleAccount, time.Time, pebbleCause) {}

func (k *pebbleCairns) next(after time.Time) time.Time {
	return pebbleMonthly(after, k.loc, pebbleCairnDay, pebbleCairnHour)
}

func (k *pebbleCairns) run(a *pebbleAccount, at time.Time) {
	for _, p := range a.buys {
		if p.listed.IsZero() {
			p.listed = at
		}
	}
	more := k.due(a, at) - a.posted
	note := at.In(k.loc).Format("January 2006")
	switch {
	case more >= 0:
		a.waits = 0
		a.post(Posting{At: at, Kind: Earned, Amount: more, Note: "Cashback, statement of " + note})
	case a.waits == 0:
		a.waits++
	default:
		a.waits = 0
		a.post(Posting{At: at, Kind: Reversed, Amount: more, Note: "Held cashback taken, statement of " + note})
	}
}

func (k *pebbleCairns) sure(a *pebbleAccount, now time.Time) int64 { return k.due(a, now) - a.redeemed }
