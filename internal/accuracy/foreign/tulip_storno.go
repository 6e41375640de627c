package foreign

import "time"

var tulipBerlin = tulipZone("Europe/Berlin")

var tulipStornoDesign = Design{
	Name:   "tulip-storno",
	Source: "Style of German bank and petrol loyalty cards (bonus booked with each card purchase, 'Storno und Neubuchung'); section 5.3 III-A, Issuer C",
	Published: "3 % back on groceries up to 20.00 EUR a calendar month, 2 % on fuel, 0.5 % on everything else. Bonus is booked with the " +
		"purchase and can be redeemed at once. Returns: bonus is what it would be had the returned part never been bought, groceries of the " +
		"same month that had met the limit moving up; the bonus account may become negative. A credit that names no purchase is taken back " +
		"at the highest rate among your purchases.",
	How: "A booked row is never corrected, only struck out. Any return strikes the purchase's whole bonus and books it anew on what is left; " +
		"other groceries of that month whose share changes are struck and booked anew too. The charge for a credit without a purchase is itself struck and rebooked when a purchase of a higher rate arrives.",
	Class:    "robust",
	Currency: "EUR",
	New: func() Engine {
		return tulipOpen(func(f *tulipFile) tulipClerk { return &tulipStorno{f: f, booked: map[*tulipBuy]int64{}} })
	},
}

const tulipStornoCap = 2000

// tulipStorno strikes out and books anew.
type tulipStorno struct {
	f      *tulipFile
	booked map[*tulipBuy]int64
	open   []*tulipUnclear
	top    int64 // highest rate among the purchases so far
}

// tulipUnclear is a credit that names no purchase, with what is charged for it.
type tulipUnclear struct {
	tulipReturn
	charged int64
}

func (c *tulipStorno) rate(category string) int64 {
	switch category {
	case "GROCERY":
		return 300
	case "FUEL":
		return 200
	}
	return 50
}

func (c *tulipStorno) bought(b *tulipBuy) {
	c.level(b, "")
	if r := c.rate(b.category); r > c.top {
		c.top = r
		for _, u := range c.open {
			c.charge(u)
		}
	}
}

func (c *tulipStorno) returned(b *tulipBuy, r tulipReturn) {
	if b != nil {
		c.level(b, r.id)
		return
	}
	u := &tulipUnclear{tulipReturn: r}
	c.open = append(c.open, u)
	c.charge(u)
}

// charge books what an unclear credit takes back, in place of what was booked before.
func (c *tulipStorno) charge(u *tulipUnclear) {
	if u.charged > 0 {
		c.f.post(Adjusted, u.charged, "", u.id, "Storno Klärungsfall")
	}
	u.charged = tulipOver(u.amount, c.top)
	if u.charged > 0 {
		c.f.post(Reversed, -u.charged, "", u.id, "Klärungsfall: Gutschrift ohne Kauf")
	}
}

// level books b anew, and with it those that share its limit and whose share has changed.
func (c *tulipStorno) level(b *tulipBuy, refund string) {
	if b.category != "GROCERY" {
		c.book(b, tulipPart(b.net(), c.rate(b.category)), refund)
		return
	}
	month, used := tulipCycle(b.at, tulipBerlin, 1), int64(0)
	for _, m := range c.f.buys {
		if m.category != "GROCERY" || !tulipCycle(m.at, tulipBerlin, 1).Equal(month) {
			continue
		}
		v := min(tulipPart(m.net(), 300), tulipStornoCap-used)
		used += v
		if m == b || v != c.booked[m] {
			c.book(m, v, refund)
		}
	}
}

func (c *tulipStorno) book(b *tulipBuy, v int64, refund string) {
	if old := c.booked[b]; old > 0 {
		c.f.post(Reversed, -old, b.id, refund, "Storno")
	}
	if v > 0 {
		c.f.post(Earned, v, b.id, "", "Bonus")
	}
	c.booked[b] = v
}

func (c *tulipStorno) next() time.Time   { return time.Time{} }
func (c *tulipStorno) run(time.Time)     {}
func (c *tulipStorno) redeemable() int64 { return c.f.balance }
