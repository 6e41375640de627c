package foreign

import (
	"time"

	"recoup/internal/issuer"
)

// vendorStatus is a department store's program with a gold status for those who spend
// enough in a year. Each purchase earns at the status of its moment, and returns follow it
// at that rate. Its flaw is the status: it is given the moment the year's net purchases
// reach the sum and is not looked at again when they are returned.
type vendorStatus struct {
	vendorHouse[vendorStatusAccount]
}

type vendorStatusAccount struct {
	book vendorBook
	till vendorTill
	year map[int]int64 // net purchases
	gold time.Time     // status until then
}

const vendorStatusGold = 300_000

func vendorNewStatus() Engine {
	return &vendorStatus{vendorNewHouse(
		func() *vendorStatusAccount { return &vendorStatusAccount{year: map[int]int64{}} }, nil,
		func(a *vendorStatusAccount) *vendorBook { return &a.book })}
}

// Settle earns at the present status and looks whether the purchase reaches gold.
func (e *vendorStatus) Settle(s issuer.Settlement) error {
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
	if e.now.Before(a.gold) {
		rate = 400
	}
	// A status year is one by the day on which a purchase posts.
	e.fix(a, a.till.add(s, e.now, rate), "")
	if y := e.now.Year(); a.year[y] >= vendorStatusGold {
		a.gold = time.Date(y+2, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return nil
}

func (e *vendorStatus) fix(a *vendorStatusAccount, buys []*vendorBuy, refund string) {
	for _, b := range buys {
		a.year[b.at.Year()] += b.net() - b.seen
		b.seen = b.net()
		due := vendorShare(b.net(), b.rate, 10_000)
		a.book.move(e.now, due-b.gain, b.id, refund, "store cash")
		b.gain = due
	}
}

// Refund takes store cash back at the rate of the purchase.
func (e *vendorStatus) Refund(r issuer.Refund) error {
	a, err := e.get(r.Account)
	if err != nil {
		return err
	}
	if r.Refund == "" {
		return errVendorID
	}
	e.fix(a, a.till.ret(vendorRefunded(r)), r.Refund)
	return nil
}

// Chargeback is a return.
func (e *vendorStatus) Chargeback(c issuer.Chargeback) error {
	a, err := e.get(c.Account)
	if err != nil {
		return err
	}
	if c.Chargeback == "" {
		return errVendorID
	}
	e.fix(a, a.till.ret(vendorCharged(c)), c.Chargeback)
	return nil
}

// Redeem pays any amount out that is there.
func (e *vendorStatus) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.get(r.Account)
	if err != nil {
		return false, err
	}
	return a.book.pay(r, a.book.balance()), nil
}

// Balance shows the store cash.
func (e *vendorStatus) Balance(account string) (issuer.Balance, error) {
	a, err := e.get(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: a.book.balance(), Redeemable: vendorFloor0(a.book.balance())}, nil
}

var vendorStatusDesign = Design{
	Name:   "vendor-gold-stays",
	Source: "status tiers by net purchases of a year that are kept for the following year (help.mzwallace.com, how is my tier status determined); a program that lowers the tier after returns: volcom.eu loyalty program",
	Published: "1% store cash on every purchase, 4% with gold status, worked out per purchase on what is left of it after returns and rounded down to whole cents; it posts at once and can be redeemed from $0.01." +
		" Gold status begins when your net purchases of the calendar year (UTC, by the day they post) come to $3,000.00 and is kept to the end of the following calendar year; the purchase that reaches the sum still earns at 1%, purchases that post after it at 4%. Net purchases are purchases less returns: status that rests on purchases that were returned is not earned." +
		" A return takes back what the returned part of the purchase earned, at the rate at which it earned it. A balance below zero stays until it is made up." + vendorLooseTerms,
	How:      "The year's net purchases rise with purchases and fall with their returns, but are compared with $3,000.00 only when a purchase posts, and gold status is never withdrawn. So it pays 4% on later purchases whose customer has no net spend to show for it.",
	Class:    "other",
	Leak:     "Buy for $3,000.00 in January (earns $30.00, gold), return all of it ($30.00 are taken back). Then buy and keep $1,000.00: earns $40.00 instead of the $10.00 promised, $30.00 ahead, and so on to the end of next year.",
	Currency: "USD",
	New:      vendorNewStatus,
}
