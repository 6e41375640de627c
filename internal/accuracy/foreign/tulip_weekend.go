package foreign

import "time"

var tulipSingapore = tulipZone("Asia/Singapore")

var tulipWeekendDesign = Design{
	Name:   "tulip-weekend",
	Source: "Style of Singaporean cards with a weekend bonus on dining and shopping; section 4.2, reward integrity",
	Published: "1 % cash rebate on everything, and on Saturdays and Sundays (date of the purchase in Singapore) 5 % more on dining, restaurants and fashion, the 5 % up to 60.00 SGD a calendar month. " +
		"Rebates are credited with the purchase and can be redeemed at once. Rebates on returned purchases are taken back when the refund reaches us, the account may become negative; an unmatched refund is taken back at 6 %.",
	How: "Two rows a purchase, base and weekend. A return is run through the calculator that purchases go through, with its own date: the base is always re-rated on what is left, " +
		"the weekend part only by returns that are themselves dated on a weekend.",
	Class: "other",
	Leak: "A dinner of 200.00 SGD on a Saturday earns 2.00 and 10.00. Refunded on a Tuesday it loses 2.00; the 10.00 stay. Refunded on a Sunday it loses all. " +
		"Purchases on weekdays, or of other categories, never leak.",
	Currency: "SGD",
	New: func() Engine {
		return tulipOpen(func(f *tulipFile) tulipClerk {
			return &tulipWeekend{f: f, base: map[*tulipBuy]int64{}, extra: map[*tulipBuy]int64{}}
		})
	},
}

const tulipWeekendCap = 6000

// tulipWeekend pays more at weekends.
type tulipWeekend struct {
	f           *tulipFile
	base, extra map[*tulipBuy]int64
}

// weekend reports whether it is one in Singapore.
func (c *tulipWeekend) weekend(t time.Time) bool {
	d := t.In(tulipSingapore).Weekday()
	return d == time.Saturday || d == time.Sunday
}

// promoted reports whether the purchase earns the weekend part.
func (c *tulipWeekend) promoted(b *tulipBuy) bool {
	switch b.category {
	case "DINING", "RESTAURANT", "FASHION":
		return c.weekend(b.at)
	}
	return false
}

func (c *tulipWeekend) bought(b *tulipBuy) { c.level(b, "") }

func (c *tulipWeekend) returned(b *tulipBuy, r tulipReturn) {
	if b == nil {
		c.f.post(Reversed, -tulipOver(r.amount, 600), "", r.id, "unmatched refund")
		return
	}
	c.level(b, r.id)
}

// level brings both parts of b, and the weekend part of its month, to what the returns leave.
func (c *tulipWeekend) level(b *tulipBuy, refund string) {
	c.bring(c.base, b, tulipPart(b.net(), 100), refund, "rebate 1%")
	if !c.promoted(b) {
		return
	}
	month, used := tulipCycle(b.at, tulipSingapore, 1), int64(0)
	for _, m := range c.f.buys {
		if !c.promoted(m) || !tulipCycle(m.at, tulipSingapore, 1).Equal(month) {
			continue
		}
		left := m.left(func(r tulipReturn) bool { return c.weekend(r.at) })
		v := min(tulipPart(left, 500), tulipWeekendCap-used)
		used += v
		c.bring(c.extra, m, v, refund, "weekend 5%")
	}
}

func (c *tulipWeekend) bring(part map[*tulipBuy]int64, b *tulipBuy, v int64, refund, note string) {
	change := v - part[b]
	part[b] = v
	switch {
	case change > 0:
		c.f.post(Earned, change, b.id, "", note)
	case change < 0:
		c.f.post(Reversed, change, b.id, refund, note)
	}
}

func (c *tulipWeekend) next() time.Time   { return time.Time{} }
func (c *tulipWeekend) run(time.Time)     {}
func (c *tulipWeekend) redeemable() int64 { return c.f.balance }
