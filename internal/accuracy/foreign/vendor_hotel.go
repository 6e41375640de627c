package foreign

import (
	"recoup/internal/issuer"
)

// vendorHotelPoints is a hotel chain's card with one pool of points that can never go
// below zero. A return takes the purchase's points out of the pool as far as they are
// there; what is not there is dropped, which is its flaw.
type vendorHotelPoints struct {
	vendorHouse[vendorHotelAccount]
}

type vendorHotelAccount struct {
	book vendorBook
	till vendorTill
}

func vendorNewHotelPoints() Engine {
	return &vendorHotelPoints{vendorNewHouse(
		func() *vendorHotelAccount { return &vendorHotelAccount{} }, nil,
		func(a *vendorHotelAccount) *vendorBook { return &a.book })}
}

// points of a purchase for what is left of it.
func vendorHotelEarn(b *vendorBuy) int64 { return b.net() / 100 * (b.rate / 100) }

// Settle adds to the pool.
func (e *vendorHotelPoints) Settle(s issuer.Settlement) error {
	a, err := e.get(s.Account)
	if err != nil {
		return err
	}
	if s.Transaction == "" {
		return errVendorID
	}
	if !a.till.takes(s) {
		return nil
	}
	rate := int64(100)
	switch {
	case vendorIn("TRAVEL", s.Category, s.MCC):
		rate = 400
	case vendorIn("DINING", s.Category, s.MCC):
		rate = 200
	}
	e.pool(a, a.till.add(s, e.when(s.At), rate), "")
	return nil
}

// pool moves the pool by what these purchases have changed.
func (e *vendorHotelPoints) pool(a *vendorHotelAccount, buys []*vendorBuy, refund string) {
	for _, b := range buys {
		b.seen = b.net()
		now := vendorHotelEarn(b)
		if now < b.gain {
			take := min(b.gain-now, a.book.balance())
			a.book.post(e.now, Reversed, -take, b.id, refund, "points for returned purchase")
		} else {
			a.book.post(e.now, Earned, now-b.gain, b.id, refund, "points")
		}
		b.gain = now
	}
}

// Refund takes points that are there.
func (e *vendorHotelPoints) Refund(r issuer.Refund) error {
	a, err := e.get(r.Account)
	if err != nil {
		return err
	}
	if r.Refund == "" {
		return errVendorID
	}
	e.pool(a, a.till.ret(vendorRefunded(r)), r.Refund)
	return nil
}

// Chargeback is a return.
func (e *vendorHotelPoints) Chargeback(c issuer.Chargeback) error {
	a, err := e.get(c.Account)
	if err != nil {
		return err
	}
	if c.Chargeback == "" {
		return errVendorID
	}
	e.pool(a, a.till.ret(vendorCharged(c)), c.Chargeback)
	return nil
}

// Redeem takes points from the pool.
func (e *vendorHotelPoints) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.get(r.Account)
	if err != nil {
		return false, err
	}
	return a.book.pay(r, a.book.balance()), nil
}

// Balance is the pool.
func (e *vendorHotelPoints) Balance(account string) (issuer.Balance, error) {
	a, err := e.get(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: a.book.balance(), Redeemable: a.book.balance()}, nil
}

var vendorHotelDesign = Design{
	Name:   "vendor-hotel-pool",
	Source: "points that a return deducts from the account (brooksbrothers.zendesk.com on returns and negative points, which this program has not; creditcards.com, 7 ways to lose rewards points)",
	Published: "4 points per whole dollar of a TRAVEL purchase (MCC 4511), 2 of a DINING purchase (5812), 1 of any other, counted per purchase on what is left of it after returns, cents dropped. A point is worth $0.01, posts at once and can be redeemed at once, from 1 point. Points do not expire." +
		" When you return something, the points for the returned part are deducted from your account." + vendorLooseTerms,
	How:      "One pool per account. A return works out the right number of points but deducts at most what is in the pool; the rest is forgotten and not set against later points.",
	Class:    "V3(a)",
	Leak:     "Book travel for $1,000.00 (earns 4,000 points), redeem them for $40.00, cancel the trip and get all of it refunded: the pool is empty and nothing can be deducted. The next purchase earns in full. $40.00 ahead each time.",
	Currency: "USD",
	New:      vendorNewHotelPoints,
}
