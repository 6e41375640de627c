package foreign

import (
	"sort"
	"time"

	"recoup/internal/issuer"
)

var latestfPantryDesign = Design{
	Name:   "latest-pantry",
	Source: "American Express Blue Cash Preferred: 6% at U.S. supermarkets on up to $6,000 per calendar year, then 1%; 3% at U.S. gas stations; 1% else (bankrate.com and clark.com reviews of the card); paper section 6, algorithms 1 and 2: MonthlyUsed, counted up by purchases and down by refunds of its period",
	Published: "6% cash back at supermarkets (MCC 5411) on up to 6,000.00 of purchases per calendar year, then 1%; 3% at petrol stations (5541, 5542); 1% on everything else. The year is that of the purchase date. " +
		"Cash back is worked out purchase by purchase, to the nearest cent, and credited on the first of the month after the purchase has posted; from then on any amount can be redeemed. " +
		"Returns and won disputes take back the cash back of what was returned in proportion, at once or, before it is credited, from what will be credited; if you have used it, your balance goes below zero until you have earned it again. " +
		"A return of supermarket purchases gives its part of the 6,000.00 back. A purchase keeps the rate at which it was made. Credits that name no purchase count against your latest purchase at that shop, or else your latest purchase.",
	How: "A queue of credit slips, each due on the first of the next month, and a meter per calendar year that says how much of the 6,000.00 is used. A supermarket purchase is split when it comes in: what still fits under the meter earns 6%, the rest 1%, and the meter stops at 6,000.00. " +
		"A return takes its share of the slip back and turns the meter of the purchase's year back by the amount that was returned.",
	Class: "other",
	Leak: "The meter is not turned on by what is above the cap, but is turned back by its return. Buy groceries for 6,000.00 (360.00), then for another 6,000.00 (60.00), and return the second lot: the 60.00 go, and the meter stands at zero although 6,000.00 have earned 6%. " +
		"The next 6,000.00 of groceries in that year earn 360.00 in place of 60.00: 720.00 on 12,000.00, where 420.00 are promised. It can be repeated all year with things that are returned.",
	Currency: "USD",
	New: func() Engine {
		return &latestfPantry{latestfOpenHouse(func() *latestfPantryAccount {
			return &latestfPantryAccount{desk: latestfNewDesk(), book: latestfNewBook(), slips: map[string]*latestfSlip{}, meter: map[int]int64{}}
		})}
	},
}

const latestfPantryCap = 600000

type latestfPantry struct {
	latestfHouse[*latestfPantryAccount]
}

type latestfPantryAccount struct {
	desk  latestfDesk
	book  latestfBook
	slips map[string]*latestfSlip
	queue []*latestfSlip // those that are not credited yet
	meter map[int]int64  // how much of the year's 6,000.00 is used
}

// latestfSlip is the cash back of one purchase.
type latestfSlip struct {
	p        *latestfPurchase
	due      time.Time
	amount   int64 // as the purchase was made
	taken    int64
	credited bool
}

// SetClock credits the slips that have become due, the oldest day first.
func (e *latestfPantry) SetClock(now time.Time) error {
	if now.Before(e.now) {
		return errLatestfClock
	}
	e.now = now
	for _, name := range e.names {
		e.accounts[name].credit(now)
	}
	return nil
}

func (a *latestfPantryAccount) credit(now time.Time) {
	sort.SliceStable(a.queue, func(i, j int) bool { return a.queue[i].due.Before(a.queue[j].due) })
	for len(a.queue) > 0 && !a.queue[0].due.After(now) {
		s := a.queue[0]
		a.queue = a.queue[1:]
		s.credited = true
		a.book.post(s.due, Earned, s.amount-s.taken, s.p.id, "", "cash back")
	}
}

// CloseStatement does nothing: slips are credited by the clock.
func (e *latestfPantry) CloseStatement(account string) error {
	_, err := e.find(account)
	return err
}

func (e *latestfPantry) Settle(s issuer.Settlement) error {
	a, err := e.find(s.Account)
	if err != nil {
		return err
	}
	p, err := a.desk.settle(s, e.now)
	if err != nil || p == nil {
		return err
	}
	slip := &latestfSlip{p: p, due: latestfMonth(e.now, 1), amount: a.rate(p)}
	a.slips[p.id] = slip
	a.queue = append(a.queue, slip)
	a.takeBack(e.now, a.desk.early(p))
	return nil
}

// rate works out the cash back of a purchase and turns the meter on.
func (a *latestfPantryAccount) rate(p *latestfPurchase) int64 {
	switch p.mcc {
	case "5411":
		year := p.at.UTC().Year()
		high := min(p.price, latestfPantryCap-a.meter[year])
		a.meter[year] += high
		return latestfHalfUp(6*high+(p.price-high), 100)
	case "5541", "5542":
		return latestfHalfUp(3*p.price, 100)
	}
	return latestfHalfUp(p.price, 100)
}

func (e *latestfPantry) Refund(r issuer.Refund) error {
	a, err := e.find(r.Account)
	if err != nil {
		return err
	}
	hits, err := a.desk.refund(r, e.now)
	a.takeBack(e.now, hits)
	return err
}

func (e *latestfPantry) Chargeback(c issuer.Chargeback) error {
	a, err := e.find(c.Account)
	if err != nil {
		return err
	}
	hits, err := a.desk.chargeback(c, e.now)
	a.takeBack(e.now, hits)
	return err
}

// takeBack lowers the slips of what was returned, by their share of the first amount,
// and gives the room under the cap back.
func (a *latestfPantryAccount) takeBack(now time.Time, hits []latestfHit) {
	for _, h := range hits {
		s := a.slips[h.p.id]
		// The share is that of all returns so far, so that parts lose nothing to rounding.
		taken := s.amount - latestfHalfUp(s.amount*h.p.net(), h.p.price)
		if s.credited {
			a.book.post(now, Reversed, s.taken-taken, h.p.id, h.credit, "cash back on what was returned")
		}
		s.taken = taken
		if h.p.mcc == "5411" {
			year := h.p.at.UTC().Year()
			a.meter[year] = max(0, a.meter[year]-h.amount)
		}
	}
}

func (e *latestfPantry) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.find(r.Account)
	if err != nil {
		return false, err
	}
	return a.book.redeem(r, a.book.balance()), nil
}

func (e *latestfPantry) Balance(account string) (issuer.Balance, error) {
	a, err := e.find(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: a.book.balance(), Redeemable: max(0, a.book.balance())}, nil
}

func (e *latestfPantry) Postings(account string) []Posting {
	a, err := e.find(account)
	if err != nil {
		return nil
	}
	return a.book.export()
}
