package foreign

import "time"

// ferryAnchor takes back all it should, and then forgives what is below zero.
var ferryAnchor = Design{
	Name: "ferry-anchor",
	Source: "after Indian credit cards with a joining benefit and accelerated categories, from memory; the floor is the " +
		"paper's V3(a)",
	Published: "5 % on dining and travel up to ₹1,500 a calendar month (India), 1 % elsewhere. ₹750 once purchases of the " +
		"first 60 days reach ₹20,000. All is there at once. Returns take back what they earned, and the joining benefit " +
		"if its spend is not reached any more.",
	How: "Each purchase has its rows, the joining benefit has rows of no purchase. After every return what the account " +
		"is worth is posted anew, but a balance below zero is set to zero with an adjustment, which is not remembered " +
		"as a debt.",
	Class: "V3(a)",
	Leak: "Redeem before returning. Travel for ₹30,000 in the first 60 days: ₹1,500 and ₹750; redeem ₹2,250, cancel the " +
		"trip: the balance is 0 and not −₹2,250, and the next purchase earns as if nothing were owed.",
	Currency: "INR",
	New:      func() Engine { return ferryOpen(ferryAnchorPlan{}) },
}

type ferryAnchorPlan struct{ ferryPlain }

var ferryKolkata = ferryZone("Asia/Kolkata")

const (
	ferryAnchorJoining = "joining benefit"
	ferryAnchorSpend   = 2000000
	ferryAnchorCap     = 150000
)

func ferryAnchorWelcome(sum int64) int64 {
	if sum >= ferryAnchorSpend {
		return 75000
	}
	return 0
}

func (ferryAnchorPlan) parts(a *ferryAccount, b *ferryBuy) []ferryPart {
	var parts []ferryPart
	if b.category == "DINING" || b.category == "TRAVEL" {
		k := a.bucket("accelerated "+ferryMonth(b.at, ferryKolkata), ferryUpTo(ferryAnchorCap))
		k.limit = ferryAnchorCap
		parts = append(parts, ferryPart{in: k, counts: ferryRate(500)})
	} else {
		parts = append(parts, ferryAlone(ferryRate(100)))
	}
	if !b.at.Before(a.opened) && b.at.Before(a.opened.Add(60*24*time.Hour)) {
		k := a.bucket(ferryAnchorJoining, ferryAnchorWelcome)
		k.goal, k.limit = true, ferryAnchorSpend
		parts = append(parts, ferryPart{in: k, counts: ferrySame})
	}
	return parts
}

func (p ferryAnchorPlan) bought(a *ferryAccount, _ *ferryBuy) { p.level(a, "") }

func (p ferryAnchorPlan) returned(a *ferryAccount, r *ferryBack) { p.level(a, r.id) }

// level posts what has changed, and forgives: a statement must not show a customer in
// debt. The rows of purchases stay right, so what is forgiven is never asked for again.
func (ferryAnchorPlan) level(a *ferryAccount, refund string) {
	ferryMatch(a, a.buys, a.backs)
	for _, k := range a.buckets {
		if k.goal {
			ferryAnchorRow(a, k.worth(k.sum)-k.posted, "", refund, ferryAnchorJoining)
			k.posted = k.worth(k.sum)
		}
	}
	shares, _ := ferryShares(a.buys)
	for i, b := range a.buys {
		ferryAnchorRow(a, shares[i]-b.posted, b.id, refund, "cashback")
		b.posted = shares[i]
	}
	if owed := -a.balance(); owed > 0 {
		a.post(Adjusted, owed, "", refund, "rounded up to nil")
	}
}

func ferryAnchorRow(a *ferryAccount, d int64, tx, refund, note string) {
	kind := Earned
	if d < 0 {
		kind = Reversed
	}
	a.post(kind, d, tx, refund, note)
}
