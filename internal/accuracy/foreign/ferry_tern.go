package foreign

import "time"

// ferryTern keeps a row per purchase and moves a cap's room to whom it is due.
var ferryTern = Design{
	Name:   "ferry-tern",
	Source: "after American rotating-category credit cards (a quarterly maximum), from memory",
	Published: "3 % at grocery stores up to $45 of cash back a calendar quarter (New York), 1 % everywhere else. Earned " +
		"when a purchase clears, redeemable from 14 days after it. A return takes what its purchase earned; what the " +
		"quarter's maximum had cut from other purchases is granted then.",
	How: "After every event each purchase's share is reckoned again in clearing order and the differences are posted, " +
		"naming the purchase, and the refund where one caused it. Refunds without a name go where they cost most. " +
		"Redeemable is what purchases of 14 days and more would be worth alone, less redemptions.",
	Class:    "robust",
	Currency: "USD",
	New:      func() Engine { return ferryOpen(ferryTernPlan{}) },
}

type ferryTernPlan struct{ ferryPlain }

var ferryNewYork = ferryZone("America/New_York")

const (
	ferryTernHold = 14 * 24 * time.Hour
	ferryTernCap  = 4500
)

func (ferryTernPlan) parts(a *ferryAccount, b *ferryBuy) []ferryPart {
	if b.category == "GROCERY" {
		k := a.bucket("grocery "+ferryQuarter(b.at, ferryNewYork), ferryUpTo(ferryTernCap))
		k.limit = ferryTernCap
		return []ferryPart{{in: k, counts: ferryRate(300)}}
	}
	return []ferryPart{ferryAlone(ferryRate(100))}
}

func (p ferryTernPlan) bought(a *ferryAccount, b *ferryBuy) { p.level(a, b, "") }

func (p ferryTernPlan) returned(a *ferryAccount, r *ferryBack) { p.level(a, nil, r.id) }

func (ferryTernPlan) level(a *ferryAccount, bought *ferryBuy, refund string) {
	ferryMatch(a, a.buys, a.backs)
	shares, _ := ferryShares(a.buys)
	for i, b := range a.buys {
		d := shares[i] - b.posted
		b.posted = shares[i]
		switch {
		case d < 0:
			a.post(Reversed, d, b.id, refund, "return")
		case b == bought:
			a.post(Earned, d, b.id, "", "cash back")
		default:
			a.post(Earned, d, b.id, refund, "quarterly maximum, room freed")
		}
	}
}

func (ferryTernPlan) redeemable(a *ferryAccount) int64 {
	mature := make([]*ferryBuy, 0, len(a.buys))
	for _, b := range a.buys {
		if !b.at.Add(ferryTernHold).After(a.now) {
			mature = append(mature, b)
		}
	}
	_, sure := ferryShares(mature)
	return max(0, min(sure, a.posted)-a.redeemed)
}
