package foreign

// outsideSatoshi is a card that rewards in coins.
var outsideSatoshi = Design{
	Name: "outside-satoshi",
	Source: "crypto exchange and neobank debit cards that give coins for card payments, more of them up to a monthly volume (in the manner of Coinbase, Crypto.com and Plutus cards), from memory. " +
		"Coins are booked at their price in euros on the day here; when corrections run is mine.",
	Currency: "EUR",
	Class:    "V3(b)",
	Published: "2% of the first €1,000.00 that you spend in a calendar month (UTC), 0.5% of what is beyond, down to the cent per purchase, in the order of clearing. You have the reward on clearing and can sell it at any moment. " +
		"Rewards of what is returned, in whole or in part, are taken back, and a balance below zero is set off against later rewards.",
	How:  "A purchase is rewarded as it clears. Returns are noted, and on the 1st of the next month at 00:00 all purchases are drawn up again and differences posted, the month's steps among them; debts stay. Nothing is held in the meantime.",
	Leak: "Buy a flight for €1,000.00 on the 3rd: €20.00. Return it on the 5th, sell the €20.00 on the 6th, and use the card no more: −€20.00 are owed from the 1st on.",
	New:  func() Engine { return newOutsideDesk(satoshi{}, 0) },
}

type satoshi struct{}

var satoshiZone = outsideZone("UTC")

const satoshiStep = 100_000

// lines are those of all purchases, in order.
func (satoshi) lines(a *outsideAccount) (list []outsideLine) {
	volume := make(map[string]int64)
	parts := func(v int64) int64 { return 20*min(v, satoshiStep) + 5*max(0, v-satoshiStep) }
	for _, s := range a.sales {
		month := s.made.UTC().Format("2006-01")
		before := volume[month]
		volume[month] += s.kept
		list = append(list, outsideLine{key: s.id, transaction: s.id, note: "card reward", amount: (parts(before+s.kept) - parts(before)) / 1000})
	}
	return list
}

func (c satoshi) sold(a *outsideAccount, s *outsideSale) {
	lines := c.lines(a)
	a.level(lines[len(lines)-1:], "") // the others wait for the 1st
	a.wake(outsideMonth(a.now, satoshiZone, 1, 1))
}

func (satoshi) came(a *outsideAccount, r *outsideReturn) {
	a.wake(outsideMonth(a.now, satoshiZone, 1, 1))
}

func (c satoshi) due(a *outsideAccount) { a.level(c.lines(a), "") }

func (satoshi) open(a *outsideAccount) int64 { return a.balance }
