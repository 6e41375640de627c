package foreign

import (
	"fmt"
	"time"

	"recoup/internal/issuer"
)

// laterCapped rates whole calendar months. Every purchase and every return changes what a
// month's net purchases are; the month is then rated afresh and the difference to what was
// granted for it so far is posted. A return out of a month that was over its cap takes
// back less than the purchase's share, and may take nothing at the high rate.
type laterCapped struct {
	laterDesk[*laterCappedAccount]
}

type laterCappedAccount struct {
	laterLedger
	shelf  laterShelf
	months map[string]*laterCappedMonth
}

type laterCappedMonth struct {
	high, rest, granted int64
}

func laterNewCapped() Engine {
	e := &laterCapped{}
	e.fresh = func(time.Time) *laterCappedAccount {
		return &laterCappedAccount{months: map[string]*laterCappedMonth{}}
	}
	return e
}

func (m *laterCappedMonth) worth() int64 {
	const limit = 600_00
	return (5*min(m.high, limit) + max(m.high-limit, 0) + m.rest) / 100
}

// change adds to the net purchases of the month that a purchase is of.
func (a *laterCappedAccount) change(b *laterBuy, by int64, now time.Time, refund, note string) {
	key := b.at.UTC().Format("2006-01")
	m := a.months[key]
	if m == nil {
		m = &laterCappedMonth{}
		a.months[key] = m
	}
	if laterKind(b.category, b.mcc) == "GROCERY" {
		m.high += by
	} else {
		m.rest += by
	}
	d := m.worth() - m.granted
	m.granted += d
	if d > 0 {
		a.post(now, Earned, d, b.id, refund, note+", month "+key)
	} else {
		a.post(now, Reversed, d, b.id, refund, note+", month "+key)
	}
}

// SetClock moves the clock; nothing falls due in this program.
func (e *laterCapped) SetClock(now time.Time) error {
	e.tick(now)
	return nil
}

// Settle adds what is kept of a purchase to the month of the day it was made on.
func (e *laterCapped) Settle(s issuer.Settlement) error {
	a, err := e.find(s.Account)
	if err != nil {
		return err
	}
	day := s.At
	if day.IsZero() || !e.now.IsZero() && day.After(e.now) {
		day = e.now
	}
	b, err := a.shelf.arrive(s, day)
	if b != nil {
		a.change(b, b.left(), e.posted(s.At), "", "purchase")
	}
	return err
}

func (e *laterCapped) takeBack(account string, r laterBack, at time.Time) error {
	a, err := e.find(account)
	if err != nil {
		return err
	}
	hits, err := a.shelf.back(r)
	for _, h := range hits {
		a.change(h.buy, -h.amount, e.posted(at), r.name, "return")
	}
	return err
}

// Refund rates the month of the purchase again.
func (e *laterCapped) Refund(r issuer.Refund) error {
	return e.takeBack(r.Account, laterOfRefund(r), r.At)
}

// Chargeback is a return like any other.
func (e *laterCapped) Chargeback(c issuer.Chargeback) error {
	return e.takeBack(c.Account, laterOfChargeback(c), c.At)
}

// Withdraw takes a clearing back whole.
func (e *laterCapped) Withdraw(account, transaction string) error {
	a, err := e.find(account)
	if err != nil {
		return err
	}
	if a.shelf.buys[transaction] == nil {
		return fmt.Errorf("no such purchase: %q", transaction)
	}
	return e.takeBack(account, laterBack{key: "withdrawn " + transaction, name: transaction, to: transaction, whole: true}, time.Time{})
}

// ReverseRefund counts a bounced refund no longer.
func (e *laterCapped) ReverseRefund(account, refund string) error {
	return e.bounce(account, "refund "+refund, refund)
}

// ReverseChargeback counts a dispute no longer that was lost in the end.
func (e *laterCapped) ReverseChargeback(account, chargeback string) error {
	return e.bounce(account, "chargeback "+chargeback, chargeback)
}

func (e *laterCapped) bounce(account, key, name string) error {
	a, err := e.find(account)
	if err != nil {
		return err
	}
	r := a.shelf.backs[key]
	if r == nil {
		return fmt.Errorf("no such return: %q", name)
	}
	before := map[*laterBuy]int64{}
	for _, c := range r.claims {
		before[c.buy] = c.buy.left()
	}
	touched, _ := a.shelf.undo(key)
	for _, b := range touched {
		if d := b.left() - before[b]; d > 0 {
			before[b] = b.left()
			a.change(b, d, e.now, name, "return bounced")
		}
	}
	return nil
}

// Redeem pays any amount that the balance covers.
func (e *laterCapped) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.find(r.Account)
	if err != nil {
		return false, err
	}
	return a.pay(r, max(0, a.balance())), nil
}

// Balance shows a debt as a balance below zero.
func (e *laterCapped) Balance(account string) (issuer.Balance, error) {
	a, err := e.find(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return a.show(max(0, a.balance())), nil
}

var laterDesignCapped = Design{
	Name:   "later-capped-month",
	Source: "paper, section 3.2 (caps in the reward rate), 4.1 (net spend, f as rate and cap) and Algorithms 1 and 2, with the month re-rated where those take back by share",
	Published: "5% cash back on the first $600.00 of net purchases in category GROCERY in each calendar month (UTC, by the day of purchase)," +
		" 1% on GROCERY above that and on everything else, without limit. The month's cash back is worked out on the month's" +
		" net purchases, purchases less returns, and rounded down to a cent once for the whole month." +
		" Cash back is posted with each purchase and can be redeemed at once, any amount from one cent." +
		" A return is taken out of the month of its purchase whenever it posts, and the month is worked out again: what the month" +
		" then is worth less is taken back. If the balance does not cover that it falls below zero and later cash back goes to it first." + laterUnnamed,
	How: "Instant. Keeps two net totals a month and posts the change of the month's rating after every event. Nothing runs at statement close." +
		" Returns out of a month over the cap take 1% instead of 5% until the month is below the cap: not a leak, as the month's net purchases still earn that." +
		" Also undoes bounced refunds and lost disputes and takes back withdrawn clearings.",
	Class:    "robust",
	Currency: "USD",
	New:      laterNewCapped,
}
