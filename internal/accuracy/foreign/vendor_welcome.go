package foreign

import (
	"time"

	"recoup/internal/issuer"
)

// vendorWelcome is a 1.5% card with a bonus for new customers. The bonus is not an event
// but a condition that is looked at after everything that happens: from day 120 on it is
// on the ledger exactly as long as the net purchases of the first 90 days are enough.
type vendorWelcome struct {
	vendorHouse[vendorWelcomeAccount]
}

type vendorWelcomeAccount struct {
	book    vendorBook
	till    vendorTill
	opened  time.Time
	first   int64 // net purchases of the first 90 days
	checked bool  // day 120 has come
	bonus   int64 // on the ledger
}

const (
	vendorWelcomeNeeds = 100_000
	vendorWelcomeBonus = 20_000
)

func vendorNewWelcome() Engine {
	return &vendorWelcome{vendorNewHouse(
		func() *vendorWelcomeAccount { return &vendorWelcomeAccount{} },
		func(a *vendorWelcomeAccount, now time.Time) {
			if a.opened.IsZero() {
				a.opened = now
			}
			if day := a.opened.Add(120 * vendorDay); !a.checked && !now.Before(day) {
				a.checked = true
				a.condition(day, "")
			}
		},
		func(a *vendorWelcomeAccount) *vendorBook { return &a.book })}
}

// condition puts the bonus on the ledger or takes it off.
func (a *vendorWelcomeAccount) condition(at time.Time, refund string) {
	var due int64
	if a.checked && a.first >= vendorWelcomeNeeds {
		due = vendorWelcomeBonus
	}
	a.book.move(at, due-a.bonus, "", refund, "welcome bonus")
	a.bonus = due
}

func (e *vendorWelcome) fix(a *vendorWelcomeAccount, buys []*vendorBuy, refund string) {
	for _, b := range buys {
		if a.opened.IsZero() || b.at.Before(a.opened.Add(90*vendorDay)) {
			a.first += b.net() - b.seen
		}
		b.seen = b.net()
		due := vendorNearest(b.net(), 150, 10_000)
		a.book.move(e.now, due-b.gain, b.id, refund, "1.5% cash back")
		b.gain = due
	}
	a.condition(e.now, refund)
}

// Settle posts 1.5% at once.
func (e *vendorWelcome) Settle(s issuer.Settlement) error {
	a, err := e.get(s.Account)
	if err != nil {
		return err
	}
	if s.Transaction == "" {
		return errVendorID
	}
	if a.till.takes(s) {
		e.fix(a, a.till.add(s, e.when(s.At), 150), "")
	}
	return nil
}

// Refund moves the cash back of its purchase, and the bonus with it.
func (e *vendorWelcome) Refund(r issuer.Refund) error {
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
func (e *vendorWelcome) Chargeback(c issuer.Chargeback) error {
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
func (e *vendorWelcome) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.get(r.Account)
	if err != nil {
		return false, err
	}
	return a.book.pay(r, a.book.balance()), nil
}

// Balance shows the ledger's balance.
func (e *vendorWelcome) Balance(account string) (issuer.Balance, error) {
	a, err := e.get(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: a.book.balance(), Redeemable: vendorFloor0(a.book.balance())}, nil
}

var vendorWelcomeDesign = Design{
	Name:   "vendor-welcome-net",
	Source: "1.5% cards with $200 after a spend in the first months; a promotion that counts purchases exclusive of credits and returns within 90 days and posts weeks later (ibankdesign.com topic 16457, terms of a 2012 cash rewards card)",
	Published: "1.5% cash back on every purchase, worked out per purchase on what is left of it after returns, rounded to the nearest cent (half a cent up); it posts at once and can be redeemed from $0.01." +
		" Welcome bonus of $200.00, once, if the purchases made up to 90 days after the opening of the account (90 times 24 hours, by the time of the purchase), less all returns of them whenever they are made, come to $1,000.00 or more. It posts 120 days after the opening, and a purchase of those 90 days that reaches us later counts as well. If later returns bring these purchases below $1,000.00 the bonus is taken back in full." +
		" A balance below zero stays until it is made up." + vendorLooseTerms,
	How:      "Per purchase the reward follows the net amount. The bonus is a condition on the running net sum of the purchases of the first 90 days, looked at on day 120 (by the clock, dated so) and after every event from then on.",
	Class:    "robust",
	Currency: "USD",
	New:      vendorNewWelcome,
}
