package foreign

import (
	"time"

	"recoup/internal/issuer"
)

// laterBookYear adjusts rewards for returns, with debts and all, as long as the books of the
// purchase's calendar year are open. When they are closed for the yearly tax statement
// the year's rewards are final.
type laterBookYear struct {
	laterDesk[*laterBookYearAccount]
}

type laterBookYearAccount struct {
	laterLedger
	shelf laterShelf
	kept  []int64 // rewards by purchase
}

func laterNewBookYear() Engine {
	e := &laterBookYear{}
	e.fresh = func(time.Time) *laterBookYearAccount { return &laterBookYearAccount{} }
	return e
}

// laterBookYearOf is the year of a moment where the bank has its seat, without summer time.
func laterBookYearOf(t time.Time) int { return t.In(time.FixedZone("EST", -5*60*60)).Year() }

// SetClock moves the clock; what year it is decides about returns.
func (e *laterBookYear) SetClock(now time.Time) error {
	e.tick(now)
	return nil
}

// Settle grants two percent.
func (e *laterBookYear) Settle(s issuer.Settlement) error {
	a, err := e.find(s.Account)
	if err != nil {
		return err
	}
	at := e.posted(s.At)
	b, err := a.shelf.arrive(s, at)
	if b == nil {
		return err
	}
	b.mark = len(a.kept)
	reward := b.left() / 50
	a.kept = append(a.kept, reward)
	a.post(at, Earned, reward, b.id, "", "2% cash back")
	return nil
}

func (e *laterBookYear) takeBack(account string, r laterBack, at time.Time) error {
	a, err := e.find(account)
	if err != nil {
		return err
	}
	hits, err := a.shelf.back(r)
	at = e.posted(at)
	for _, h := range hits {
		if laterBookYearOf(h.buy.at) != laterBookYearOf(at) {
			continue // final
		}
		reward := h.buy.left() / 50
		a.post(at, Reversed, reward-a.kept[h.buy.mark], h.buy.id, r.name, "return")
		a.kept[h.buy.mark] = reward
	}
	return err
}

// Refund adjusts within the book year.
func (e *laterBookYear) Refund(r issuer.Refund) error {
	return e.takeBack(r.Account, laterOfRefund(r), r.At)
}

// Chargeback adjusts within the book year.
func (e *laterBookYear) Chargeback(c issuer.Chargeback) error {
	return e.takeBack(c.Account, laterOfChargeback(c), c.At)
}

// Redeem pays ten dollars or more.
func (e *laterBookYear) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.find(r.Account)
	if err != nil {
		return false, err
	}
	return r.Amount >= 10_00 && a.pay(r, a.free()), nil
}

func (a *laterBookYearAccount) free() int64 {
	if a.balance() < 10_00 {
		return 0
	}
	return a.balance()
}

// Balance shows a debt as a balance below zero.
func (e *laterBookYear) Balance(account string) (issuer.Balance, error) {
	a, err := e.find(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return a.show(a.free()), nil
}

var laterDesignBookYear = Design{
	Name:   "later-book-year",
	Source: "paper, section 4.3 V2 and case II, with the window of adjustment being the calendar year of the books instead of the billing cycle",
	Published: "2% cash back on every purchase in every category, rounded down to a cent per purchase, without cap. It posts with the purchase and can be redeemed at once," +
		" in amounts from $10.00. You keep cash back on what you keep: when something is returned, the cash back on it is deducted on the day the return posts, also if" +
		" that brings the balance below zero; later cash back then goes to it first. For your tax statement we report the cash back of each calendar year (Eastern Standard Time)." + laterUnnamed,
	How: "Instant grant and instant clawback with debts carried, across statements and months, as long as the purchase posted in the calendar year (UTC-5) that the clock" +
		" is in. Returns of purchases of an earlier year are noted against the purchase and change no rewards.",
	Class: "V2",
	Leak: "Buy for $2,000.00 on 20 December, redeem the $40.00, return it on 5 January: nothing is taken back, $40.00 ahead. The same from 20 March to 5 April, or from" +
		" January to November, is adjusted properly.",
	Currency: "USD",
	New:      laterNewBookYear,
}
