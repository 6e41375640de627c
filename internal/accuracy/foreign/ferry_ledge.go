package foreign

// ferryLedge frees a quarter's room in the quarter in which the refund arrives.
var ferryLedge = Design{
	Name: "ferry-ledge",
	Source: "after euro credit cards with a restaurant rate up to a quarterly maximum, from memory; the counter is the " +
		"paper's Algorithm 2 without the guard of its line 10",
	Published: "4 % at restaurants (MCC 5812 to 5814) up to €25 of cashback a calendar quarter (Paris), 0.5 % elsewhere, " +
		"at once. A return takes its share of what the purchase was given; if that was under the quarter's maximum, the " +
		"room can be used again in that quarter.",
	How: "What a purchase is given is kept and returned in proportion. A counter per quarter says what of the maximum is " +
		"used; a return lowers the counter of the quarter that is running, whichever its purchase was counted in, and " +
		"even below zero.",
	Class: "other",
	Leak: "A return from an earlier quarter makes room in this one. In May restaurants for €625 give €25; in July these " +
		"come back, −€25, and the counter of July is −€25: restaurants for €1,250 give €50 where €25 are promised.",
	Currency: "EUR",
	New:      func() Engine { return ferryOpen(ferryLedgePlan{}) },
}

type ferryLedgePlan struct{ ferryPlain }

var ferryParis = ferryZone("Europe/Paris")

const ferryLedgeCap = 2500

func ferryLedgeDines(b *ferryBuy) bool { return b.mcc >= "5812" && b.mcc <= "5814" }

// parts lets refunds without a name go where most was given for the money.
func (ferryLedgePlan) parts(_ *ferryAccount, b *ferryBuy) []ferryPart {
	return []ferryPart{ferryAlone(func(left int64) int64 { return b.granted * left / b.amount })}
}

func (p ferryLedgePlan) bought(a *ferryAccount, b *ferryBuy) {
	b.granted = b.amount * 50 / 10000
	if ferryLedgeDines(b) {
		quarter := ferryQuarter(b.at, ferryParis)
		b.granted = max(0, min(b.amount*400/10000, ferryLedgeCap-a.used[quarter]))
		a.used[quarter] += b.granted
	}
	b.posted = b.granted
	a.post(Earned, b.granted, b.id, "", "cashback")
	p.level(a, "")
}

func (p ferryLedgePlan) returned(a *ferryAccount, r *ferryBack) { p.level(a, r.id) }

func (ferryLedgePlan) level(a *ferryAccount, refund string) {
	ferryMatch(a, a.buys, a.backs)
	running := ferryQuarter(a.now, ferryParis)
	for _, b := range a.buys {
		d := b.parts[0].counts(b.left()) - b.posted
		b.posted += d
		if ferryLedgeDines(b) {
			a.used[running] += d // the purchase's own quarter would be right
		}
		if d < 0 {
			a.post(Reversed, d, b.id, refund, "refund")
		} else {
			a.post(Earned, d, b.id, refund, "refund found its purchase")
		}
	}
}
