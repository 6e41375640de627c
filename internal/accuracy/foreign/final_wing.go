package foreign

import "time"

// finalWing is an airline's card: miles by the full pound, which lapse.
var finalWing = Design{
	Name:     "final-wing",
	Source:   "airline cards: miles by the full pound, more of them for flights, a welcome for early spending, and miles that lapse",
	Currency: "GBP",
	Class:    "robust",
	Published: "Per full £1 of a purchase: TRAVEL 3 miles, DINING 2, else 1; a mile is worth 1p. 2,500 miles once £1,500 was spent in the 60 days from opening. " +
		"Granted on clearing, redeemable at once if there are 500 or more. Miles of a purchase lapse 400 days after it cleared if they were not used; the oldest are used first; the welcome never lapses. " +
		"What is returned earns nothing and does not count towards the welcome, whenever it comes back; used miles are owed.",
	How: "Works out miles, welcome and lapses again from what is kept. Of purchases that are old enough, what redemptions had not used by then has lapsed; " +
		"a return of one of those takes back what had been used of it and undoes its lapse, never both.",
	New: func() Engine {
		w := &wing{}
		w.finalRecalc = finalRecalc{grants: w.granted, moments: w.lapseOf, least: 500}
		return newFinalDesk(w)
	},
}

type wing struct{ finalRecalc }

const (
	wingLife    = 400 * finalDay
	wingWelcome = 60 * finalDay
)

var wingMiles = map[string]int64{"TRAVEL": 3, "DINING": 2}

func wingOf(p *finalBuy) int64 { return max(1, wingMiles[p.category]) * (p.kept / 100) }

func (w *wing) granted(b *finalBook) (list []finalGrant) {
	early := int64(0)
	for _, p := range b.buys {
		list = append(list, p.reward(wingOf(p), "miles"))
		if p.made.Before(b.opened.Add(wingWelcome)) {
			early += p.kept
		}
	}
	if early >= 150_000 {
		list = append(list, finalGrant{key: "welcome", note: "welcome", amount: 2500})
	}
	return list
}

func (w *wing) lapseOf(_ *finalBook, p *finalBuy) []time.Time {
	return []time.Time{p.cleared.Add(wingLife)}
}

func (w *wing) bought(b *finalBook, p *finalBuy) {
	w.finalRecalc.bought(b, p)
	w.lapse(b)
}

func (w *wing) returned(b *finalBook, r *finalBack) {
	w.finalRecalc.returned(b, r)
	w.lapse(b)
}

func (w *wing) struck(b *finalBook) {
	w.finalRecalc.struck(b)
	w.lapse(b)
}

// lapse books what ought to have lapsed by now. Each time when miles grow too old, all
// that ever did are held against all that was used by then.
func (w *wing) lapse(b *finalBook) {
	old, lapsed := int64(0), int64(0)
	for _, p := range b.buys { // in the order in which they cleared, and so lapse
		end := p.cleared.Add(wingLife)
		if end.After(b.now) {
			break
		}
		old += wingOf(p)
		used := int64(0)
		for _, s := range b.spendings {
			if s.at.Before(end) {
				used += s.amount
			}
		}
		lapsed = max(lapsed, old-used)
	}
	const key = "lapsed"
	change := lapsed - b.booked[key]
	b.booked[key] = lapsed // not among the keys: no grant
	note := "miles lapsed"
	if change < 0 {
		note = "returned miles had lapsed before"
	}
	b.post(Adjusted, -change, "", "", note)
}
