package foreign

import "time"

var harborFolio = Design{
	Name:   "harbor-hotel-folio",
	Source: "After the public rules of hotel groups' clubs (points per ten units of folio, rooms at double), from memory.",
	Published: "20 points for every full CHF 10 of a room folio, 10 points for every full CHF 10 of anything else at our houses, " +
		"at most 30,000 points a calendar quarter. Points show when the folio is settled and can be used 30 days after. " +
		"Amounts that are refunded or charged back earn nothing; points already used are owed. A refund without a folio number, or with one that does not turn up in 30 days, takes the points of the dearest folio that it can be of.",
	How: "One row per folio. If anything changes what a folio earns – a refund, or room that a refund frees under the quarter's " +
		"limit – its row is reversed whole and granted anew. Refunds without a folio number have rows of their own, at the rate of " +
		"the dearest folio that they can be of, and free no room. Nothing younger than 30 days can be redeemed.",
	Class:    "robust",
	Currency: "CHF",
	New:      harborNew(harborFolioPlan{zone: harborZone("Europe/Zurich")}),
}

const (
	harborTen          = 1000 // ten francs
	harborQuarterLimit = 30000
	harborMaturity     = 30 * 24 * time.Hour
)

type harborFolioPlan struct {
	harborNone
	zone *time.Location
}

// harborPerTen is what a full ten francs of a folio earn.
func harborPerTen(b *harborBuy) int64 {
	if b.category == "ROOM" {
		return 20
	}
	return 10
}

// harborQuarter numbers the calendar quarters.
func harborQuarter(t time.Time, zone *time.Location) int {
	l := t.In(zone)
	return l.Year()*4 + int(l.Month()-1)/3
}

// heard brings every folio's row, and those of refunds without a folio, to what they
// should be.
func (p harborFolioPlan) heard(k *harborBook, f harborFact) {
	k.match(harborPerTen)
	used := map[int]int64{} // by quarter, in the order of settling
	var total int64
	for _, b := range k.buys {
		q := harborQuarter(b.at, p.zone)
		points := min((b.amount-b.named)/harborTen*harborPerTen(b), harborQuarterLimit-used[q])
		used[q] += points
		total += points
		p.rewrite(k, b, points, f)
	}
	for _, r := range k.backs {
		var take int64
		for _, part := range r.parts {
			if !r.loose {
				break // it found its folio; what it took before under its own name goes back
			}
			take += harborUp(part.x, harborTen) * harborPerTen(part.buy)
		}
		take = min(take, total)
		total -= take
		kind := Reversed
		if -take > k.booked["loose/"+r.id] {
			kind = Adjusted // the folio was found, or another refund had it
		}
		k.level("loose/"+r.id, -take, Posting{Kind: kind, Refund: r.id, Note: "Refund without folio"})
	}
}

// rewrite replaces a folio's row by one of another amount.
func (p harborFolioPlan) rewrite(k *harborBook, b *harborBuy, points int64, f harborFact) {
	label := "folio/" + b.id
	old := k.booked[label]
	if old == points {
		return
	}
	refund := ""
	if f.back != nil && f.back.tx == b.id {
		refund = f.back.id
	}
	k.post(Posting{Kind: Reversed, Amount: -old, Transaction: b.id, Refund: refund, Note: "Folio reopened"})
	k.post(Posting{Kind: Earned, Amount: points, Transaction: b.id, Note: "Folio settled"})
	k.booked[label] = points
}

// free is what folios of at least 30 days have left after everything that is owed.
func (p harborFolioPlan) free(k *harborBook) int64 {
	free := k.balance()
	for _, b := range k.buys {
		if b.at.Add(harborMaturity).After(k.now) {
			free -= k.booked["folio/"+b.id]
		}
	}
	return free
}
