package foreign

import "time"

// blindSunrise is a wallet that pays at once and takes back once a month.
var blindSunrise = Design{
	Name: "blind-sunrise",
	Source: "Inter Loop, Méliuz and other wallets of Brazil (inter.co, meliuz.com.br): cashback in the wallet within moments of the payment, taken back if the purchase is cancelled. " +
		"Mine: the rates, the most per purchase, the day of the month; section 4.3, V3(b)",
	Currency: "BRL",
	Class:    "V3(b)",
	Published: "DINING and TRAVEL 3%, GROCERY and ONLINE 1.5%, all else 0.5%, down to the centavo per purchase, at most R$30.00 per purchase. In the wallet on clearing, and redeemable at once. " +
		"Cashback of what is returned is taken back, at any time, when returns are processed, at 00:00 of the 5th of each month (São Paulo); if it was used, out of cashback to come. " +
		"A return that names no purchase is of the latest one of that merchant, else category, else of all.",
	How: "A purchase is paid in a row that names it. Returns are gathered and on the 5th taken back in one row for all of them, which names none; the balance may be below zero then, and stays so. " +
		"Until the 5th neither balance nor redemption knows of them.",
	Leak: "Pay R$900.00 for a flight on 8 May: R$27.00. It is cancelled and refunded on 12 May. Take the R$27.00 out on 20 May and use another card from then on: the −R$27.00 of 5 June is never made up for.",
	New: func() Engine {
		return newBlindDesk(blindRules{
			sale: func(b *blindBook, p *blindBuy) {
				cash := blindSunriseCash(p.category, p.amount)
				b.sums["granted"] += cash
				b.row(cash, p.id, "", "cashback")
			},
			wake: func(b *blindBook) time.Time { return blindNext(b.now, 5, blindSaoPaulo) },
			tick: func(b *blindBook) {
				kept := int64(0)
				for _, p := range b.buys {
					kept += blindSunriseCash(p.category, p.kept)
				}
				b.is("granted", kept, "", "", "returns processed")
			},
		})
	},
}

var blindSaoPaulo = blindZone("America/Sao_Paulo")

func blindSunriseCash(category string, amount int64) int64 {
	rate := int64(5)
	switch category {
	case "DINING", "TRAVEL":
		rate = 30
	case "GROCERY", "ONLINE":
		rate = 15
	}
	return min(amount*rate/1000, 3000)
}
