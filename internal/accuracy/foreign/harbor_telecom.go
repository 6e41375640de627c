package foreign

import "time"

var harborTelecom = Design{
	Name:   "harbor-telecom-floor",
	Source: "After the public rules of Gulf mobile operators' loyalty wallets (credit for recharges and bills, a welcome credit), from memory.",
	Published: "4 % of every payment of at least KD 2.000 as credit, at once. New members have KD 3.000 on top once they have paid " +
		"KD 50.000 in their first 60 days. Credit of payments that are reversed is taken back, the welcome credit too if less than " +
		"KD 50.000 is left.",
	How: "Each event brings the credit of every payment and the welcome credit to what net payments earn. The wallet cannot be below " +
		"zero: a take-back writes a row of no more than what is in it, and what is not there is forgotten.",
	Class: "V3(a)",
	Leak: "Credit that was used before the refund is not owed. Pay KD 100.000: KD 4.000 and KD 3.000, redeem KD 7.000; have the payment " +
		"reversed: the take-back is cut to nothing, the wallet is at KD 0.000, and the next payment of KD 100.000 gives KD 7.000 that " +
		"can be redeemed again: KD 14.000 for KD 100.000.",
	Currency: "KWD",
	New:      harborNew(harborTelecomPlan{}),
}

const (
	harborPaymentLeast   = 2000  // KD 2.000
	harborWelcomeSpend   = 50000 // KD 50.000
	harborWelcomeCredit  = 3000
	harborWelcomeWithin  = 60 * 24 * time.Hour
	harborWelcomeBooking = "welcome"
)

type harborTelecomPlan struct{ harborNone }

func (p harborTelecomPlan) heard(k *harborBook, f harborFact) {
	k.match(func(b *harborBuy) int64 {
		if harborNewMember(k, b) { // may cost the welcome credit, too
			return 5
		}
		return 4
	})
	var early int64
	for _, b := range k.buys {
		var credit int64
		if b.net() >= harborPaymentLeast {
			credit = b.net() * 4 / 100
		}
		p.floor(k, "payment/"+b.id, credit, Posting{Transaction: b.id, Refund: f.refund(), Note: "Loyalty credit"})
		if harborNewMember(k, b) {
			early += b.net()
		}
	}
	var welcome int64
	if early >= harborWelcomeSpend {
		welcome = harborWelcomeCredit
	}
	p.floor(k, harborWelcomeBooking, welcome, Posting{Note: "Welcome credit"})
}

// harborNewMember says whether a payment counts for the welcome credit.
func harborNewMember(k *harborBook, b *harborBuy) bool {
	return !b.at.Before(k.opened) && b.at.Before(k.opened.Add(harborWelcomeWithin))
}

// floor levels a label, but takes no more than the wallet holds. The label is at its
// target all the same, so that nobody ever comes back for the rest.
func (p harborTelecomPlan) floor(k *harborBook, label string, target int64, row Posting) {
	row.Amount = max(target-k.booked[label], -max(0, k.balance()))
	k.booked[label] = target
	row.Kind = Earned
	if row.Amount < 0 {
		row.Kind = Reversed
	}
	k.post(row)
}

func (p harborTelecomPlan) free(k *harborBook) int64 { return k.balance() }
