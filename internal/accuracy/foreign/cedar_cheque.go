package foreign

import (
	"fmt"
	"time"
)

var cedarCheque = Design{
	Name:   "cedar-cheque",
	Source: "After Canadian warehouse clubs and fuel co-operatives, which send a rebate by cheque (from memory)",
	Published: "In each calendar quarter (Toronto) you earn 10 cents for each full $10 that you spend on anything but fuel, and " +
		"30 cents more for each full $10 of groceries, up to 60 times. On the 5th of each month half of what the running " +
		"quarter has come to is credited provisionally; on the 20th after the quarter the rest. A cheque is sent in the middle " +
		"of the second month after the quarter if it is for $5 or more. Returns are set off against the next credit and cheque.",
	How: "Rows name nothing. A provisional row a month goes up or down to half the quarter so far, one row trues a quarter up, " +
		"one row of each run corrects all earlier quarters together, for returns that came since and for credits that name " +
		"no purchase. A cheque is drawn after such a run, on what is final only; nothing can be redeemed otherwise.",
	Class:    "robust",
	Currency: "CAD",
	New:      cedarNew(func(a *cedarAccount) cedarPlan { return &cedarQuarters{a: a, posted: map[int]int64{}} }),
}

var (
	cedarToronto   = cedarZone("America/Toronto")
	cedarChequePay = &cedarTariff{of: 1000, rest: 10, per: map[string]int64{"GROCERY": 40, "FUEL": 0}}
)

const (
	cedarGroceryTimes = 60
	cedarGroceryExtra = 30
	cedarChequeLeast  = 500
)

// cedarQuarters is what has been credited for each quarter.
type cedarQuarters struct {
	a       *cedarAccount
	posted  map[int]int64
	unnamed int64 // taken off for credits that name no purchase
	paid    int64
}

// cedarRuns are the days of a month, by its place in the quarter, with a run; all at three.
var cedarRuns = [3][]int{{5, 20}, {5, 15}, {5}}

// next is the next run: each 5th, the true-up and the cheque.
func (q *cedarQuarters) next(after time.Time) time.Time {
	for month := cedarMonth(after, cedarToronto); ; month++ {
		for _, day := range cedarRuns[month%3] {
			if at := time.Date(month/12, time.Month(month%12+1), day, 3, 0, 0, 0, cedarToronto); at.After(after) {
				return at
			}
		}
	}
}

// heard does nothing: all is done by the calendar, and nothing can be had in between.
func (q *cedarQuarters) heard(time.Time, *cedarReturn) {}

// sure is nothing: only cheques pay.
func (q *cedarQuarters) sure() int64 { return 0 }

// worth is what the purchases of a quarter before the instant come to.
func (q *cedarQuarters) worth(quarter int, before time.Time) int64 {
	var spend, grocery int64
	for _, p := range q.a.purchases {
		if cedarMonth(p.at, cedarToronto)/3 != quarter || !p.at.Before(before) || p.category == "FUEL" {
			continue
		}
		spend += q.a.left(p)
		if p.category == "GROCERY" {
			grocery += q.a.left(p)
		}
	}
	of := cedarChequePay.of
	return spend/of*cedarChequePay.rest + min(cedarGroceryTimes, grocery/of)*cedarGroceryExtra
}

// run credits, and draws the cheque on its day.
func (q *cedarQuarters) run(at time.Time) {
	month := cedarMonth(at, cedarToronto)
	day := at.In(cedarToronto).Day()
	final := month/3 - 1 // the last quarter that is final
	if month%3 == 0 && day < 20 {
		final--
	}
	var sure, all, corrected int64
	for quarter := q.first(month / 3); quarter <= month/3; quarter++ {
		name, worth := fmt.Sprintf("%d-Q%d", quarter/4, quarter%4+1), q.worth(quarter, cedarMonthStart(month, cedarToronto))
		if quarter > final {
			worth /= 2
		} else {
			sure += worth
		}
		diff := worth - q.posted[quarter]
		all, q.posted[quarter] = all+worth, worth
		switch {
		case quarter > final:
			q.row(at, diff, name+" provisional")
		case quarter == final && month%3 == 0 && day == 20:
			q.row(at, diff, name+" true-up")
		default:
			corrected += diff
		}
	}
	unnamed := min(all, q.worst())
	q.row(at, corrected+q.unnamed-unnamed, "earlier quarters")
	q.unnamed = unnamed
	if month%3 == 1 && day == 15 {
		q.draw(at, min(q.a.posted, sure-unnamed-q.paid))
	}
}

// worst is what credits that name no purchase can have cost, if in each quarter with a
// purchase they took the last cents of a full $10.
func (q *cedarQuarters) worst() int64 {
	loose, quarters := q.a.loose(), map[int]bool{}
	for _, p := range q.a.purchases {
		quarters[cedarMonth(p.at, cedarToronto)/3] = true
	}
	if loose == nil {
		return 0
	}
	return cedarChequePay.worst(q.a, loose) + cedarChequePay.rate("GROCERY")*int64(len(quarters))
}

// first is the first quarter with a purchase, which a late one may be before.
func (q *cedarQuarters) first(last int) int {
	for _, p := range q.a.purchases {
		last = min(last, cedarMonth(p.at, cedarToronto)/3)
	}
	return last
}

// row credits, or takes off what had been credited too much.
func (q *cedarQuarters) row(at time.Time, amount int64, note string) {
	post := Posting{At: at, Kind: Earned, Amount: amount, Note: note}
	if amount < 0 {
		post.Kind = Adjusted
	}
	q.a.write(post)
}

// draw sends a cheque. What is owed makes it smaller, or waits for the next.
func (q *cedarQuarters) draw(at time.Time, amount int64) {
	if amount >= cedarChequeLeast {
		q.paid += amount
		q.a.write(Posting{At: at, Kind: Paid, Amount: -amount, Note: "cheque"})
	}
}
