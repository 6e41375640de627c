package foreign

import "time"

var harborGrocer = Design{
	Name:   "harbor-grocer-daybook",
	Source: "After the public rules of British supermarket clubs (a point a pound, vouchers from 150 points), from memory.",
	Published: "A point for every full £1 of what you spent on a day. On Saturdays and Sundays another point for every full £1 of " +
		"each purchase, at most 300 such points a calendar month. Points are on your card the morning after and can be turned into " +
		"vouchers from 150 points. If you bring something back, its points go at once; your balance may go below zero. " +
		"A return without a receipt, or with one that we do not find within 30 days, takes the points that it can have earned.",
	How: "The books have one row per shopping day and one per month for weekend points, written at midnight (London) and naming " +
		"neither purchase nor refund. All rows are recomputed from net purchases at each event: what falls is corrected at once, " +
		"what rises at the next midnight. Returns without a receipt are one more row, below zero, at full rate and regardless of the monthly limit.",
	Class:    "robust",
	Currency: "GBP",
	New:      harborNew(harborGrocerPlan{harborZone("Europe/London")}),
}

const (
	harborPound        = 100
	harborVoucher      = 150 // points
	harborWeekendLimit = 300 // points a month
	harborNoReceipt    = "no receipt"
)

type harborGrocerPlan struct{ zone *time.Location }

func (p harborGrocerPlan) next(_ *harborBook, t time.Time) time.Time {
	l := t.In(p.zone)
	return time.Date(l.Year(), l.Month(), l.Day()+1, 0, 0, 0, 0, p.zone)
}

// harborLine is what should stand under a label.
type harborLine struct {
	label string
	day   bool // pounds of a day, which become points when the day is added up
	value int64
}

// lines are the points of all days and months, in the order in which they were first
// shopped in, and what returns without a receipt take of these.
func (p harborGrocerPlan) lines(k *harborBook) (lines []harborLine, unmatched int64) {
	k.match(func(b *harborBuy) int64 {
		if harborWeekendDay(b.at, p.zone) {
			return 2
		}
		return 1
	})
	at := map[string]int{}
	add := func(label string, day bool, x int64) {
		i, known := at[label]
		if !known {
			i = len(lines)
			at[label] = i
			lines = append(lines, harborLine{label: label, day: day})
		}
		lines[i].value += x
	}
	for _, b := range k.buys {
		kept := b.amount - b.named
		add("Shopping on "+b.at.In(p.zone).Format("2 January 2006"), true, kept)
		if harborWeekendDay(b.at, p.zone) {
			add("Weekend points of "+b.at.In(p.zone).Format("January 2006"), false, kept/harborPound)
		}
	}
	for i := range lines {
		if lines[i].day {
			lines[i].value /= harborPound
		} else {
			lines[i].value = min(lines[i].value, harborWeekendLimit)
		}
	}
	for _, r := range k.backs {
		if !r.loose {
			continue
		}
		for _, part := range r.parts {
			points := harborUp(part.x, harborPound)
			if harborWeekendDay(part.buy.at, p.zone) {
				points *= 2
			}
			unmatched += points
		}
	}
	return lines, unmatched
}

// due is midnight: the day's rows are written, if there is anything to write.
func (p harborGrocerPlan) due(k *harborBook) {
	if !k.stale {
		return
	}
	k.stale = false
	lines, unmatched := p.lines(k)
	var sum int64
	for _, l := range lines {
		k.level(l.label, l.value, Posting{Note: l.label})
		sum += l.value
	}
	k.level(harborNoReceipt, -min(unmatched, sum), Posting{Kind: Reversed, Note: "Returns without receipt"})
}

// heard lowers at once whatever is too high. What returns without a receipt take of
// points that are not on the card yet waits for these.
func (p harborGrocerPlan) heard(k *harborBook, _ harborFact) {
	k.stale = true
	lines, unmatched := p.lines(k)
	var onCard int64
	for _, l := range lines {
		if l.value < k.booked[l.label] {
			k.level(l.label, l.value, Posting{Note: l.label + ", corrected"})
		}
		onCard += k.booked[l.label]
	}
	if take := -min(unmatched, onCard); take < k.booked[harborNoReceipt] {
		k.level(harborNoReceipt, take, Posting{Note: "Return without receipt"})
	}
}

func (p harborGrocerPlan) free(k *harborBook) int64 {
	if k.balance() < harborVoucher {
		return 0
	}
	return k.balance()
}

// harborWeekendDay says whether t is on a Saturday or Sunday.
func harborWeekendDay(t time.Time, zone *time.Location) bool {
	day := t.In(zone).Weekday()
	return day == time.Saturday || day == time.Sunday
}
