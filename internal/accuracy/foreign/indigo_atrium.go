package foreign

var indigoAtrium = Design{
	Name:   "indigo-atrium",
	Source: "European debit cards with cashback and partner-funded extras (Curve, Vivid and the like), from memory",
	Published: "1 % cashback on everything. Groceries earn 2 % more, HOME and ELECTRONICS 4 % more. Cashback is credited when a purchase " +
		"clears and can be paid out at once. Refunds and disputes take cashback back, below zero if need be.",
	How: "The card's own cashback, the groceries' extra included, follows every refund and dispute. The extra of HOME and ELECTRONICS is kept in the partners' ledger, which hears of " +
		"purchases and won disputes only: it has no handler for refunds.",
	Class: "V1", Currency: "EUR",
	Leak: "Buy a lamp (HOME) for 200.00: 2.00 and 8.00. Return it, whole or in parts, named or not: 2.00 is taken back, 8.00 stays and can be paid out. " +
		"It can be repeated with every lamp.",
	New: func() Engine { return indigoNew(&indigoAtriumBook{}) },
}

type indigoAtriumBook struct{ indigoPlain }

func indigoAtriumPartner(category string) bool {
	return category == "HOME" || category == "ELECTRONICS"
}

// own is the rate that the card itself pays, in per ten thousand.
func (indigoAtriumBook) own(category string) int64 {
	if category == "GROCERY" {
		return 300
	}
	return 100
}

// loss is by what is promised, so that nameless refunds go where they should cost most.
func (k indigoAtriumBook) loss(_ *indigoAccount, b *indigoBuy, r int64) int64 {
	rate := k.own(b.category)
	if indigoAtriumPartner(b.category) {
		rate += 400
	}
	return r * rate
}

func (k indigoAtriumBook) heard(a *indigoAccount, _ *indigoBack) {
	lines := make([]indigoLine, 0, 2*len(a.buys))
	for _, b := range a.buys {
		lines = append(lines, indigoLine{key: "own/" + b.id, txn: b.id, note: "Cashback", want: indigoRate(b.left(), k.own(b.category))})
		if indigoAtriumPartner(b.category) {
			// The partners' ledger knows the purchase and what was disputed of it.
			lines = append(lines, indigoLine{key: "partner/" + b.id, txn: b.id, note: "Partner extra", want: indigoRate(b.amount-b.disputed, 400)})
		}
	}
	a.level(lines, true, func(l indigoLine, have int64) {
		kind := Earned
		if l.want < have {
			kind = Reversed
		}
		a.post(kind, l.want-have, l.txn, a.cause, l.note)
	})
}
