package foreign

import "time"

var harborStore = Design{
	Name:   "harbor-store-batch",
	Source: "After the public rules of Australian department stores' rewards cards (points per dollar, a yearly ceiling), from memory.",
	Published: "2 points for every full A$1 of a purchase, at most 40,000 points a calendar year. Points can be used as soon as the purchase " +
		"has posted. Points of returns are deducted with your statement on the 25th (Sydney); your balance may be below zero then.",
	How: "A purchase writes its row when it posts, as if nothing came back. Returns are kept for the close of the 25th, which writes one row " +
		"for all that has changed since the last: net purchases by the terms, less what stands in the books. The debt stands for ever. " +
		"Until the close redemptions ask the balance alone.",
	Class: "V3(b)",
	Leak: "Points of what has been returned can be redeemed until the close. Buy for A$5,000.00 on 26 March: 10,000 points; return all on " +
		"27 March; redeem 10,000 points on 28 March. On 25 April the balance is −10,000, which who buys no more never pays.",
	Currency: "AUD",
	New:      harborNew(harborStorePlan{harborZone("Australia/Sydney")}),
}

const (
	harborStoreDay     = 25
	harborStoreCeiling = 40000
	harborStoreTotal   = "total" // what purchases and closes have booked together
)

type harborStorePlan struct{ zone *time.Location }

func (p harborStorePlan) next(_ *harborBook, t time.Time) time.Time {
	return harborCycleEnd(t, harborStoreDay, p.zone)
}

// points are what purchases earn by what keep says is left of them, and what of that is
// the last purchase's.
func (p harborStorePlan) points(k *harborBook, left func(*harborBuy) int64) (sum, last int64) {
	used := map[int]int64{}
	for _, b := range k.buys {
		year := b.at.In(p.zone).Year()
		last = min(left(b)/100*2, harborStoreCeiling-used[year])
		used[year] += last
		sum += last
	}
	return sum, last
}

// heard writes the rows of purchases. Returns lie in a tray until the close.
func (p harborStorePlan) heard(k *harborBook, f harborFact) {
	if f.buy == nil {
		return
	}
	_, last := p.points(k, func(b *harborBuy) int64 { return b.amount })
	k.booked[harborStoreTotal] += last
	k.post(Posting{Kind: Earned, Amount: last, Transaction: f.buy.id, Note: "Points"})
}

// due is the close: one row for everything that came back, and for what that made room for.
func (p harborStorePlan) due(k *harborBook) {
	k.match(func(*harborBuy) int64 { return 2 })
	sum, _ := p.points(k, (*harborBuy).net)
	k.level(harborStoreTotal, sum, Posting{Note: "Returns of this statement"})
}

func (p harborStorePlan) free(k *harborBook) int64 { return k.balance() }
