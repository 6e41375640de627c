package foreign

import "time"

// ferryDhow nets everything over the account's life, so that nothing needs matching.
var ferryDhow = Design{
	Name: "ferry-dhow",
	Source: "after the business debit cashback of Gulf banks (\"for every 10 dinars\"), from memory; " +
		"negative balances as in the paper's Case III-A",
	Published: "0.075 KWD for every full 10 KWD of net purchases over the life of the account; once 5.000 KWD more " +
		"when they reach 1,000 KWD, 30.000 KWD in all when they reach 5,000 KWD. Booked with the statement on the 15th " +
		"(Kuwait), returns too; what a known return will take cannot be redeemed before. Redemptions from 5.000 KWD.",
	How: "The books know one number, net purchases. A statement posts the difference between what that number is worth " +
		"and what has been posted, as one row without names. A refund without a name lowers the same number. Redeemable " +
		"is at most what the purchases on statements are worth less all known returns.",
	Class:    "robust",
	Currency: "KWD",
	New:      func() Engine { return ferryOpen(ferryDhowPlan{}) },
}

type ferryDhowPlan struct{ ferryPlain }

var ferryKuwait = ferryZone("Asia/Kuwait")

const ferryDhowMinimum = 5000

func (ferryDhowPlan) next(t time.Time) time.Time { return ferryCloseOn(15, ferryKuwait, t) }

func (ferryDhowPlan) bought(*ferryAccount, *ferryBuy) {}

// net is what purchases come to, less returns: the named as far as their purchase
// goes, the unnamed whole, and likewise those whose purchase has not cleared.
func (ferryDhowPlan) net(a *ferryAccount, booked bool) int64 {
	var sum, unnamed int64
	for _, b := range a.buys {
		b.back = 0
	}
	for _, r := range a.backs {
		if b := a.byID[r.tx]; b == nil || r.tx == "" {
			unnamed += r.amount
		} else {
			b.take(r)
		}
	}
	for _, b := range a.buys {
		if b.booked || !booked {
			sum += b.left()
		}
	}
	return max(0, sum-unnamed)
}

func (ferryDhowPlan) worth(net int64) int64 {
	worth := net / 10000 * 75
	switch {
	case net >= 5000000:
		worth += 30000
	case net >= 1000000:
		worth += 5000
	}
	return worth
}

func (p ferryDhowPlan) closed(a *ferryAccount) {
	for _, b := range a.buys {
		b.booked = true
	}
	d := p.worth(p.net(a, false)) - a.posted
	if d < 0 {
		a.post(Reversed, d, "", "", "statement: returns above purchases")
	} else {
		a.post(Earned, d, "", "", "statement: cashback on net purchases")
	}
}

func (p ferryDhowPlan) redeemable(a *ferryAccount) int64 {
	sure := min(a.posted, p.worth(p.net(a, true))) - a.redeemed
	if sure < ferryDhowMinimum {
		return 0
	}
	return sure
}
