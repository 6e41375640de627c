package foreign

import "time"

var tulipWarsaw = tulipZone("Europe/Warsaw")

var tulipPotsDesign = Design{
	Name:   "tulip-pots",
	Source: "Style of Polish 'moneyback' current accounts (per-category moneyback with limits, transferred monthly); section 4.3, V3(a)",
	Published: "Moneyback of 2 % on groceries, 3 % on fuel and 3 % on dining and restaurants, each up to 30.00 PLN a calendar month, and 1 % on everything else. " +
		"Moneyback collects in pots, one for each kind, from the moment of the purchase; it can be withdrawn at any time, and the rest is transferred to your account on the 1st. " +
		"Returns reduce the pots, counted as if what came back had not been bought, when they reach us. Returns that name no purchase are taken out at 3 %.",
	How: "Pots are opened anew each month. A return is booked in full into this month's pot, whatever month its purchase is of, and within the month a negative pot is set against the others and " +
		"against withdrawals. On the 1st, pots that have ended below zero are written up to zero before the transfer, since a pot cannot be transferred below zero.",
	Class: "V3(a)",
	Leak: "Flights of 6,000.00 PLN (OTHER kinds, 1 %) bought in May pay 60.00 on 1 June; they are refunded in June, in which 1,000.00 are spent that way: the pot ends June at -50.00 and July begins at 0. " +
		"50.00 PLN are kept.",
	Currency: "PLN",
	New: func() Engine {
		return tulipOpen(func(f *tulipFile) tulipClerk {
			return &tulipPots{f: f, value: map[*tulipBuy]int64{}, pots: map[string]int64{}, due: tulipCycle(f.now, tulipWarsaw, 1).AddDate(0, 1, 0)}
		})
	},
}

const tulipPotsCap = 3000

// tulipPotNames are the pots, in the order in which they are closed.
var tulipPotNames = []string{"groceries", "fuel", "dining", "rest"}

// tulipPots collects moneyback by kind and month.
type tulipPots struct {
	f     *tulipFile
	value map[*tulipBuy]int64
	pots  map[string]int64 // what this month has put in and taken out
	due   time.Time
}

// pot is where a category's moneyback goes, and its rate.
func (c *tulipPots) pot(category string) (string, int64) {
	switch category {
	case "GROCERY":
		return "groceries", 200
	case "FUEL":
		return "fuel", 300
	case "DINING", "RESTAURANT":
		return "dining", 300
	}
	return "rest", 100
}

func (c *tulipPots) bought(b *tulipBuy) { c.level(b, "") }

func (c *tulipPots) returned(b *tulipBuy, r tulipReturn) {
	if b != nil {
		c.level(b, r.id)
		return
	}
	name, _ := c.pot(r.category)
	c.put(name, Reversed, -tulipOver(r.amount, 300), "", r.id)
}

func (c *tulipPots) put(pot string, kind Kind, amount int64, transaction, refund string) {
	if amount != 0 {
		c.pots[pot] += amount
		c.f.post(kind, amount, transaction, refund, pot)
	}
}

// level brings b, and those that share its limit, to what they are worth now.
func (c *tulipPots) level(b *tulipBuy, refund string) {
	pot, rate := c.pot(b.category)
	month, used := tulipCycle(b.at, tulipWarsaw, 1), int64(0)
	for _, m := range c.f.buys {
		if p, _ := c.pot(m.category); p != pot || !tulipCycle(m.at, tulipWarsaw, 1).Equal(month) {
			continue
		}
		v := tulipPart(m.net(), rate)
		if pot != "rest" {
			v = min(v, tulipPotsCap-used)
		}
		used += v
		change := v - c.value[m]
		c.value[m] = v
		if change < 0 {
			c.put(pot, Reversed, change, m.id, refund)
		} else {
			c.put(pot, Earned, change, m.id, "")
		}
	}
}

func (c *tulipPots) next() time.Time { return c.due }

func (c *tulipPots) run(at time.Time) {
	c.due = at.AddDate(0, 1, 0)
	for _, pot := range tulipPotNames {
		if n := c.pots[pot]; n < 0 {
			c.put(pot, Adjusted, -n, "", "")
		}
		delete(c.pots, pot)
	}
	if c.f.balance > 0 {
		c.f.post(Paid, -c.f.balance, "", "", "transfer")
	}
}

func (c *tulipPots) redeemable() int64 { return c.f.balance }
