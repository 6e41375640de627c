package foreign

import "time"

var indigoParapet = Design{
	Name:   "indigo-parapet",
	Source: "British cashback credit cards that credit at the statement (Amex UK and the like), from memory",
	Published: "4 % on ELECTRONICS, 1 % on everything else, credited by category when the statement closes (the 20th, London) and redeemable from then. " +
		"Refunds reduce cashback, below zero if need be.",
	How: "Refunds and chargebacks that name their purchase are taken back at once, however old it is. Refunds that name none are netted against purchases of the same merchant " +
		"in the statement cycle in which the refund was made (of any, if the refund has no merchant); what finds none there is dropped.",
	Class: "V2", Currency: "GBP",
	Leak: "Buy a camera for £500.00 on 10 March; £20.00 is credited on the 20th and redeemed. Return it without receipt on 25 March: the refund has no purchase's name and " +
		"nothing was bought there since the 20th, so nothing is taken back. On 15 March it would have been. It can be repeated each month.",
	New: func() Engine { return indigoNew(&indigoParapetBook{zone: indigoZone("Europe/London")}) },
}

type indigoParapetBook struct {
	indigoPlain
	zone *time.Location
}

const indigoParapetDay = 20

// rate is what a purchase earns, in per ten thousand.
func (indigoParapetBook) rate(b *indigoBuy) int64 {
	if b.category == "ELECTRONICS" {
		return 400
	}
	return 100
}

func (k *indigoParapetBook) loss(_ *indigoAccount, b *indigoBuy, r int64) int64 { return r * k.rate(b) }

// slot is the statement, by its date.
func (k *indigoParapetBook) slot(at time.Time) string {
	return indigoClose(at, indigoParapetDay, k.zone).Format("2 January 2006")
}

// may looks no further than the statement that the refund is on.
func (k *indigoParapetBook) may(r *indigoBack, b *indigoBuy) bool {
	if r.merchant != "" && r.merchant != b.merchant {
		return false
	}
	return r.slot == b.slot
}

// lines are one for each cycle and category, in the order of their first purchase.
func (k *indigoParapetBook) lines(a *indigoAccount) (lines []indigoLine) {
	at := map[string]int{}
	for _, b := range a.buys {
		key := b.slot + "/" + b.category
		i, ok := at[key]
		if !ok {
			i = len(lines)
			at[key] = i
			lines = append(lines, indigoLine{key: key, note: "Statement of " + b.slot + ", " + b.category})
		}
		lines[i].want += indigoRate(b.left(), k.rate(b))
	}
	return lines
}

func (k *indigoParapetBook) write(a *indigoAccount, raise bool) {
	a.level(k.lines(a), raise, func(l indigoLine, have int64) {
		if l.want < have {
			a.post(Reversed, l.want-have, "", a.cause, l.note)
			return
		}
		a.post(Earned, l.want-have, "", "", l.note)
	})
}

func (k *indigoParapetBook) heard(a *indigoAccount, _ *indigoBack) { k.write(a, false) }

func (k *indigoParapetBook) next(a *indigoAccount) time.Time {
	if !a.dirty {
		return time.Time{}
	}
	return indigoClose(a.now, indigoParapetDay, k.zone)
}

func (k *indigoParapetBook) wake(a *indigoAccount) {
	k.write(a, true)
	a.dirty = false
}
