package foreign

import "time"

var tulipLondon = tulipZone("Europe/London")

var tulipEnvelopeDesign = Design{
	Name:   "tulip-envelope",
	Source: "Style of British cashback credit cards that show 'pending cashback' and credit it to a later statement; section 5.3 III-A, Issuers D and E, with a hold as in algorithm 3",
	Published: "4 % cashback on travel, dining and restaurants up to 25.00 GBP together a statement period (from the 12th), 1 % on everything else. " +
		"Every purchase shows up to 4 % as pending at once; the statement assesses it, and the statement after that releases it. Released cashback can be " +
		"redeemed, or is paid into the card account by the statement once it is 10.00 GBP. Cashback of what is returned is taken back when the refund reaches us, " +
		"assessed as if it had not been bought; what has been paid already is owed and set against later cashback without limit of time. " +
		"A refund that we cannot match takes 4 %.",
	How: "A provisional grant of 4 % whatever the category, corrected at the statement by an adjustment for nearly every purchase; an envelope " +
		"(purchase) is sealed, then assessed, then released a cycle later. Returns at any stage re-rate at once. Debts stay.",
	Class:    "robust",
	Currency: "GBP",
	New: func() Engine {
		return tulipOpen(func(f *tulipFile) tulipClerk {
			return &tulipEnvelope{f: f, all: map[*tulipBuy]*tulipCover{}, due: tulipCycle(f.now, tulipLondon, 12).AddDate(0, 1, 0)}
		})
	},
}

const (
	tulipEnvelopeCap = 2500
	tulipEnvelopePay = 1000
)

// tulipCover is the envelope of one purchase.
type tulipCover struct {
	value              int64
	assessed, released bool
}

// tulipEnvelope grants provisionally and releases later.
type tulipEnvelope struct {
	f   *tulipFile
	all map[*tulipBuy]*tulipCover
	due time.Time
}

// dear reports whether the purchase earns the higher rate, under the limit.
func (c *tulipEnvelope) dear(b *tulipBuy) bool {
	return b.category == "TRAVEL" || b.category == "DINING" || b.category == "RESTAURANT"
}

func (c *tulipEnvelope) bought(b *tulipBuy) {
	c.all[b] = &tulipCover{}
	c.value(b, tulipPart(b.net(), 400), "", "pending, up to 4%")
}

func (c *tulipEnvelope) returned(b *tulipBuy, r tulipReturn) {
	switch {
	case b == nil:
		c.f.post(Reversed, -tulipOver(r.amount, 400), "", r.id, "refund that we could not match")
	case !c.all[b].assessed:
		c.value(b, tulipPart(b.net(), 400), r.id, "returned while pending")
	default:
		c.assess(b, r.id, "returned")
	}
}

// value brings the envelope of b to v.
func (c *tulipEnvelope) value(b *tulipBuy, v int64, refund, note string) {
	e := c.all[b]
	change := v - e.value
	e.value = v
	switch {
	case change == 0:
	case refund != "" && change < 0:
		c.f.post(Reversed, change, b.id, refund, note)
	case !e.assessed:
		c.f.post(Earned, change, b.id, "", note)
	default:
		c.f.post(Adjusted, change, b.id, "", note)
	}
}

// assess values b by its rate, and all that share its limit.
func (c *tulipEnvelope) assess(b *tulipBuy, refund, note string) {
	if !c.dear(b) {
		c.value(b, tulipPart(b.net(), 100), refund, note)
		return
	}
	cycle, used := tulipCycle(b.at, tulipLondon, 12), int64(0)
	for _, m := range c.f.buys {
		if !c.dear(m) || !c.all[m].assessed || !tulipCycle(m.at, tulipLondon, 12).Equal(cycle) {
			continue
		}
		v := min(tulipPart(m.net(), 400), tulipEnvelopeCap-used)
		used += v
		c.value(m, v, refund, note)
	}
}

func (c *tulipEnvelope) next() time.Time { return c.due }

func (c *tulipEnvelope) run(at time.Time) {
	c.due = at.AddDate(0, 1, 0)
	for _, b := range c.f.buys {
		e := c.all[b]
		switch {
		case e.assessed:
			e.released = true
		case b.at.Before(at):
			e.assessed = true
			c.assess(b, "", "assessed")
		}
	}
	if n := c.redeemable(); n >= tulipEnvelopePay {
		c.f.post(Paid, -n, "", "", "cashback paid into your card account")
	}
}

// redeemable is what is in no closed envelope.
func (c *tulipEnvelope) redeemable() int64 {
	n := c.f.balance
	for _, e := range c.all {
		if !e.released {
			n -= e.value
		}
	}
	return n
}
