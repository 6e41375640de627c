package foreign

import (
	"time"

	"recoup/internal/issuer"
)

var latestfArrearsDesign = Design{
	Name:   "latest-arrears",
	Source: "Wells Fargo Autograph: 3X on restaurants, travel, gas and transit, 1X else, net purchases to the nearest dollar (wellsfargo.com/credit-cards/autograph-visa/terms, part 2); paper section 5.3, issuer C: what is earned next reduces the negative balance first",
	Published: "3 points per dollar at restaurants (MCC 5811-5814), petrol stations (5541, 5542) and on local transport (4111, 4121, 4131), 1 point per dollar on everything else, no cap. " +
		"Each purchase is rounded to the nearest whole dollar, 50 cents up. A point is worth one cent. Points post when the purchase posts and can be redeemed at once, in any number. " +
		"When you return something, or win a dispute, we take back the points above what the purchase would have earned at its reduced price. If you have already used them, you owe points: your balance shows below zero, " +
		"it does not lapse, and points that you earn are first used for what you owe. A refund that does not say what it is for is counted against your latest purchase at that shop, or else your latest purchase.",
	How: "A ledger of lots. Each purchase opens a lot with its points, redemptions take lots oldest first, a return cancels points of its own lot and, where those were used, makes the cardholder owe them. " +
		"A purchase that is made while points are owed settles them first and opens its lot with what is left. A return cannot cancel more than its lot was opened with.",
	Class: "other",
	Leak: "Points that went to what was owed are in no lot, so returning the purchase that paid a debt does not bring the debt back. Buy a dinner for 1,000.00 (3,000 points, $30), redeem them, have it refunded: 3,000 points owed. " +
		"Buy 1,000.00 of petrol: balance 0. Have that refunded too: nothing is taken, the balance stays 0, and the $30 are kept on purchases of nothing.",
	Currency: "USD",
	New: func() Engine {
		return &latestfArrears{latestfOpenHouse(func() *latestfArrearsAccount {
			return &latestfArrearsAccount{desk: latestfNewDesk(), book: latestfNewBook(), byPurchase: map[string]*latestfLot{}}
		})}
	},
}

type latestfArrears struct {
	latestfHouse[*latestfArrearsAccount]
}

type latestfArrearsAccount struct {
	desk       latestfDesk
	book       latestfBook
	lots       []*latestfLot // oldest first
	byPurchase map[string]*latestfLot
	owed       int64
}

// latestfLot is what a purchase put into the purse.
type latestfLot struct {
	rate      int64
	opened    int64 // points at its opening
	cancelled int64 // by returns
	left      int64 // neither cancelled nor used
}

// SetClock moves the time. Nothing in this program waits for a date.
func (e *latestfArrears) SetClock(now time.Time) error {
	if now.Before(e.now) {
		return errLatestfClock
	}
	e.now = now
	return nil
}

// CloseStatement does nothing: statements only list what has happened.
func (e *latestfArrears) CloseStatement(account string) error {
	_, err := e.find(account)
	return err
}

func (e *latestfArrears) Settle(s issuer.Settlement) error {
	a, err := e.find(s.Account)
	if err != nil {
		return err
	}
	p, err := a.desk.settle(s, e.now)
	if err != nil || p == nil {
		return err
	}
	lot := &latestfLot{rate: latestfArrearsRate(p.mcc)}
	points := lot.points(p.price)
	a.book.post(e.now, Earned, points, p.id, "", "points on purchase")
	// What is owed is settled before anything goes into the purse.
	settled := min(points, a.owed)
	a.owed -= settled
	lot.opened = points - settled
	lot.left = lot.opened
	a.lots = append(a.lots, lot)
	a.byPurchase[p.id] = lot
	a.takeBack(e.now, a.desk.early(p))
	return nil
}

func (e *latestfArrears) Refund(r issuer.Refund) error {
	a, err := e.find(r.Account)
	if err != nil {
		return err
	}
	hits, err := a.desk.refund(r, e.now)
	a.takeBack(e.now, hits)
	return err
}

func (e *latestfArrears) Chargeback(c issuer.Chargeback) error {
	a, err := e.find(c.Account)
	if err != nil {
		return err
	}
	hits, err := a.desk.chargeback(c, e.now)
	a.takeBack(e.now, hits)
	return err
}

// takeBack cancels, for each purchase that came back in part, what it would not have
// earned at its reduced price.
func (a *latestfArrearsAccount) takeBack(now time.Time, hits []latestfHit) {
	for _, h := range hits {
		lot := a.byPurchase[h.p.id]
		due := lot.points(h.p.price) - lot.points(h.p.net())
		x := min(due, lot.opened) - lot.cancelled
		if x <= 0 {
			continue
		}
		lot.cancelled += x
		a.book.post(now, Reversed, -x, h.p.id, h.credit, "points on what was returned")
		own := min(x, lot.left)
		lot.left -= own
		a.owed += a.draw(x - own)
	}
}

// draw takes points out of the purse, oldest lots first, and gives back how many of
// them were not there.
func (a *latestfArrearsAccount) draw(x int64) int64 {
	for _, lot := range a.lots {
		part := min(x, lot.left)
		lot.left -= part
		x -= part
	}
	return x
}

func (a *latestfArrearsAccount) purse() int64 {
	var sum int64
	for _, lot := range a.lots {
		sum += lot.left
	}
	return sum
}

func (e *latestfArrears) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.find(r.Account)
	if err != nil {
		return false, err
	}
	before := a.book.redeemed
	ok := a.book.redeem(r, a.purse())
	a.draw(a.book.redeemed - before)
	return ok, nil
}

func (e *latestfArrears) Balance(account string) (issuer.Balance, error) {
	a, err := e.find(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: a.purse() - a.owed, Redeemable: a.purse()}, nil
}

func (e *latestfArrears) Postings(account string) []Posting {
	a, err := e.find(account)
	if err != nil {
		return nil
	}
	return a.book.export()
}

// points are whole dollars, to the nearest, times the rate.
func (l *latestfLot) points(cents int64) int64 { return l.rate * latestfHalfUp(cents, 100) }

func latestfArrearsRate(mcc string) int64 {
	switch mcc {
	case "5811", "5812", "5813", "5814", "5541", "5542", "4111", "4121", "4131":
		return 3
	}
	return 1
}
