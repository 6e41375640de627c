package foreign

import "time"

// finalTrolley is a supermarket's card with a bonus for coming often.
var finalTrolley = Design{
	Name:     "final-trolley",
	Source:   "supermarket and challenger bank cards that pay a fixed sum for a number of purchases in a month, each of a least amount",
	Currency: "GBP",
	Class:    "other",
	Published: "1% on GROCERY and DINING, 0.5% on all else, down to the penny per purchase. £5 for each calendar month (London) in which four or more purchases of £20 or more each were made, in any category. " +
		"Granted on clearing, the £5 with the fourth, redeemable at once. A return at any time lowers its purchase: cashback is taken back at once, a purchase of which less than £20 is kept does not count, and the £5 is taken back if fewer than four are left.",
	How:  "Cashback follows what is kept, and a purchase that went back whole does not count towards the £5. But whether a purchase is large enough is asked of its price and not of what is kept of it: one of which a penny is left still counts.",
	Leak: "Buy four things of £20.00 and return £19.00 of each: £4.00 is spent, 4p is earned, and the £5 stays.",
	New: func() Engine {
		return newFinalDesk(&finalRecalc{grants: trolleyGrants})
	},
}

var london = finalZone("Europe/London")

const (
	trolleyLeast = 2000
	trolleyTimes = 4
	trolleyBonus = 500
)

func trolleyGrants(b *finalBook) (list []finalGrant) {
	times := make(map[string]int)
	for _, p := range b.inOrderMade() {
		if p.kept == 0 {
			continue // returned
		}
		rate := int64(50)
		if p.category == "GROCERY" || p.category == "DINING" {
			rate = 100
		}
		list = append(list, p.reward(perTenThousand(p.kept, rate), "cashback"))
		if p.amount < trolleyLeast {
			continue
		}
		month := p.made.In(london).Format("2006-01")
		if times[month]++; times[month] == trolleyTimes {
			list = append(list, finalGrant{key: "bonus " + month, note: "bonus of " + trolleyMonth(p.made), amount: trolleyBonus})
		}
	}
	return list
}

func trolleyMonth(at time.Time) string { return at.In(london).Format("January 2006") }
