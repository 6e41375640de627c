package foreign

var amberJetstream = Design{
	Name: "amber-jetstream",
	Source: "After the public rules of European airlines' cards with a cash wallet (Ryanair, Vueling, easyJet: a percentage of " +
		"fares back as credit, at most so much a booking); from memory.",
	Published: "3% of a booking with airlines (category AIRLINE), at most EUR 30 a booking; 1% of other purchases. Credit is in the " +
		"wallet as soon as a purchase clears and can be redeemed at once. Credit of what is returned is taken back. A return " +
		"that names no purchase, or none that clears within 30 days, takes, at once or from later rewards, 3%.",
	How: "A row per purchase, and per return one that takes all that the purchase does not earn any more. A wallet cannot be below zero: " +
		"what it then lacks is adjusted away in the same moment, and never claimed again.",
	Class: "V3(a)",
	Leak: "Who redeems before a return keeps the money: a booking of EUR 1,000 earns EUR 30.00, which is redeemed; the booking is " +
		"refunded, EUR 30.00 are taken back and at once adjusted away. The wallet shows 0, and the next purchase of EUR 500 pays " +
		"EUR 5.00 that can be redeemed: EUR 35.00 for EUR 500 of other purchases.",
	Currency: "EUR",
	New:      amberNew("Europe/Dublin", func(f *amberFile) amberHouse { return &amberJetstreamHouse{f: f} }),
}

// amberJetstreamMost is what a booking earns at most.
const amberJetstreamMost = 3_000

// amberJetstreamHouse keeps a wallet.
type amberJetstreamHouse struct {
	amberIdle
	f      *amberFile
	earned int64 // by purchases, net of returns
}

// amberJetstreamCredit is what is left of a purchase earns.
func amberJetstreamCredit(category string, net int64) int64 {
	if category == "AIRLINE" {
		return min(amberJetstreamMost, net*3/100)
	}
	return net / 100
}

func (h *amberJetstreamHouse) bought(b *amberBuy) {
	credit := amberJetstreamCredit(b.category, b.amount)
	h.earned += credit
	h.f.post(Earned, credit, b.id, "", "wallet credit")
}

func (h *amberJetstreamHouse) returned(b *amberBuy, _ *amberBack, part int64) {
	back := amberJetstreamCredit(b.category, b.net()+part) - amberJetstreamCredit(b.category, b.net())
	h.earned -= back
	h.f.post(Reversed, -back, b.id, "", "credit of a return")
	h.floor()
}

func (h *amberJetstreamHouse) level(*amberBack) {
	h.f.withhold(h.f.debt(func(amount int64) int64 { return amberUp(amount*3, 100) }), h.earned, "")
	h.floor()
}

// floor is the flaw: the debt is computed, and then thrown away.
func (h *amberJetstreamHouse) floor() {
	if lack := -h.f.balance(); lack > 0 {
		h.f.post(Adjusted, lack, "", "", "wallet brought to zero")
	}
}

func (h *amberJetstreamHouse) free() int64 { return h.f.balance() }
