package foreign

import "time"

var garnetTapDesign = Design{
	Name:   "garnet-tap",
	Source: "after the cashback of European neobanks with a monthly ceiling (from memory)",
	Published: "5 % back in restaurants and on transport, 1 % on everything else, up to 100 kr in a calendar month altogether, credited as soon as a " +
		"purchase clears. Transfer it to your account whenever you have at least 50 kr. When something is refunded, its cashback is reversed and " +
		"computed anew for what you keep; if that leaves room under the month's ceiling, purchases that had come too late for it are credited. A " +
		"refund that we cannot match to a purchase costs our highest rate, rounded up. Your cashback can become negative.",
	How: "Every fact has the whole account computed anew: each month's purchases in the order in which they cleared share the ceiling, by what is left " +
		"of them. A purchase whose cashback changed gets two rows, its old grant reversed in full and a new grant, both naming purchase and refund. " +
		"Unmatched refunds have charges of their own, together never above what the purchases earn; a refund whose purchase has not come for 30 days has one until it comes.",
	Class:    "robust",
	Currency: "SEK",
	New: func() Engine {
		return garnetOpenDesk(func(a *garnetAccount) garnetClerk { return &garnetTap{a: a} })
	},
}

var garnetStockholm = garnetZone("Europe/Stockholm")

const (
	garnetTapCeiling = 10000
	garnetTapFloor   = 5000 // the least that can be transferred
)

// garnetCharge is what a return that names no purchase costs.
type garnetCharge struct {
	refund         string
	amount, posted int64
}

// garnetTap levels purchases and charges to what they should be.
type garnetTap struct {
	a         *garnetAccount
	purchases []*garnetPurchase // as they cleared
	charges   []*garnetCharge
}

func (c *garnetTap) bought(now time.Time, p *garnetPurchase) {
	p.period = garnetMonth(p.at, garnetStockholm)
	c.purchases = append(c.purchases, p)
	c.level(now, "")
}

func (c *garnetTap) returned(now time.Time, r garnetReturn) {
	if r.purchase == nil {
		c.charges = append(c.charges, &garnetCharge{refund: r.id, amount: r.amount})
	}
	c.level(now, r.id)
}

// found ends a charge.
func (c *garnetTap) found(now time.Time, r garnetReturn) {
	for _, h := range c.charges {
		if h.refund == r.id && h.amount == r.amount {
			h.amount = 0
			break
		}
	}
	c.level(now, r.id)
}

// level books the difference to what is right; refund is what made it, if one did.
func (c *garnetTap) level(now time.Time, refund string) {
	used := map[int]int64{}
	var earned int64
	for _, p := range c.purchases {
		worth := p.left() / 100
		if p.category == "DINING" || p.category == "FUEL" {
			worth = p.left() * 5 / 100
		}
		worth = min(worth, garnetTapCeiling-used[p.period])
		used[p.period] += worth
		earned += worth
		c.renew(now, p, worth, refund)
	}
	// A return of x never takes more than 5 % of x, whatever it was of: a ceiling only
	// makes that less. Nor can returns take more than all there is.
	for _, h := range c.charges {
		worth := min(garnetCeil(h.amount*5, 100), earned)
		earned -= worth
		c.charge(now, h, worth)
	}
}

// renew replaces the grant of a purchase.
func (c *garnetTap) renew(now time.Time, p *garnetPurchase, worth int64, refund string) {
	if worth == p.posted {
		return
	}
	c.a.post(Posting{
		At: now, Kind: Reversed, Amount: -p.posted, Transaction: p.id, Refund: refund,
		Note: "cashback replaced",
	})
	c.a.post(Posting{
		At: now, Kind: Earned, Amount: worth, Transaction: p.id, Refund: refund,
		Note: "cashback",
	})
	p.posted = worth
}

// charge brings a charge to what it should be.
func (c *garnetTap) charge(now time.Time, h *garnetCharge, worth int64) {
	row := Posting{
		At: now, Kind: Reversed, Amount: h.posted - worth, Refund: h.refund,
		Note: "refund without a purchase",
	}
	if row.Amount > 0 {
		row.Kind = Adjusted
	}
	h.posted = worth
	c.a.post(row)
}

func (c *garnetTap) due() time.Time { return time.Time{} }

func (c *garnetTap) run(time.Time) {}

func (c *garnetTap) free() int64 {
	if c.a.balance() < garnetTapFloor {
		return 0
	}
	return c.a.balance()
}
