package foreign

import "time"

// ferryPebble pays a month out and shuts its books.
var ferryPebble = Design{
	Name:   "ferry-pebble",
	Source: "after British neobanks' debit cashback that is paid by itself, from memory; the paper's Case II",
	Published: "1 % of all net purchases, at most £15 a calendar month (London), paid to the account by itself on the " +
		"first of the next month. Refunded purchases earn nothing.",
	How: "On the first, purchases not yet reckoned get 1 % of what is left of them, a row each, and the sum is paid. " +
		"Refunds of a purchase that has been reckoned are filed; nothing looks at them again.",
	Class: "V2",
	Leak: "What comes back after the first of the next month keeps its cashback. Buy a £1,200 sofa on 20 March, £12 is " +
		"paid on 1 April, send it back on 5 April: the £12 stays.",
	Currency: "GBP",
	New:      func() Engine { return ferryOpen(ferryPebblePlan{}) },
}

type ferryPebblePlan struct{ ferryPlain }

var ferryLondon = ferryZone("Europe/London")

const ferryPebbleCap = 1500

func (ferryPebblePlan) next(t time.Time) time.Time { return ferryCloseOn(1, ferryLondon, t) }

func (ferryPebblePlan) parts(*ferryAccount, *ferryBuy) []ferryPart {
	return []ferryPart{ferryAlone(ferryRate(100))}
}

func (ferryPebblePlan) bought(*ferryAccount, *ferryBuy) {}

// closed reckons what is open. Of a purchase delivered late the cap is that of the
// month in which it was made.
func (ferryPebblePlan) closed(a *ferryAccount) {
	var buys []*ferryBuy
	for _, b := range a.buys {
		if !b.booked {
			buys = append(buys, b)
		}
	}
	var backs []*ferryBack
	for _, r := range a.backs {
		b := a.byID[r.tx]
		if r.tx == "" && !r.booked || b != nil && !b.booked {
			backs = append(backs, r)
		}
		r.booked = true // without a name it can be of this month's purchases only
	}
	ferryMatch(a, buys, backs)
	for _, b := range buys {
		month := ferryMonth(b.at, ferryLondon)
		reward := min(b.left()/100, ferryPebbleCap-a.used[month])
		a.used[month] += reward
		b.booked = true
		a.post(Earned, reward, b.id, "", "cashback "+month)
	}
	if sum := a.balance(); sum > 0 {
		a.post(Paid, -sum, "", "", "cashback paid to your account")
	}
}

// redeemable is nothing: all is paid without being asked.
func (ferryPebblePlan) redeemable(*ferryAccount) int64 { return 0 }
