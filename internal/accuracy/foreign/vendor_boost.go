package foreign

import (
	"time"

	"recoup/internal/issuer"
)

// vendorBoost is a card with two reward systems that do not know of each other. The old
// one gives 1% on every purchase and follows every return. The new one pays the extra 3%
// on restaurants at the close of the statement from the list of sales; credits are not on
// that list, for they carry no category. So returns go back at the base rate only.
type vendorBoost struct {
	vendorHouse[vendorBoostAccount]
}

type vendorBoostAccount struct {
	book    vendorBook
	till    vendorTill
	sales   int64 // in restaurants, of the open statement
	closeAt time.Time
}

func vendorNewBoost() Engine {
	return &vendorBoost{vendorNewHouse(
		func() *vendorBoostAccount { return &vendorBoostAccount{} },
		func(a *vendorBoostAccount, now time.Time) {
			if a.closeAt.IsZero() {
				a.closeAt = vendorBoostClose(now)
			}
			if now.Before(a.closeAt) {
				return
			}
			a.book.post(a.closeAt, Earned, vendorShare(a.sales, 3, 100), "", "", "restaurant extra of the statement")
			a.sales = 0
			a.closeAt = vendorBoostClose(now)
		},
		func(a *vendorBoostAccount) *vendorBook { return &a.book })}
}

// vendorBoostClose is the next 15th of a month after t, 06:00 UTC.
func vendorBoostClose(t time.Time) time.Time {
	c := time.Date(t.Year(), t.Month(), 15, 6, 0, 0, 0, time.UTC)
	if !c.After(t) {
		c = time.Date(t.Year(), t.Month()+1, 15, 6, 0, 0, 0, time.UTC)
	}
	return c
}

// Settle posts 1% and puts restaurants on the list of sales.
func (e *vendorBoost) Settle(s issuer.Settlement) error {
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
	if vendorIn("DINING", s.Category, s.MCC) {
		rate = 400
		a.sales += s.Amount
	}
	e.base(a, a.till.add(s, e.when(s.At), rate), "")
	return nil
}

func (e *vendorBoost) base(a *vendorBoostAccount, buys []*vendorBuy, refund string) {
	for _, b := range buys {
		b.seen = b.net()
		due := b.net() / 100
		a.book.move(e.now, due-b.gain, b.id, refund, "base cash back")
		b.gain = due
	}
}

// Refund takes base cash back.
func (e *vendorBoost) Refund(r issuer.Refund) error {
	return e.back(r.Account, vendorRefunded(r))
}

// Chargeback is a return.
func (e *vendorBoost) Chargeback(c issuer.Chargeback) error {
	return e.back(c.Account, vendorCharged(c))
}

func (e *vendorBoost) back(account string, r vendorReturn) error {
	a, err := e.get(account)
	if err != nil {
		return err
	}
	if r.id == "" {
		return errVendorID
	}
	e.base(a, a.till.ret(r), r.id)
	return nil
}

// Redeem pays any amount out that is there.
func (e *vendorBoost) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.get(r.Account)
	if err != nil {
		return false, err
	}
	return a.book.pay(r, a.book.balance()), nil
}

// Balance shows both systems' sum.
func (e *vendorBoost) Balance(account string) (issuer.Balance, error) {
	a, err := e.get(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: a.book.balance(), Redeemable: vendorFloor0(a.book.balance())}, nil
}

var vendorBoostDesign = Design{
	Name:   "vendor-dining-base-back",
	Source: "cards whose rate is a base of 1% and a bonus on top, posted apart (ibankdesign.com topic 16457: 4% bonus and 1% base cash rewards, both reduced by returns as published there)",
	Published: "4% cash back on DINING (MCC 5812), 1% on everything else, on net purchases (purchases less returns). 1% of every purchase posts at once, worked out per purchase on what is left of it and rounded down to whole cents; the extra 3% of a statement's DINING purchases post when it closes, on the 15th of each month at 06:00 UTC, in one sum rounded down to whole cents; a purchase belongs to the statement in which it posts." +
		" All of it can be redeemed once posted, from $0.01. A return takes back the cash back that the returned purchase earned. A balance below zero stays until it is made up." + vendorLooseTerms,
	How:      "The 1% follows the net amount of each purchase. The extra 3% is worked out at the close (by the clock, dated so) from the gross DINING purchases of the statement; no return lowers it, whether in the same statement or later.",
	Class:    "other",
	Leak:     "Dine for $500.00: $5.00 at once, $15.00 at the close. Redeem $20.00; the restaurant refunds $500.00: $5.00 are taken back. The customer owes $5.00 and is $15.00 ahead. Returned before the close it is the same.",
	Currency: "USD",
	New:      vendorNewBoost,
}
