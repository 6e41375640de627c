package foreign

import "time"

var garnetBazaarDesign = Design{
	Name:   "garnet-bazaar",
	Source: "after marketplace cards of the Gulf, in whose FAQ returned orders are deducted \"at the average rate\" (from memory)",
	Published: "6 % back on fashion, 1 % on everything else, credited as orders clear, and paid into your account by itself on the first of each month, from " +
		"1 dinar. What was earned by what you return is deducted, and next month's payment is lower by it.",
	How: "The account has two totals, of spend and of cashback. An order adds to both by its own rate. A return takes its amount off the spend and cashback off " +
		"in proportion: at the average rate of all orders, rounded up. So who returns everything loses everything, and debts are carried; but a return " +
		"does not ask at which rate it had earned. Rows of returns name the refund only.",
	Class: "other",
	Leak: "Returns of what earned more than average are too cheap. Fashion for 100 dinars (6.000) and electronics for 500 (5.000): 11.000 of 600, 1.83 % on " +
		"average. The fashion is returned: 1.834 is deducted, and 9.166 are kept of which 5.000 are due: 4.166 dinars too much.",
	Currency: "KWD",
	New: func() Engine {
		return garnetOpenDesk(func(a *garnetAccount) garnetClerk {
			return &garnetBazaar{a: a, payday: garnetNext(a.opened, 1, garnetKuwait)}
		})
	},
}

var garnetKuwait = garnetZone("Asia/Kuwait")

// garnetBazaar forgets orders: there are two totals, in fils.
type garnetBazaar struct {
	a             *garnetAccount
	spend, earned int64 // net
	ahead         int64 // returned beyond all spend: taken from the next orders
	payday        time.Time
}

func (c *garnetBazaar) bought(now time.Time, p *garnetPurchase) {
	cash := p.amount / 100
	if p.category == "ONLINE" {
		cash = p.amount * 6 / 100
	}
	c.spend += p.amount
	c.earned += cash
	c.a.post(Posting{At: now, Kind: Earned, Amount: cash, Transaction: p.id, Note: "cashback"})
	if owed := c.ahead; owed > 0 {
		c.ahead = 0
		c.deduct(Posting{At: now, Kind: Reversed, Note: "earlier returns"}, owed)
	}
}

func (c *garnetBazaar) returned(now time.Time, r garnetReturn) {
	c.deduct(Posting{At: now, Kind: Reversed, Refund: r.id, Note: "return"}, r.amount)
}

// deduct takes a return off both totals, by the flaw at the rate that they have together.
func (c *garnetBazaar) deduct(row Posting, amount int64) {
	x := min(amount, c.spend)
	c.ahead += amount - x
	if x == 0 {
		return
	}
	cash := garnetCeil(x*c.earned, c.spend)
	c.spend -= x
	c.earned -= cash
	row.Amount = -cash
	c.a.post(row)
}

func (c *garnetBazaar) due() time.Time { return c.payday }

func (c *garnetBazaar) run(at time.Time) {
	c.payday = garnetNext(at, 1, garnetKuwait)
	if c.a.balance() >= 1000 {
		c.a.post(Posting{At: at, Kind: Paid, Amount: -c.a.balance(), Note: "paid into your account"})
	}
}

// free is nothing: payment comes by itself.
func (c *garnetBazaar) free() int64 { return 0 }
