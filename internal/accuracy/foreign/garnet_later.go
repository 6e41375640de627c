package foreign

import (
	"slices"
	"time"
)

var garnetLaterDesign = Design{
	Name:   "garnet-later",
	Source: "after the cashback of buy-now-pay-later apps and cashback portals: pending first, then confirmed (from memory)",
	Published: "2 % back on every order of at least £30, at most £10 an order. Cashback is pending for 21 days from the order, so that you can make up " +
		"your mind, and then confirmed and yours to move to your bank. If you send something back, cashback is worked out on what you keep: nothing " +
		"if that is under £30. A return that names no order is taken from the order that it costs most on.",
	How: "A list of pending orders. A return changes an order on it, whole or in part; one without an order's name is looked for among the pending orders " +
		"of its shop (of all shops, if it names none) and taken where it costs most, then the next. When an order's 21 days are over, one row confirms " +
		"what it is worth, and it leaves the list. Returns of orders that are not on the list are filed without effect.",
	Class: "V2",
	Leak: "Returns are looked at for 21 days only, while shops take things back for longer. Order for £400 on day 1: £8.00 is confirmed on day 22 and moved to the " +
		"bank. Send it all back on day 25: the £400 are returned, and the £8.00 stay.",
	Currency: "GBP",
	New: func() Engine {
		return garnetOpenDesk(func(a *garnetAccount) garnetClerk { return &garnetLater{a: a} })
	},
}

const garnetLaterPending = 21 * 24 * time.Hour

// garnetGuess is a part of a return without an order's name, and the order it was taken from.
type garnetGuess struct {
	order    *garnetPurchase
	merchant string
	amount   int64
}

// garnetLater knows orders until they are confirmed.
type garnetLater struct {
	a       *garnetAccount
	now     time.Time // of the last fact: an order that is told late is confirmed late
	pending []*garnetPurchase
	guesses []*garnetGuess
}

// garnetLaterWorth is what an order earns of which so much is kept.
func garnetLaterWorth(left int64) int64 {
	if left < 3000 {
		return 0
	}
	return min(1000, left*2/100)
}

// kept is what is left of an order, all returns considered.
func (c *garnetLater) kept(p *garnetPurchase) int64 {
	kept := p.left()
	for _, g := range c.guesses {
		if g.order == p {
			kept -= g.amount
		}
	}
	return kept
}

func (c *garnetLater) bought(now time.Time, p *garnetPurchase) {
	c.now = now
	c.pending = append(c.pending, p)
}

// returned has a return without a name find its order. One with a name lowers its order
// by itself; what had been guessed to be of the same goods has to look for others.
func (c *garnetLater) returned(now time.Time, r garnetReturn) {
	c.now = now
	if r.purchase == nil {
		c.place(r.merchant, r.amount)
		return
	}
	for _, g := range c.guesses {
		if over := -c.kept(r.purchase); g.order == r.purchase && over > 0 {
			x := min(over, g.amount)
			g.amount -= x
			c.place(g.merchant, x)
		}
	}
}

// place takes a return from pending orders; what is more than these is without effect.
func (c *garnetLater) place(merchant string, rest int64) {
	for rest > 0 {
		p, x := c.dearest(merchant, rest)
		if p == nil {
			return
		}
		c.guesses = append(c.guesses, &garnetGuess{order: p, merchant: merchant, amount: x})
		rest -= x
	}
}

// dearest is the pending order of the shop on which a return costs most, and how much of
// the return it can be of. Of equals it is the newest.
func (c *garnetLater) dearest(merchant string, rest int64) (found *garnetPurchase, part int64) {
	most := int64(-1)
	for _, p := range c.pending {
		kept := c.kept(p)
		x := min(rest, kept)
		if x <= 0 || merchant != "" && p.merchant != "" && p.merchant != merchant {
			continue
		}
		if cost := garnetLaterWorth(kept) - garnetLaterWorth(kept-x); cost >= most {
			found, part, most = p, x, cost
		}
	}
	return found, part
}

// confirms is when an order leaves the list.
func (c *garnetLater) confirms(p *garnetPurchase) time.Time {
	at := p.at.Add(garnetLaterPending)
	if at.Before(c.now) {
		return c.now
	}
	return at
}

func (c *garnetLater) due() time.Time {
	var first time.Time
	for _, p := range c.pending {
		if at := c.confirms(p); first.IsZero() || at.Before(first) {
			first = at
		}
	}
	return first
}

func (c *garnetLater) run(at time.Time) {
	for i, p := range c.pending {
		if !c.confirms(p).After(at) {
			kept := c.kept(p)
			c.pending = append(c.pending[:i], c.pending[i+1:]...)
			c.guesses = slices.DeleteFunc(c.guesses, func(g *garnetGuess) bool { return g.order == p })
			c.a.post(Posting{
				At: at, Kind: Earned, Amount: garnetLaterWorth(kept), Transaction: p.id,
				Note: "cashback confirmed",
			})
			return
		}
	}
}

func (c *garnetLater) free() int64 { return c.a.positive() }
