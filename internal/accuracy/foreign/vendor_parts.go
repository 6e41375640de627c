package foreign

import (
	"recoup/internal/issuer"
)

// vendorWholeDollars is a credit union's points card. Every slip, a sale or a credit, is
// turned into points by itself: whole dollars times the points of its category, cents
// dropped. Dropping cents on the credits too is its flaw: many small ones take nothing.
type vendorWholeDollars struct {
	vendorHouse[vendorWholeAccount]
}

type vendorWholeAccount struct {
	book vendorBook
	till vendorTill
}

func vendorNewWholeDollars() Engine {
	return &vendorWholeDollars{vendorNewHouse(
		func() *vendorWholeAccount { return &vendorWholeAccount{} }, nil,
		func(a *vendorWholeAccount) *vendorBook { return &a.book })}
}

// slip is the points of one slip.
func (a *vendorWholeAccount) slip(b *vendorBuy, amount int64) int64 {
	return amount / 100 * (b.rate / 100)
}

// Settle is a sale slip.
func (e *vendorWholeDollars) Settle(s issuer.Settlement) error {
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
	if vendorIn("GROCERY", s.Category, s.MCC) || vendorIn("FUEL", s.Category, s.MCC) {
		rate = 300
	}
	buys := a.till.add(s, e.when(s.At), rate)
	b := buys[0]
	b.seen, b.gain = b.amount, a.slip(b, b.amount)
	a.book.post(e.now, Earned, b.gain, b.id, "", "points")
	e.credits(a, buys, "")
	return nil
}

// credits books credit slips against these purchases.
func (e *vendorWholeDollars) credits(a *vendorWholeAccount, buys []*vendorBuy, refund string) {
	for _, b := range buys {
		back := b.seen - b.net()
		b.seen = b.net()
		var move int64
		if back >= 0 {
			move = -min(a.slip(b, back), b.gain)
		} else {
			move = min(a.slip(b, -back), a.slip(b, b.amount)-b.gain)
		}
		b.gain += move
		a.book.move(e.now, move, b.id, refund, "credit slip")
	}
}

// Refund is a credit slip.
func (e *vendorWholeDollars) Refund(r issuer.Refund) error {
	a, err := e.get(r.Account)
	if err != nil {
		return err
	}
	if r.Refund == "" {
		return errVendorID
	}
	e.credits(a, a.till.ret(vendorRefunded(r)), r.Refund)
	return nil
}

// Chargeback is a credit slip.
func (e *vendorWholeDollars) Chargeback(c issuer.Chargeback) error {
	a, err := e.get(c.Account)
	if err != nil {
		return err
	}
	if c.Chargeback == "" {
		return errVendorID
	}
	e.credits(a, a.till.ret(vendorCharged(c)), c.Chargeback)
	return nil
}

// Redeem pays from 100 points.
func (e *vendorWholeDollars) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.get(r.Account)
	if err != nil || r.Amount < 100 {
		return false, err
	}
	return a.book.pay(r, a.book.balance()), nil
}

// Balance shows nothing to redeem below 100 points.
func (e *vendorWholeDollars) Balance(account string) (issuer.Balance, error) {
	a, err := e.get(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	b := issuer.Balance{Balance: a.book.balance()}
	if b.Balance >= 100 {
		b.Redeemable = b.Balance
	}
	return b, nil
}

var vendorWholeDesign = Design{
	Name:   "vendor-whole-dollars",
	Source: "points per whole dollar, deducted for returned purchases (nbc.ca help centre; brooksbrothers.zendesk.com, points deducted on returns may become negative)",
	Published: "3 points per whole dollar of GROCERY (MCC 5411) and FUEL (5541) purchases, 1 point per whole dollar of all others, counted per purchase, cents dropped. A point is worth $0.01; points post at once and can be redeemed from 100 points." +
		" A return takes points back, so that a purchase has the points for the whole dollars of what is left of it. Negative points stay until made up." + vendorLooseTerms,
	How:      "Each credit is turned into points like a sale: whole dollars of the credit times the rate, cents dropped, at most what the purchase still has. Nothing is added up over the credits of one purchase, so credits below $1.00 take nothing.",
	Class:    "other",
	Leak:     "Buy groceries for $99.00 (297 points), redeem $2.97 and have the purchase refunded in 100 parts of $0.99: none of them takes a point. Net purchases of nothing and $2.97 ahead. In parts of $1.99 half of the points stay.",
	Currency: "USD",
	New:      vendorNewWholeDollars,
}
