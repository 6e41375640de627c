package foreign

import (
	"time"

	"recoup/internal/issuer"
)

// vendorNight is a supermarket's bonus card that is booked once a night. By day everything
// goes into the file of the day; at 03:00 the file is worked off, purchases first, then
// returns by the number of their receipt. A return without a receipt goes onto a list of
// rejects that nobody reads. That is its flaw.
type vendorNight struct {
	vendorHouse[vendorNightAccount]
}

type vendorNightAccount struct {
	book    vendorBook
	known   map[string]bool // purchases and returns in any file
	buys    []*vendorNightLine
	returns []*vendorNightLine
	on      time.Time // when the open file is worked off
	shelf   map[string]*vendorNightBuy
	rejects []*vendorNightLine
}

type vendorNightLine struct {
	id, receipt string
	amount      int64
	rate        int64
}

// vendorNightBuy is a booked purchase, or the returns of one that has not been booked.
type vendorNightBuy struct {
	booked             bool
	amount, back, gain int64
	rate               int64
}

func vendorNewNight() Engine {
	return &vendorNight{vendorNewHouse(
		func() *vendorNightAccount {
			return &vendorNightAccount{known: map[string]bool{}, shelf: map[string]*vendorNightBuy{}}
		},
		func(a *vendorNightAccount, now time.Time) {
			if !a.on.IsZero() && !now.Before(a.on) {
				a.run()
			}
		},
		func(a *vendorNightAccount) *vendorBook { return &a.book })}
}

// line opens the file of the day where there is none.
func (a *vendorNightAccount) line(now time.Time) {
	if a.on.IsZero() {
		a.on = time.Date(now.Year(), now.Month(), now.Day()+1, 3, 0, 0, 0, time.UTC)
	}
}

func (a *vendorNightAccount) at(receipt string) *vendorNightBuy {
	b := a.shelf[receipt]
	if b == nil {
		b = &vendorNightBuy{}
		a.shelf[receipt] = b
	}
	return b
}

// run works the file off.
func (a *vendorNightAccount) run() {
	for _, l := range a.buys {
		b := a.at(l.receipt)
		b.booked, b.amount, b.rate = true, l.amount, l.rate
		a.fit(b, l.receipt, "")
	}
	for _, l := range a.returns {
		if l.receipt == "" {
			a.rejects = append(a.rejects, l)
			continue
		}
		b := a.at(l.receipt)
		b.back += l.amount
		if l.amount == 0 {
			b.back = 1 << 50 // all of it
		}
		a.fit(b, l.receipt, l.id)
	}
	a.buys, a.returns, a.on = nil, nil, time.Time{}
}

// fit brings a booked purchase to what is left of it.
func (a *vendorNightAccount) fit(b *vendorNightBuy, receipt, refund string) {
	if !b.booked {
		return
	}
	due := vendorFloor0(b.amount-b.back) / 100 * b.rate
	a.book.move(a.on, due-b.gain, receipt, refund, "booked in the night")
	b.gain = due
}

// held is at least what the returns in the open file are going to take.
func (a *vendorNightAccount) held() int64 {
	var h int64
	for _, l := range a.returns {
		if b := a.shelf[l.receipt]; l.receipt != "" && b != nil {
			due := vendorFloor0(b.amount-b.back-l.amount) / 100 * b.rate
			if l.amount == 0 {
				due = 0
			}
			// Several returns of one purchase take at most a point and rate more in sum.
			h += min(b.gain, b.gain-due+b.rate)
		}
	}
	return h
}

// Settle puts a purchase into the file.
func (e *vendorNight) Settle(s issuer.Settlement) error {
	a, err := e.get(s.Account)
	if err != nil {
		return err
	}
	if s.Transaction == "" {
		return errVendorID
	}
	if s.Amount <= 0 || a.known["b/"+s.Transaction] {
		return nil
	}
	a.known["b/"+s.Transaction] = true
	rate := int64(1)
	if vendorIn("GROCERY", s.Category, s.MCC) {
		rate = 2
	}
	a.line(e.now)
	a.buys = append(a.buys, &vendorNightLine{id: s.Transaction, receipt: s.Transaction, amount: s.Amount, rate: rate})
	return nil
}

// Refund puts a return into the file.
func (e *vendorNight) Refund(r issuer.Refund) error {
	a, err := e.get(r.Account)
	if err != nil {
		return err
	}
	if r.Refund == "" {
		return errVendorID
	}
	if r.Amount <= 0 || a.known["r/"+r.Refund] {
		return nil
	}
	a.known["r/"+r.Refund] = true
	a.line(e.now)
	a.returns = append(a.returns, &vendorNightLine{id: r.Refund, receipt: r.Transaction, amount: r.Amount})
	return nil
}

// Chargeback puts a return into the file.
func (e *vendorNight) Chargeback(c issuer.Chargeback) error {
	a, err := e.get(c.Account)
	if err != nil {
		return err
	}
	if c.Chargeback == "" {
		return errVendorID
	}
	if c.Amount < 0 || a.known["c/"+c.Chargeback] {
		return nil
	}
	a.known["c/"+c.Chargeback] = true
	a.line(e.now)
	a.returns = append(a.returns, &vendorNightLine{id: c.Chargeback, receipt: c.Transaction, amount: c.Amount})
	return nil
}

func (a *vendorNightAccount) redeemable() int64 {
	if x := a.book.balance() - a.held(); x >= 150 {
		return x
	}
	return 0
}

// Redeem pays from 150 points.
func (e *vendorNight) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.get(r.Account)
	if err != nil || r.Amount < 150 {
		return false, err
	}
	return a.book.pay(r, a.redeemable()), nil
}

// Balance shows what was booked.
func (e *vendorNight) Balance(account string) (issuer.Balance, error) {
	a, err := e.get(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: a.book.balance(), Redeemable: a.redeemable()}, nil
}

var vendorNightDesign = Design{
	Name:   "vendor-night-no-receipt",
	Source: "supermarket bonus points that are booked overnight; orders that are refunded lose their points (hotelproductsdirect.com.au, member rewards; time.news on supermarket cards)",
	Published: "1 point per whole pound of a purchase, 2 points per whole pound of GROCERY purchases (MCC 5411), counted per purchase on what is left of it after returns, pence dropped. A point is worth GBP 0.01. Points are booked at 03:00 UTC of the day after the purchase reaches us and can be redeemed then, from 150 points." +
		" Points for goods that you return are taken back in the same way, at 03:00 of the day after; until then they are held back from redemption. This goes for every return, with the receipt or without. Points below zero stay until made up.",
	How:      "A file per day, worked off at 03:00 UTC by the clock and dated so: purchases, then returns that name a purchase (those of a purchase not booked yet wait for it). Returns that name no purchase go onto a list of rejects and have no effect; merchant and category on them are not looked at.",
	Class:    "other",
	Leak:     "Buy groceries for GBP 500.00 (1,000 points the next morning), redeem GBP 10.00, and bring everything back without the receipt, so that the refund names no purchase: nothing is taken. GBP 10.00 ahead.",
	Currency: "GBP",
	New:      vendorNewNight,
}
