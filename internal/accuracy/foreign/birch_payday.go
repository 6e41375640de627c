package foreign

import "time"

var birchPayday = Design{
	Name:   "birch-payday",
	Source: "after bank cashback that is paid to the current account every month (from memory of European direct banks)",
	Published: "3 % at groceries, up to EUR 15.00 a calendar month, 2 % on fuel, 0.5 % on all else, each purchase rounded down to the cent. " +
		"On the first of every month the cashback is paid to your account by itself. What returns take is set off against the next payout; " +
		"if it is more, the rest is collected from the account. Cashback cannot be called for in between.",
	How: "Nothing is booked between closes. At each close all purchases ever made are counted anew, less what came back; the difference to all " +
		"that has been booked is one row, of kind earned even when it is below zero, and is paid out, or collected by a payout below zero (a paid row " +
		"above zero; PaidOut falls). Refunds without a name count as what could be lost at most.",
	Class:    "robust",
	Currency: "EUR",
	New:      birchNew(birchPaydayBooks{}),
}

var birchPaydayTerms = birchTerms{zone: birchZone("Europe/Berlin"), day: 1, layers: [][]birchRule{{
	{categories: []string{"GROCERY"}, num: 3, den: 100, unit: 1, limit: 1500},
	{categories: []string{"FUEL"}, num: 2, den: 100, unit: 1},
	{num: 1, den: 200, unit: 1},
}}}

// birchPaydayBooks has two rows a month, or none.
type birchPaydayBooks struct{}

func (birchPaydayBooks) next(t time.Time) time.Time {
	return birchPaydayTerms.start("month", t).AddDate(0, 1, 0)
}

func (birchPaydayBooks) heard(*birchAccount, time.Time, birchFact) {}

// run nets the month: the balance is nothing after it, whichever way the money goes.
func (b birchPaydayBooks) run(a *birchAccount, at time.Time) {
	month := at.AddDate(0, 0, -1).In(birchPaydayTerms.zone).Format("01/2006")
	a.post(Posting{At: at, Kind: Earned, Amount: b.sure(a) - a.sum - a.paid, Note: "cashback " + month + " net of returns"})
	note := "payout " + month
	if a.sum < 0 {
		note = "negative payout " + month + ", collected"
	}
	a.post(Posting{At: at, Kind: Paid, Amount: -a.sum, Note: note})
}

func (birchPaydayBooks) sure(a *birchAccount) int64 {
	loose := a.count(time.Time{}, false)
	worth := birchPaydayTerms.level(a.purchases)
	return worth - birchPaydayTerms.loss(a.purchases, loose, worth)
}
