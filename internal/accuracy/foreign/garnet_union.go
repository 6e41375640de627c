package foreign

import "time"

var garnetUnionDesign = Design{
	Name:   "garnet-union",
	Source: "after the quarterly category cards of American credit unions, whose terms adjust returns with the monthly statement (from memory)",
	Published: "5 % cash back on groceries, on up to $1,500 a calendar quarter, then 1 %; 1 % on everything else. Cash back is yours the moment a purchase posts. " +
		"Returns reduce the purchases that they belong to, and cash back with them; one that we cannot match costs 5 %. A negative cash-back balance is " +
		"made up for by later purchases.",
	How: "One row per purchase, at once, reckoned with returns as of the last statement. Returns are collected until the statement of the 5th, which takes all " +
		"of them back in a single row that names none of them; the balance may fall below zero then, and stays there until it is earned back. Until " +
		"then nothing of them is held back.",
	Class: "V3(b)",
	Leak: "Cash back is there at once, its clawback up to a month later. Groceries for $1,000 on the 8th: $50.00, and they are returned on the 10th. Up to the " +
		"next 5th the balance still says $50.00, which can be withdrawn; it is −$50.00 from then on, and for good if the card is not used again.",
	Currency: "USD",
	New: func() Engine {
		return garnetOpenDesk(func(a *garnetAccount) garnetClerk {
			return &garnetUnion{a: a, statement: garnetNext(a.opened, 5, garnetDenver)}
		})
	},
}

var garnetDenver = garnetZone("America/Denver")

// garnetUnion has two views of a purchase: what is left of it, and what the last
// statement left of it.
type garnetUnion struct {
	a         *garnetAccount
	purchases []*garnetPurchase
	stated    map[*garnetPurchase]int64 // what had been returned by the last statement
	loose     int64                     // cents that unmatched returns cost, as of that
	arrived   []garnetReturn            // since that
	booked    int64
	statement time.Time
}

// garnetUnionSteps is what groceries of a quarter earn, in hundredths of a cent.
func garnetUnionSteps(spend int64) int64 { return spend + 4*min(spend, 150000) }

// worth is the cash back of all purchases, with returns as of the last statement.
func (c *garnetUnion) worth() int64 {
	var sum int64
	quarters := map[int]int64{}
	for _, p := range c.purchases {
		left := p.amount - c.stated[p]
		if p.category != "GROCERY" {
			sum += left / 100
			continue
		}
		before := quarters[p.period]
		quarters[p.period] = before + left
		sum += (garnetUnionSteps(before+left) - garnetUnionSteps(before)) / 100
	}
	return max(0, sum-c.loose)
}

func (c *garnetUnion) bought(now time.Time, p *garnetPurchase) {
	p.period = garnetMonth(p.at, garnetDenver) / 3
	c.purchases = append(c.purchases, p)
	c.level(Posting{At: now, Kind: Earned, Transaction: p.id, Note: "cash back"})
}

// returned only takes note: the flaw is that free does not.
func (c *garnetUnion) returned(_ time.Time, r garnetReturn) { c.arrived = append(c.arrived, r) }

// level books what is missing.
func (c *garnetUnion) level(row Posting) {
	worth := c.worth()
	row.Amount = worth - c.booked
	if row.Kind == Reversed && row.Amount > 0 {
		row.Kind = Adjusted // a cent, as steps round anew
	}
	c.booked = worth
	c.a.post(row)
}

func (c *garnetUnion) due() time.Time { return c.statement }

func (c *garnetUnion) run(at time.Time) {
	c.statement = garnetNext(at, 5, garnetDenver)
	if len(c.arrived) == 0 {
		return
	}
	if c.stated == nil {
		c.stated = map[*garnetPurchase]int64{}
	}
	for _, r := range c.arrived {
		if r.purchase == nil {
			c.loose += garnetCeil(r.amount*5, 100)
		} else {
			c.stated[r.purchase] += r.amount
		}
	}
	c.arrived = nil
	c.level(Posting{At: at, Kind: Reversed, Note: "returns since the last statement"})
}

func (c *garnetUnion) free() int64 { return c.a.positive() }
