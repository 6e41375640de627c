package foreign

import (
	"fmt"
	"time"
)

// blindQuay is a card with a quarter's bands over two categories together.
var blindQuay = Design{
	Name: "blind-quay",
	Source: "Bank of America Customized Cash Rewards (bankofamerica.com/credit-cards/products/cash-back-credit-card): more in a chosen category and at grocery stores, " +
		"on the first $2,500 of both together in a quarter, then 1%. Mine: one rate for both, the band in the middle, the monthly lump, the rule for returns without a purchase",
	Currency: "USD",
	Class:    "robust",
	Published: "GROCERY and ONLINE together: 3% on the first $1,500 of a calendar quarter, 2% from there to $2,500, 1% beyond; all else 1%. Down to the cent per purchase, in the order in which purchases clear. " +
		"Granted on the first of the next month (New York), in one sum for the two categories and one for all else, redeemable then. " +
		"A return counts in the quarter of its purchase, at once and at any time, as if the purchase had been smaller: later purchases of that quarter move down. What was used is owed. " +
		"A return that names no purchase is of the latest one of that merchant, else category, else of all; what is more than a purchase's price counts for nothing.",
	How: "Draws every month that is over up again from what is kept when anything is heard, and books the difference to each month's two sums, naming the return that gave rise to it but no purchase.",
	New: func() Engine {
		return newBlindDesk(blindRules{
			back: blindQuayWork,
			wake: func(b *blindBook) time.Time { return blindNext(b.now, 1, blindNewYork) },
			tick: func(b *blindBook) { blindQuayWork(b, "") },
		})
	},
}

var blindNewYork = blindZone("America/New_York")

func blindQuayWork(b *blindBook, refund string) {
	var months blindTally
	spent := make(map[string]int64)
	for _, p := range b.buys {
		made := p.made.In(blindNewYork)
		kind, reward := "other purchases", p.kept/100
		if p.category == "GROCERY" || p.category == "ONLINE" {
			quarter := fmt.Sprint(made.Year(), (made.Month()-1)/3)
			from := spent[quarter]
			spent[quarter] += p.kept
			kind, reward = "groceries and online", (blindQuayBands(from+p.kept)-blindQuayBands(from))/100
		}
		if !blindNext(p.made, 1, blindNewYork).After(b.now) {
			months.add(made.Format("January 2006")+", "+kind, reward)
		}
	}
	for _, line := range months.names {
		b.is(line, months.sums[line], "", refund, line)
	}
}

// blindQuayBands is what so much of a quarter earns, in hundredths of a cent.
func blindQuayBands(spent int64) int64 {
	return spent + min(spent, 250_000) + min(spent, 150_000)
}
