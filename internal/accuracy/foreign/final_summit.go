package foreign

import (
	"fmt"
	"time"
)

// finalSummit is a card that pays for what was spent in a quarter, in two steps.
var finalSummit = Design{
	Name:     "final-summit",
	Source:   "cards with milestone rewards: a fixed sum when the spending of a quarter reaches a mark, beside a plain rate",
	Currency: "USD",
	Class:    "robust",
	Published: "ONLINE 2%, all else 1%, half up to the cent per purchase. $15 when the purchases of a calendar quarter (New York) reach $1,500, $35 more at $4,000. " +
		"Granted on clearing and redeemable at once. What is returned does not count, at any time: cashback and milestones that it leaves short are taken back at once.",
	How: "The quarter's spending is added up from what is kept whenever something is heard of, and milestones stand only while it is enough.",
	New: func() Engine {
		return newFinalDesk(&finalRecalc{grants: summitGrants})
	},
}

var newYork = finalZone("America/New_York")

var summitMarks = []struct{ spend, bonus int64 }{{150_000, 1500}, {400_000, 3500}}

func summitGrants(b *finalBook) (list []finalGrant) {
	spend := make(map[string]int64)
	var quarters []string
	for _, p := range b.buys {
		rate := int64(100)
		if p.category == "ONLINE" {
			rate = 200
		}
		list = append(list, p.reward(finalHalfUp(p.kept*rate), "cashback"))
		quarter := summitQuarter(p.made)
		if _, there := spend[quarter]; !there {
			quarters = append(quarters, quarter)
		}
		spend[quarter] += p.kept
	}
	for _, quarter := range quarters {
		for _, m := range summitMarks {
			if spend[quarter] >= m.spend {
				list = append(list, finalGrant{
					key: fmt.Sprintf("milestone %d of %s", m.spend/100, quarter), note: "milestone of " + quarter, amount: m.bonus,
				})
			}
		}
	}
	return list
}

// summitQuarter names the quarter in which a moment lies.
func summitQuarter(at time.Time) string {
	t := at.In(newYork)
	return fmt.Sprintf("Q%d %d", (int(t.Month())+2)/3, t.Year())
}
