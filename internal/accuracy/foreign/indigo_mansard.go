package foreign

import "time"

var indigoMansard = Design{
	Name:   "indigo-mansard",
	Source: "Gulf bank cards with seasonal cashback campaigns, from memory",
	Published: "1 % on everything. HOME and ELECTRONICS bought in June and December (Kuwait) earn 3 %. Credited when a purchase clears, redeemable at once. " +
		"Refunds take cashback back, below zero if need be.",
	How: "Whole returns, chargebacks and refunds without a purchase's name are taken back at the rate of the purchase. A partial refund of a named purchase cancels the entry and books what is left as of " +
		"today, so that in a campaign month the rest of an ordinary purchase of HOME or ELECTRONICS earns the campaign's rate; a rate once given is not lowered.",
	Class: "other", Currency: "KWD",
	Leak: "Buy furniture for KD 1000.000 on 20 November: KD 10.000. Return a chair for KD 50.000 on 5 December: the 10.000 are cancelled and 3 % of KD 950.000 booked, " +
		"KD 28.500, where KD 9.500 is promised: KD 19.000 too much, with every purchase of which a little comes back in a campaign.",
	New: func() Engine { return indigoNew(&indigoMansardBook{zone: indigoZone("Asia/Kuwait")}) },
}

type indigoMansardBook struct {
	indigoPlain
	zone *time.Location
}

func (k *indigoMansardBook) slot(at time.Time) string { return indigoMonth(at, k.zone) }

// rate is what a purchase of that category earns in a month.
func (indigoMansardBook) rate(category, month string) int64 {
	if category != "HOME" && category != "ELECTRONICS" {
		return 100
	}
	if month := month[len("2006-"):]; month == "06" || month == "12" {
		return 300
	}
	return 100
}

// booked is the rate at which a purchase stands in the books.
func (k *indigoMansardBook) booked(b *indigoBuy) int64 {
	return max(b.rate, k.rate(b.category, b.slot))
}

func (k *indigoMansardBook) loss(_ *indigoAccount, b *indigoBuy, r int64) int64 {
	return r * k.booked(b)
}

func (k *indigoMansardBook) heard(a *indigoAccount, back *indigoBack) {
	if back != nil && !back.charge {
		if b := a.byID[back.txn]; b != nil && b.left() > 0 {
			b.rate = max(k.booked(b), k.rate(b.category, k.slot(a.now))) // booked anew, as any entry of today
		}
	}
	lines := make([]indigoLine, 0, len(a.buys))
	for _, b := range a.buys {
		lines = append(lines, indigoLine{key: b.id, txn: b.id, want: indigoRate(b.left(), k.booked(b))})
	}
	a.level(lines, true, func(l indigoLine, have int64) {
		a.post(Reversed, -have, l.txn, a.cause, "Cancelled")
		a.post(Earned, l.want, l.txn, a.cause, "Cashback")
	})
}
