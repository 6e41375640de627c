package foreign

// finalMiles is a card with double rates at first, which lets returns settle.
var finalMiles = Design{
	Name:     "final-miles",
	Source:   "travel cards with double rates in the first months; section 4.3, V3(b), and section 5.3.2",
	Currency: "NZD",
	Class:    "V3(b)",
	Published: "TRAVEL and FUEL 1.5%, all else 0.75%; double for purchases made in the 120 days from opening. Half up to the cent per purchase. " +
		"Granted on clearing, redeemable at once. When a return posts, what it earned is taken back and can no longer be redeemed; what was redeemed is owed and repaid out of later rewards.",
	How: "Returns bounce now and then, so each is left to settle for 21 days before its reward is taken back; debts are kept and repaid. Until then the balance, and what can be redeemed, are as if nothing had come back.",
	Leak: "Fly for NZ$2,000 in the first month, NZ$60.00 is earned; have the fare refunded the next day, redeem the NZ$60.00 in the three weeks that follow, and leave the card in a drawer: " +
		"the balance becomes -60.00 and nobody repays it.",
	New: func() Engine {
		return newFinalDesk(&finalRecalc{grants: milesGrants, settling: 21 * finalDay})
	},
}

const milesIntro = 120 * finalDay

func milesGrants(b *finalBook) (list []finalGrant) {
	for _, p := range b.buys {
		rate := int64(75)
		if p.category == "TRAVEL" || p.category == "FUEL" {
			rate = 150
		}
		if p.made.Before(b.opened.Add(milesIntro)) {
			rate *= 2
		}
		list = append(list, p.reward(finalHalfUp(p.kept*rate), "miles"))
	}
	return list
}
