package foreign

import "time"

// lagoonCounters keeps what it needs of the past in a cache: what of a month's limit is used.
var lagoonCounters = Design{
	Name:   "lagoon-counters",
	Source: "from memory, after the \"moneyback\" of Polish bank cards: a category with a monthly limit",
	Published: "5% on groceries, up to 50 zł in a calendar month (Warsaw), and 0.5% on everything else, at once. A return takes its share of " +
		"what the purchase has earned, even below zero, and makes room again in the limit of the month of purchase.",
	How: "A counter for each month says what of its limit is used. A purchase takes from the counter of its month. A return takes " +
		"back its share of the original reward, whenever it comes, and decrements \"the counter\": that of the month in " +
		"which the return is booked, down to zero at most.",
	Class: "other",
	Leak: "Returning last month's groceries gives this month's limit back. Buy groceries for 1,000 zł in October (50 zł) and on 2 November (50 zł, the " +
		"limit of November); return October's on 3 November (−50 zł); buy for 1,000 zł on 4 November: 50 zł again. " +
		"November has earned 100 zł of 50 zł, 50 zł too much.",
	Currency: "PLN",
	New: func() Engine {
		return lagoonNewDesk(&lagoonCountersPlan{zone: lagoonZone("Europe/Warsaw"),
			used: map[*lagoonAccount]map[string]int64{}, original: map[*lagoonPurchase]int64{}})
	},
}

const lagoonCountersCap = 5000

type lagoonCountersPlan struct {
	lagoonIdle
	zone     *time.Location
	used     map[*lagoonAccount]map[string]int64 // by month
	original map[*lagoonPurchase]int64           // what a purchase earned when it came
}

// perMille is the rate of a purchase.
func (*lagoonCountersPlan) perMille(p *lagoonPurchase) int64 {
	if p.category == "GROCERY" {
		return 50
	}
	return 5
}

func (c *lagoonCountersPlan) month(t time.Time) string { return t.In(c.zone).Format("2006-01") }

func (c *lagoonCountersPlan) settled(a *lagoonAccount, p *lagoonPurchase, now time.Time) {
	reward := p.amount * c.perMille(p) / 1000
	if c.perMille(p) == 50 {
		if c.used[a] == nil {
			c.used[a] = map[string]int64{}
		}
		month := c.month(p.at)
		reward = min(reward, lagoonCountersCap-c.used[a][month])
		c.used[a][month] += reward
	}
	c.original[p] = reward
	a.level(p.id, reward, Posting{At: now, Transaction: p.id})
	c.adjust(a, now, "")
}

func (c *lagoonCountersPlan) returned(a *lagoonAccount, r *lagoonReturn, now time.Time) {
	c.adjust(a, now, r.id)
}

// shares are what purchases keep of what they had earned.
func (c *lagoonCountersPlan) shares(a *lagoonAccount, now time.Time, prudent bool) []int64 {
	shares := a.kept(now, lagoonMatch{rank: c.perMille, prudent: prudent})
	for i, p := range a.purchases {
		shares[i] = c.original[p] * shares[i] / p.amount
	}
	return shares
}

// adjust takes back what purchases do not keep, and counts it in the running month. What
// comes back to a purchase, since a return turned out to be of another, uses its own month.
func (c *lagoonCountersPlan) adjust(a *lagoonAccount, now time.Time, cause string) {
	for i, keep := range c.shares(a, now, false) {
		p := a.purchases[i]
		change := keep - a.posted[p.id]
		if c.perMille(p) == 50 {
			if month := c.month(now); change < 0 {
				c.used[a][month] = max(0, c.used[a][month]+change)
			} else {
				c.used[a][c.month(p.at)] += change
			}
		}
		a.level(p.id, keep, Posting{At: now, Transaction: p.id, Refund: cause})
	}
}

func (c *lagoonCountersPlan) redeemable(a *lagoonAccount, now time.Time) int64 {
	sure := a.total
	for i, keep := range c.shares(a, now, true) {
		sure += min(0, keep-a.posted[a.purchases[i].id])
	}
	return a.free(sure)
}
