package foreign

import "time"

// kiteStorno books as core-banking batches book accruals: what changed is never posted.
// The old valuation is reversed whole and a new one is granted.
var kiteStorno = Design{
	Name:   "kite-storno",
	Source: "after the bonus rules of German giro cards and how core-banking systems revalue accruals (from memory; not one bank's)",
	Published: "2 % on groceries, up to 15 EUR of cashback a calendar month (Berlin time), 1 % on fuel and travel, 0.5 % on " +
		"everything else. Cashback is booked on the evening of the day a purchase clears and can be drawn from then on. What is returned " +
		"earns nothing; the room that it leaves under the monthly limit goes to what else was bought that month. A refund that names " +
		"no purchase is taken to be of what earned most.",
	How: "Every evening at 23:30 an account with news is valued anew from what is left of all its purchases. If any heading (groceries, " +
		"fuel and travel, everything else, unassigned refunds) has changed, ALL headings are reversed in full and all are granted anew, " +
		"of all time, in rows that name neither purchase nor refund. Redemptions go by the lesser of what is booked and of what the " +
		"booked purchases are worth at that moment, so a return whose row comes tonight cannot be drawn on this afternoon.",
	Class:    "robust",
	Currency: "EUR",
	New: func() Engine {
		return newKite(kiteStornoPlan{kiteTariff: kiteTariff{zone: kiteZone("Europe/Berlin"), per: 10000, unit: 1, rules: []kiteRule{
			{"Lebensmittel", []string{"GROCERY"}, 200, 1500},
			{"Tanken und Reisen", []string{"FUEL", "TRAVEL"}, 100, 0},
			{"Sonstige Umsätze", nil, 50, 0},
		}}})
	},
}

type kiteStornoPlan struct {
	kiteQuiet
	kiteTariff
}

// kiteUnassigned is the heading of what loose refunds cost.
const kiteUnassigned = "Nicht zugeordnete Gutschriften"

func (s kiteStornoPlan) next(t time.Time) time.Time { return kiteDaily(t, s.zone, 23, 30) }

// batch values an account and, if the valuation is another, books all of it anew.
func (s kiteStornoPlan) batch(a *kiteAccount, at time.Time) {
	if !a.dirty {
		return
	}
	a.dirty = false
	for _, p := range a.purchases {
		p.granted = true
	}
	value := make([]int64, len(s.rules)+1)
	names := make([]string, len(value))
	for c, sum := range s.cells(a, kiteAll) {
		value[c.rule] += s.limited(c, sum)
	}
	for i, r := range s.rules {
		names[i] = r.name
	}
	names[len(s.rules)] = kiteUnassigned
	value[len(s.rules)] = s.due(a, kiteAll) - s.worth(a, kiteAll)

	same := true
	for i, name := range names {
		same = same && a.book[name] == value[i]
	}
	if same {
		return
	}
	for i, name := range names {
		kind := Reversed
		if i == len(s.rules) {
			kind = Adjusted
		}
		a.post(Posting{At: at, Kind: kind, Amount: -a.book[name], Note: "Storno " + name})
	}
	for i, name := range names {
		kind := Earned
		if i == len(s.rules) {
			kind = Adjusted
		}
		a.post(Posting{At: at, Kind: kind, Amount: value[i], Note: "Neubewertung " + name})
		a.book[name] = value[i]
	}
}

func (s kiteStornoPlan) sure(a *kiteAccount, _ time.Time) int64 {
	return min(s.due(a, kiteGranted), s.due(a, kiteAll))
}
