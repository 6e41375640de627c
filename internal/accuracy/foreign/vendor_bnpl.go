package foreign

import (
	"sort"
	"time"

	"recoup/internal/issuer"
)

// vendorInstalments is a pay-in-four plan with cash back: with each of the four
// instalments a quarter of the order's cash back is earned. Returns lower the order, and
// with it what has been earned so far, below zero if need be. Its flaw is what happens to a
// minus: accounts that have been negative for 180 days are written up to zero.
type vendorInstalments struct {
	vendorHouse[vendorPlanAccount]
}

type vendorPlanAccount struct {
	book     vendorBook
	till     vendorTill
	calendar []vendorPlanDue
	minus    time.Time // since when the balance is negative
}

type vendorPlanDue struct {
	on  time.Time
	buy *vendorBuy
}

const (
	vendorPlanEvery   = 14 * vendorDay
	vendorPlanForgive = 180 * vendorDay
)

func vendorNewInstalments() Engine {
	return &vendorInstalments{vendorNewHouse(
		func() *vendorPlanAccount { return &vendorPlanAccount{} },
		func(a *vendorPlanAccount, now time.Time) { a.until(now) },
		func(a *vendorPlanAccount) *vendorBook { return &a.book })}
}

// until works the calendar off: instalments, and the writing-off of a minus.
func (a *vendorPlanAccount) until(now time.Time) {
	for {
		write := a.minus.Add(vendorPlanForgive)
		if !a.minus.IsZero() && !write.After(now) && (len(a.calendar) == 0 || write.Before(a.calendar[0].on)) {
			a.book.post(write, Adjusted, -a.book.balance(), "", "", "written off after 180 days")
			a.minus = time.Time{}
			continue
		}
		if len(a.calendar) == 0 || a.calendar[0].on.After(now) {
			return
		}
		d := a.calendar[0]
		a.calendar = a.calendar[1:]
		d.buy.mark++
		if d.buy.mark < 4 {
			a.enter(d.on.Add(vendorPlanEvery), d.buy)
		}
		a.earn(d.on, d.buy, "", "instalment")
	}
}

func (a *vendorPlanAccount) enter(on time.Time, b *vendorBuy) {
	i := sort.Search(len(a.calendar), func(i int) bool { return a.calendar[i].on.After(on) })
	a.calendar = append(a.calendar, vendorPlanDue{})
	copy(a.calendar[i+1:], a.calendar[i:])
	a.calendar[i] = vendorPlanDue{on, b}
}

// earn brings an order's entry to the instalments paid so far (mark), of its net amount.
func (a *vendorPlanAccount) earn(at time.Time, b *vendorBuy, refund, note string) {
	b.seen = b.net()
	due := vendorShare(b.net(), b.rate*b.mark, 40_000)
	a.book.move(at, due-b.gain, b.id, refund, note)
	b.gain = due
	if a.book.balance() >= 0 {
		a.minus = time.Time{}
	} else if a.minus.IsZero() {
		a.minus = at
	}
}

// Settle starts a plan; the first instalment is due at once.
func (e *vendorInstalments) Settle(s issuer.Settlement) error {
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
	rate := int64(200)
	if vendorIn("TRAVEL", s.Category, s.MCC) {
		rate = 300
	}
	buys := a.till.add(s, e.now, rate)
	a.enter(e.now, buys[0])
	for _, b := range buys {
		a.earn(e.now, b, "", "order")
	}
	a.until(e.now)
	return nil
}

// Refund lowers an order.
func (e *vendorInstalments) Refund(r issuer.Refund) error {
	return e.back(r.Account, vendorRefunded(r))
}

// Chargeback is a return.
func (e *vendorInstalments) Chargeback(c issuer.Chargeback) error {
	return e.back(c.Account, vendorCharged(c))
}

func (e *vendorInstalments) back(account string, r vendorReturn) error {
	a, err := e.get(account)
	if err != nil {
		return err
	}
	if r.id == "" {
		return errVendorID
	}
	for _, b := range a.till.ret(r) {
		a.earn(e.now, b, r.id, "return")
	}
	return nil
}

// Redeem pays from 1.00.
func (e *vendorInstalments) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.get(r.Account)
	if err != nil || r.Amount < 100 {
		return false, err
	}
	return a.book.pay(r, a.book.balance()), nil
}

// Balance shows what has been earned so far.
func (e *vendorInstalments) Balance(account string) (issuer.Balance, error) {
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

var vendorPlanDesign = Design{
	Name:   "vendor-plan-write-off",
	Source: "cash back on pay-later orders that is confirmed with the instalments (support.joko.com on paying in instalments; support.shopback.sg on BNPL)",
	Published: "2% cash back on every order paid in four instalments, 3% on TRAVEL (MCC 4511). The first instalment is due when the order reaches us, the others 14, 28 and 42 days after it (of 24 hours each); with each, a quarter of the cash back is earned: after n instalments n quarters of the rate on what is left of the order, rounded down to whole pence. Earned cash back can be redeemed from GBP 1.00." +
		" A return lowers the order: the later quarters become smaller, and what was earned too much is taken back, below zero if need be. A balance below zero is set against later cash back." + vendorLooseTerms,
	How:      "A calendar of instalments per account, worked off by the clock and dated so. Returns move an order's entry to what its remainder earns with the instalments paid so far. Not published: a balance that has been below zero for 180 days without a break is written up to zero by a posting of kind adjusted. (Debts are not kept, only later than with a floor at zero: of the paper's classes the nearest is V3(a).)",
	Class:    "V3(a)",
	Leak:     "Order for GBP 1,000.00; after 42 days GBP 20.00 are earned: redeem them, return the order on day 50 (balance GBP -20.00) and wait 180 days: written off. The next order earns in full. GBP 20.00 ahead.",
	Currency: "GBP",
	New:      vendorNewInstalments,
}
