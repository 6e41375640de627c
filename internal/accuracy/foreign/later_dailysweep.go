package foreign

import (
	"time"

	"recoup/internal/issuer"
)

// laterDailySweep pays rewards out by itself every midnight, while returns wait for the
// month's close and only then become debits. Debts are kept, but the money is gone, and
// sweeps in between do not know of the returns that wait.
type laterDailySweep struct {
	laterDesk[*laterDailySweepAccount]
}

type laterDailySweepAccount struct {
	laterLedger
	shelf   laterShelf
	worth   []int64 // by purchase, returns that wait taken into account
	waiting []laterDailySweepDebit
	paid    int64
}

type laterDailySweepDebit struct {
	purchase, refund string
	amount           int64
}

func laterNewDailySweep() Engine {
	e := &laterDailySweep{}
	e.fresh = func(time.Time) *laterDailySweepAccount { return &laterDailySweepAccount{} }
	return e
}

func laterDailySweepWorth(b *laterBuy) int64 {
	if b.mcc == "4511" || b.mcc == "5541" || b.mcc == "5542" {
		return b.left() * 3 / 100
	}
	return b.left() * 2 / 100
}

// SetClock sweeps at the first midnight that has passed - there is nothing to sweep at those
// after it - and then closes the month, if it is over.
func (e *laterDailySweep) SetClock(now time.Time) error {
	before, moved := e.tick(now)
	if !moved || before.IsZero() {
		return nil
	}
	d := before.UTC()
	midnight := time.Date(d.Year(), d.Month(), d.Day()+1, 0, 0, 0, 0, time.UTC)
	if midnight.After(now) {
		return nil
	}
	closes := laterTurns(before, now, 1)
	for _, a := range e.order {
		if b := a.balance(); b > 0 {
			a.post(midnight, Paid, -b, "", "", "paid to your cash account")
			a.paid += b
		}
		if len(closes) == 0 {
			continue
		}
		for _, w := range a.waiting {
			a.post(closes[0], Reversed, -w.amount, w.purchase, w.refund, "monthly adjustment for a return")
		}
		a.waiting = nil
	}
	return nil
}

// Settle grants at once.
func (e *laterDailySweep) Settle(s issuer.Settlement) error {
	a, err := e.find(s.Account)
	if err != nil {
		return err
	}
	at := e.posted(s.At)
	b, err := a.shelf.arrive(s, at)
	if b == nil {
		return err
	}
	b.mark = len(a.worth)
	reward := laterDailySweepWorth(b)
	a.worth = append(a.worth, reward)
	a.post(at, Earned, reward, b.id, "", "daily cash")
	return nil
}

func (e *laterDailySweep) takeBack(account string, r laterBack) error {
	a, err := e.find(account)
	if err != nil {
		return err
	}
	hits, err := a.shelf.back(r)
	for _, h := range hits {
		reward := laterDailySweepWorth(h.buy)
		if d := a.worth[h.buy.mark] - reward; d > 0 {
			a.waiting = append(a.waiting, laterDailySweepDebit{h.buy.id, r.name, d})
			a.worth[h.buy.mark] = reward
		}
	}
	return err
}

// Refund waits for the month's close.
func (e *laterDailySweep) Refund(r issuer.Refund) error {
	return e.takeBack(r.Account, laterOfRefund(r))
}

// Chargeback waits for the month's close.
func (e *laterDailySweep) Chargeback(c issuer.Chargeback) error {
	return e.takeBack(c.Account, laterOfChargeback(c))
}

// Redeem pays before midnight what has not been swept.
func (e *laterDailySweep) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.find(r.Account)
	if err != nil {
		return false, err
	}
	return a.pay(r, max(0, a.balance())), nil
}

// Balance does not know of returns that wait.
func (e *laterDailySweep) Balance(account string) (issuer.Balance, error) {
	a, err := e.find(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return a.show(max(0, a.balance())), nil
}

// PaidOut is the sum of all sweeps.
func (e *laterDailySweep) PaidOut(account string) (int64, error) {
	a, err := e.find(account)
	if err != nil {
		return 0, err
	}
	return a.paid, nil
}

var laterDesignDailySweep = Design{
	Name: "later-daily-sweep",
	Source: "paper, section 4.3 V3(b) and case III-B, put on a program with daily payout after the public Apple Card rules (3%, 2%, paid as soon as a purchase settles," +
		" charged back on a return): appleinsider.com/articles/19/08/11/apple-reveals-details-of-how-apple-cards-daily-cash-works",
	Published: "3% daily cash on purchases with merchant code 4511 (airlines), 5541 or 5542 (fuel), 2% on all others, of each purchase, rounded down to a cent. No cap." +
		" Daily cash posts with the purchase; you can take it out at once, any amount from one cent, and whatever is above zero at midnight UTC is paid to your cash account by itself." +
		" The daily cash on a purchase, or a part of one, that you return is charged back at the end of the calendar month (UTC) in which the return posts. A balance below" +
		" zero is carried on and later daily cash goes to it first." + laterUnnamed,
	How: "Instant grant, payout at the next midnight (Payer; Redeem works until then), returns collected and debited by SetClock at 00:00 UTC on the first, after that midnight's payout." +
		" Debits are right and debts are kept for good, but nothing is held while a return waits.",
	Class: "V3(b)",
	Leak: "Buy a ticket for $1,000.00 on the 2nd: $30.00 are paid out at midnight. Return it on the 3rd. Buy another on the 4th and keep it: another $30.00 are paid out, though" +
		" no more than $30.00 in all are earned. On the 1st the balance falls to -$30.00, which stays unpaid if the card is not used any more: $30.00 ahead.",
	Currency: "USD",
	New:      laterNewDailySweep,
}
