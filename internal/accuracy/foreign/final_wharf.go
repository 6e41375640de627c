package foreign

import "time"

// finalWharf is a card with a statement day, merchant codes and a limit in each cycle.
var finalWharf = Design{
	Name:     "final-wharf",
	Source:   "bank cards of the Gulf that credit cashback to the statement, by merchant code and with a limit per cycle",
	Currency: "KWD",
	Class:    "robust",
	Published: "MCC 5411 3%, at most KWD 4.000 a cycle; MCC 5812 2.5%, at most KWD 2.500 a cycle; MCC 5541 1%; all else 0.5%. " +
		"Cycles end on the 17th at 00:00 in Kuwait. The cashback of a cycle is granted then and credited by itself if the balance is KWD 1.000 or more. " +
		"Returns count in the cycle of their purchase, and one that is over is drawn up again at once.",
	How: "Draws all cycles up again from what is kept whenever something is heard of; the difference is booked at once, below zero where more was credited.",
	New: func() Engine {
		w := &wharf{}
		w.finalRecalc = finalRecalc{grants: w.granted}
		return newFinalDesk(w)
	},
}

type wharf struct{ finalRecalc }

var kuwait = finalZone("Asia/Kuwait")

const wharfLeast = 1000 // fils: less than that is not credited

// wharfClose is the end of the cycle in which a moment lies.
func wharfClose(at time.Time) time.Time {
	t := at.In(kuwait)
	end := time.Date(t.Year(), t.Month(), 17, 0, 0, 0, 0, kuwait)
	if !t.Before(end) {
		end = end.AddDate(0, 1, 0)
	}
	return end.UTC()
}

var wharfRates = map[string]struct{ rate, most int64 }{
	"5411": {300, 4000},
	"5812": {250, 2500},
	"5541": {100, 0},
}

func (w *wharf) granted(b *finalBook) (list []finalGrant) {
	type limit struct {
		end time.Time
		mcc string
	}
	used := make(map[limit]int64)
	for _, p := range b.buys {
		terms, special := wharfRates[p.mcc]
		if !special {
			terms.rate = 50
		}
		end := wharfClose(p.cleared)
		reward := perTenThousand(p.kept, terms.rate)
		if terms.most > 0 {
			l := limit{end, p.mcc}
			reward = min(reward, terms.most-used[l])
			used[l] += reward
		}
		if !end.After(b.now) {
			list = append(list, p.reward(reward, "statement of "+end.In(kuwait).Format("2 Jan 2006")))
		}
	}
	return list
}

func (w *wharf) bought(b *finalBook, p *finalBuy) {
	b.note(wharfClose(b.now))
	w.finalRecalc.bought(b, p)
}

func (w *wharf) returned(b *finalBook, r *finalBack) {
	b.note(wharfClose(b.now)) // what it lifts is credited with the next statement
	w.finalRecalc.returned(b, r)
}

// struck closes a cycle: what is granted with it is credited with it.
func (w *wharf) struck(b *finalBook) {
	w.finalRecalc.struck(b)
	if b.balance >= wharfLeast {
		b.post(Paid, -b.balance, "", "", "statement credit")
	}
}

// redeemable is nothing: credits come by themselves.
func (w *wharf) redeemable(*finalBook) int64 { return 0 }
