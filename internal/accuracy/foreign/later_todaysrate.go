package foreign

import (
	"time"

	"recoup/internal/issuer"
)

// laterTodaysRate pays five percent on a category that changes with the quarter. A return is
// debited by the table of rates that is in force when it posts, not by that of its purchase.
type laterTodaysRate struct {
	laterDesk[*laterTodaysRateAccount]
}

type laterTodaysRateAccount struct {
	laterLedger
	shelf laterShelf
	items []laterTodaysRateItem
}

type laterTodaysRateItem struct {
	rate  int64 // percent
	value int64 // hundredths of a cent that the purchase still holds
}

func laterNewTodaysRate() Engine {
	e := &laterTodaysRate{}
	e.fresh = func(time.Time) *laterTodaysRateAccount { return &laterTodaysRateAccount{} }
	return e
}

// laterQuarterRate is the table of rates at a moment.
func laterQuarterRate(kind string, at time.Time) int64 {
	quarter := (int(at.UTC().Month()) - 1) / 3
	if kind == [4]string{"GROCERY", "FUEL", "DINING", "ONLINE"}[quarter] {
		return 5
	}
	return 1
}

// SetClock moves the clock, and with it the table.
func (e *laterTodaysRate) SetClock(now time.Time) error {
	e.tick(now)
	return nil
}

// Settle grants by the table of the day.
func (e *laterTodaysRate) Settle(s issuer.Settlement) error {
	a, err := e.find(s.Account)
	if err != nil {
		return err
	}
	at := e.posted(s.At)
	b, err := a.shelf.arrive(s, at)
	if b == nil {
		return err
	}
	b.mark = len(a.items)
	i := laterTodaysRateItem{rate: laterQuarterRate(laterKind(b.category, b.mcc), at)}
	i.value = i.rate * b.left()
	a.items = append(a.items, i)
	a.post(at, Earned, i.value/100, b.id, "", "cash back")
	return nil
}

func (e *laterTodaysRate) takeBack(account string, r laterBack, at time.Time) error {
	a, err := e.find(account)
	if err != nil {
		return err
	}
	hits, err := a.shelf.back(r)
	at = e.posted(at)
	for _, h := range hits {
		i := &a.items[h.buy.mark]
		rate := min(i.rate, laterQuarterRate(laterKind(h.buy.category, h.buy.mcc), at))
		before := i.value / 100
		i.value -= rate * h.amount
		a.post(at, Reversed, i.value/100-before, h.buy.id, r.name, "return")
	}
	return err
}

// Refund debits by the table of the day.
func (e *laterTodaysRate) Refund(r issuer.Refund) error {
	return e.takeBack(r.Account, laterOfRefund(r), r.At)
}

// Chargeback debits by the table of the day.
func (e *laterTodaysRate) Chargeback(c issuer.Chargeback) error {
	return e.takeBack(c.Account, laterOfChargeback(c), c.At)
}

// Redeem pays any amount that the balance covers.
func (e *laterTodaysRate) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.find(r.Account)
	if err != nil {
		return false, err
	}
	return a.pay(r, max(0, a.balance())), nil
}

// Balance shows a debt as a balance below zero.
func (e *laterTodaysRate) Balance(account string) (issuer.Balance, error) {
	a, err := e.find(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return a.show(max(0, a.balance())), nil
}

var laterDesignTodaysRate = Design{
	Name: "later-todays-rate",
	Source: "public: rotating quarterly categories as with several US cards; the debit by the program in effect at the time of the return after National Bank of Canada," +
		" nbc.ca/personal/help-centre/credit-card/cashback-rewards/how-my-cashback-is-affected-if-i-get-a-refund.html",
	Published: "5% cash back in the category of the quarter - GROCERY in January to March, FUEL in April to June, DINING in July to September, ONLINE in October to December (UTC," +
		" by the day on which the purchase posts) - and 1% on everything else, of each purchase, rounded down to a cent per purchase. No cap. Posted with the purchase, redeemable at once, any" +
		" amount from one cent. The cash back earned on what you return is deducted when the return posts; if need be the balance falls below zero and later cash back goes to it first." + laterUnnamed,
	How: "Instant grant and instant clawback with debts carried. The clawback is the returned amount times the rate of the purchase's category in the quarter in which the return posts," +
		" but no more than the rate of the purchase; hundredths of a cent are kept, so that parts add up.",
	Class: "other",
	Leak: "Buy groceries for $1,000.00 on 25 March ($50.00), return them on 2 April: $10.00 are deducted, $40.00 ahead. Within the quarter, and in categories that never" +
		" rotate, returns are deducted in full.",
	Currency: "CAD",
	New:      laterNewTodaysRate,
}
