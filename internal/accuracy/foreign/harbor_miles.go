package foreign

import "time"

var harborMiles = Design{
	Name:   "harbor-miles-status",
	Source: "After the public rules of Nordic airlines' clubs (status by what was flown for this year), from memory.",
	Published: "1 mile for every SEK 10 spent on flights. From SEK 20,000 of purchases in a calendar year you are Silver and earn 1.5, from " +
		"SEK 50,000 Gold and earn 3 miles for every SEK 10 that you buy from then on, until the year is over. Tickets that are refunded earn " +
		"no miles and do not count towards your status.",
	How: "Each ticket's row is made at the rate of the status that the member has as it clears; a refund takes exactly what the returned " +
		"part earned, at that rate, at once and below zero if need be. Status is a counter of its own, which clearings raise: the refund " +
		"service was built for miles and knows no counter.",
	Class: "other",
	Leak: "Refunded tickets keep their status. Buy a flexible ticket for SEK 50,000 in January and return it: its 5,000 miles go, Gold " +
		"stays. The next SEK 20,000 earn 6,000 miles instead of 2,000.",
	Currency: "SEK",
	New:      harborNew(harborMilesPlan{zone: harborZone("Europe/Stockholm")}),
}

const (
	harborSilver = 2000000 // SEK 20,000
	harborGold   = 5000000
)

type harborMilesPlan struct {
	harborNone
	zone *time.Location
}

// harborMilesRate is how many miles 2000 öre earn at what had been bought in the year before.
func harborMilesRate(before int64) int64 {
	switch {
	case before >= harborGold:
		return 6
	case before >= harborSilver:
		return 3
	}
	return 2
}

// rates are what each ticket earns by the member's status as it cleared.
func (p harborMilesPlan) rates(k *harborBook) map[*harborBuy]int64 {
	counter := map[int]int64{}
	rates := make(map[*harborBuy]int64, len(k.buys))
	for _, b := range k.buys {
		year := b.at.In(p.zone).Year()
		rates[b] = harborMilesRate(counter[year])
		counter[year] += b.amount // what clears; refunds do not come by here
	}
	return rates
}

func (p harborMilesPlan) heard(k *harborBook, f harborFact) {
	rates := p.rates(k)
	k.match(func(b *harborBuy) int64 { return rates[b] })
	for _, b := range k.buys {
		k.level(b.id, b.net()*rates[b]/2000, Posting{Transaction: b.id, Refund: f.refund(), Note: "Miles"})
	}
}

func (p harborMilesPlan) free(k *harborBook) int64 { return k.balance() }
