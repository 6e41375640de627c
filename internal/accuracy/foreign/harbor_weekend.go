package foreign

import "time"

var harborWeekend = Design{
	Name:   "harbor-weekend-campaign",
	Source: "After the public rules of Polish drugstore and marketplace apps (multiplied cashback on weekends), from memory.",
	Published: "1 % of every purchase in your app wallet, 5 % on Saturdays and Sundays (Warsaw), to be used at once. If you return " +
		"something, its cashback is taken back, also below zero.",
	How: "A purchase earns at the rate of its day. The return service asks the same price list – for the day of the return – and takes that " +
		"of what came back, but never more than is left of the purchase's cashback. Rows of returns name the return alone.",
	Class: "other",
	Leak: "What was bought on a weekend and is returned on a weekday gives back a fifth. Buy for 1,000.00 zł on a Saturday: 50.00 zł. Return " +
		"all of it on Monday: 10.00 zł are taken, 40.00 zł kept for nothing bought.",
	Currency: "PLN",
	New:      harborNew(harborWeekendPlan{zone: harborZone("Europe/Warsaw")}),
}

type harborWeekendPlan struct {
	harborNone
	zone *time.Location
}

// percent is the price list: what the day of t earns.
func (p harborWeekendPlan) percent(t time.Time) int64 {
	if harborWeekendDay(t, p.zone) {
		return 5
	}
	return 1
}

func (p harborWeekendPlan) heard(k *harborBook, f harborFact) {
	k.match(func(b *harborBuy) int64 { return p.percent(b.at) })
	taken := map[*harborBuy]int64{}
	for _, r := range k.backs {
		for _, part := range r.parts {
			taken[part.buy] += part.x * p.percent(r.at) // the day of the return
		}
	}
	for _, b := range k.buys {
		kept := max(0, b.amount*p.percent(b.at)-taken[b]) / 100
		row := Posting{Transaction: b.id, Note: "Cashback"}
		if f.back != nil {
			row = Posting{Refund: f.back.id, Note: "Return"}
		}
		k.level(b.id, kept, row)
	}
}

func (p harborWeekendPlan) free(k *harborBook) int64 { return k.balance() }
