package foreign

import (
	"fmt"
	"slices"
	"time"
)

var cedarRebook = Design{
	Name: "cedar-rebook",
	Source: "After the cashback of a German supermarket credit card, and booking runs of retail ERP systems " +
		"(from memory)",
	Published: "3 % on groceries, up to EUR 9 a week (Monday to Sunday, Berlin time), 2 % on dining, 1 % on all else, " +
		"each purchase rounded down. A week is credited on the Wednesday after it. What you return is taken out of " +
		"its week, and the week is reckoned anew.",
	How: "The books keep no corrections. When anything about a week that is booked changes, all of its rows are " +
		"reversed and all are booked again, at once. Credits without a purchase's name stand on a page of their own, " +
		"reckoned as if they were of the best paid purchases, which is struck out and written anew in the same way.",
	Class:    "robust",
	Currency: "EUR",
	New:      cedarNew(func(a *cedarAccount) cedarPlan { return &cedarWeeks{a: a, booked: map[int64][]cedarLine{}} }),
}

var (
	cedarBerlin    = cedarZone("Europe/Berlin")
	cedarRebookPay = &cedarTariff{of: 100, rest: 1, per: map[string]int64{"GROCERY": 3, "DINING": 2}}
)

// cedarRebookCap is what groceries earn at most in a week.
const cedarRebookCap = 900

// cedarLine is what one purchase earns in its week.
type cedarLine struct {
	txn    string
	amount int64
}

// cedarWeeks is a book of weeks, each by the first instant of its Monday.
type cedarWeeks struct {
	a      *cedarAccount
	booked map[int64][]cedarLine
	page   int64 // what is taken back for credits without a name
}

// cedarMonday is the first instant of the week.
func cedarMonday(t time.Time) time.Time {
	l := t.In(cedarBerlin)
	return time.Date(l.Year(), l.Month(), l.Day()-(int(l.Weekday())+6)%7, 0, 0, 0, 0, cedarBerlin)
}

// cedarBooking is when a week is booked: the Wednesday after it, in the morning.
func cedarBooking(monday time.Time) time.Time {
	return time.Date(monday.Year(), monday.Month(), monday.Day()+9, 6, 0, 0, 0, cedarBerlin)
}

func (w *cedarWeeks) next(after time.Time) time.Time {
	monday := cedarMonday(after).AddDate(0, 0, -14)
	for !cedarBooking(monday).After(after) {
		monday = monday.AddDate(0, 0, 7)
	}
	return cedarBooking(monday)
}

func (w *cedarWeeks) run(at time.Time)                   { w.book(at) }
func (w *cedarWeeks) heard(at time.Time, _ *cedarReturn) { w.book(at) }

// lines are what the purchases of each week that is over earn by everything known, and
// the weeks in order. Room under the cap goes by the order of delivery.
func (w *cedarWeeks) lines(at time.Time) (map[int64][]cedarLine, []int64) {
	lines, room := map[int64][]cedarLine{}, map[int64]int64{}
	for monday := range w.booked {
		lines[monday] = nil
	}
	for _, p := range w.a.purchases {
		monday := cedarMonday(p.at)
		if cedarBooking(monday).After(at) {
			continue
		}
		amount, week := cedarRebookPay.earns(p.category, w.a.left(p)), monday.Unix()
		if p.category == "GROCERY" {
			amount = min(amount, cedarRebookCap-room[week])
			room[week] += amount
		}
		if amount > 0 {
			lines[week] = append(lines[week], cedarLine{p.id, amount})
		}
	}
	var weeks []int64
	for week := range lines {
		weeks = append(weeks, week)
	}
	slices.Sort(weeks)
	return lines, weeks
}

// book brings all weeks that are over to what they earn, and then the page.
func (w *cedarWeeks) book(at time.Time) {
	lines, weeks := w.lines(at)
	var earned int64
	for _, week := range weeks {
		for _, l := range lines[week] {
			earned += l.amount
		}
		if slices.Equal(lines[week], w.booked[week]) {
			continue
		}
		year, number := time.Unix(week, 0).In(cedarBerlin).ISOWeek()
		name := fmt.Sprintf("week %d/%02d", number, year%100)
		for _, l := range w.booked[week] {
			w.a.write(Posting{At: at, Kind: Reversed, Amount: -l.amount, Transaction: l.txn, Note: name + " struck out"})
		}
		for _, l := range lines[week] {
			w.a.write(Posting{At: at, Kind: Earned, Amount: l.amount, Transaction: l.txn, Note: name})
		}
		w.booked[week] = lines[week]
	}
	page := min(earned, cedarRebookPay.worst(w.a, w.a.loose()))
	if page != w.page {
		w.a.write(Posting{At: at, Kind: Adjusted, Amount: w.page, Note: "unnamed credits, struck out"})
		w.a.write(Posting{At: at, Kind: Adjusted, Amount: -page, Note: "unnamed credits"})
		w.page = page
	}
}

// sure is all that is booked: nothing waits.
func (w *cedarWeeks) sure() int64 { return w.a.posted }
