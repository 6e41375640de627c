package foreign

import "time"

var walrusMonsoon = Design{
	Name:   "walrus-monsoon",
	Source: "After Indian reward-point credit cards with faster points for dining (from memory).",
	Published: "2 points for every full 100 rupees, 10 at restaurants; a point is worth 25 paise. Points are credited when the purchase " +
		"clears and can be used at once. Points of purchases that are returned or disputed are reversed; a negative balance is " +
		"recovered from later points.",
	How: "Points are granted as a purchase clears, of what is left of it by then, in a row that says no more than the terminal's batch. Returns are " +
		"worked off on the 8th: the run reverses all points of the purchases that are no longer right in one lump and credits " +
		"by hand, in another, what they keep. Rows name nothing. The debt stays and later points repay it, but until the 8th " +
		"nothing of a return that is known is held back.",
	Class: "V3(b)",
	Leak: "Dine for 20,000 rupees on the 10th (2,000 points), cancel the next day; on the 20th, with the refund on the account, redeem " +
		"all 2,000 points (500 rupees). The reversal comes on the 8th of the next month: -2,000, and who stops using the card keeps 500 rupees.",
	Currency: "INR",
	New:      func() Engine { return walrusNewDesk(&walrusMonsoonClerk{zone: walrusZone("Asia/Kolkata")}) },
}

// walrusMonsoonClerk grants at once and takes back once a month.
type walrusMonsoonClerk struct{ zone *time.Location }

func (c *walrusMonsoonClerk) next(after time.Time) time.Time {
	return walrusMonthly(after, c.zone, 8, 3)
}

func (c *walrusMonsoonClerk) rate(p *walrusPurchase) int64 {
	if p.Category == "DINING" {
		return 10
	}
	return 2
}

func (c *walrusMonsoonClerk) points(p *walrusPurchase) int64 { return p.left / 10000 * c.rate(p) }

// event grants what has just cleared; returns wait for the 8th.
func (c *walrusMonsoonClerk) event(a *walrusAccount, at time.Time) {
	for _, p := range a.purchases {
		if _, granted := a.booked[p.Transaction]; granted {
			continue
		}
		a.booked[p.Transaction] = c.points(p)
		a.post(Posting{At: at, Kind: Earned, Amount: c.points(p), Note: "TERM BATCH " + at.In(c.zone).Format("020106")})
	}
}

func (c *walrusMonsoonClerk) batch(a *walrusAccount, at time.Time) {
	var old, kept int64
	for _, p := range a.purchases {
		if points := c.points(p); points != a.booked[p.Transaction] {
			old += a.booked[p.Transaction]
			kept += points
			a.booked[p.Transaction] = points
		}
	}
	a.post(Posting{At: at, Kind: Reversed, Amount: -old, Note: "REV LOT " + at.In(c.zone).Format("0106")})
	a.post(Posting{At: at, Kind: Adjusted, Amount: kept, Note: "MAN CR"})
}

func (c *walrusMonsoonClerk) worth(*walrusAccount, int64) func(*walrusPurchase) int64 { return c.rate }

// unbooked is the flaw: what the next run will take is not asked for.
func (c *walrusMonsoonClerk) unbooked(*walrusAccount, time.Time) int64 { return 0 }
