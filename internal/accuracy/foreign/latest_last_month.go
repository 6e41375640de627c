package foreign

import (
	"time"

	"recoup/internal/issuer"
)

var latestELastMonth = Design{
	Name: "latest-last-month",
	Source: "Korean credit cards, whose monthly limit of discounts goes by the spend of the previous calendar month: tax and dues are left out of it, and a new card has the first step without it. " +
		"That a cancellation is deducted from the spend of the month in which it is received, and not from that of the purchase, is told with an example at bwtimes.net (tag \"spend reckoning\": 500,000 won bought in January, " +
		"300,000 of it cancelled in February, January's spend stays 500,000).",
	Published: "In won; months are calendar months (UTC), by the date of the purchase. 10% off at restaurants and cafes (merchant category codes 5812, 5814) and 5% off at transport and fuel (4111, 4121, 5541, 5542), " +
		"each purchase rounded down to the won; nothing on other purchases. The discounts of a month are limited together by your spend of the previous month: below 300,000 won no discount; from 300,000 won up to 10,000 won; " +
		"from 700,000 won up to 20,000 won; from 1,200,000 won up to 40,000 won. In the month in which you open the account and in the next one you have at least the limit of 10,000 won without regard to spend. " +
		"Spend is all your purchases at any merchant except taxes and dues (9311, 9222). Returned and charged back purchases are no spend and get no discount. " +
		"The discounts of a month are taken off your bill by themselves on the first of the following month; there is nothing to redeem. If a purchase that has had its discount is returned or charged back, " +
		"all or in part, the discount of what came back is booked against you at once and taken off later discounts, however long that takes. " +
		"A refund above the price counts as one of the price. A refund without its purchase is set against your latest purchases at that merchant, then against others.",
	How: "The discounts of a month are reckoned anew from what is left of its purchases whenever one of them shrinks. The limit comes from a meter of spend per month: a purchase adds to the meter of its month, " +
		"a return is deducted from the meter of the month in which it is received (which counts as zero when it falls below and takes nothing into another month). The meter of the month of the purchase stays as it was, " +
		"and with it the limit that it has opened for the month after.",
	Class: "other",
	Leak: "A purchase on the last day of a month that is returned on the first of the next opens the highest limit for that next month. With no other spend in March, buy furniture for 1,200,000 won on 31 March and return it on 1 April; " +
		"restaurants for 400,000 won in April are then discounted by 40,000 won, paid on 1 May, where without the furniture there is no discount at all: 40,000 won ahead.",
	Currency: "KRW",
	New:      func() Engine { return &latestELastEngine{accounts: map[string]*latestELastAccount{}} },
}

// latestELastSteps are the limits by the spend of the month before, the highest first.
var latestELastSteps = []struct{ spend, limit int64 }{
	{1200000, 40000}, {700000, 20000}, {300000, 10000},
}

const latestELastWelcome = 10000

type latestELastAccount struct {
	latestETill
	opened  int // month; below zero while no clock was ever set
	book    *latestEBook
	meter   map[int]int64
	granted map[int]int64
	seen    map[int]bool // months with purchases
	paidOut int64
}

// limit is how much discount a month can have.
func (a *latestELastAccount) limit(month int) int64 {
	for _, step := range latestELastSteps {
		if a.meter[month-1] >= step.spend {
			return step.limit
		}
	}
	if a.opened >= 0 && (month == a.opened || month == a.opened+1) {
		return latestELastWelcome
	}
	return 0
}

// discount is what a month is worth by what is left of its purchases.
func (a *latestELastAccount) discount(month int) int64 {
	limit := a.limit(month)
	var sum int64
	for _, sale := range a.book.order {
		if latestEMonth(sale.at) != month {
			continue
		}
		var percent int64
		switch sale.mcc {
		case "5812", "5814":
			percent = 10
		case "4111", "4121", "5541", "5542":
			percent = 5
		}
		sum = min(limit, sum+latestEDown(sale.net(), percent, 100))
	}
	return sum
}

// grant books the discount of a month that is over, or what has changed in it since.
func (a *latestELastAccount) grant(month int, at time.Time, transaction, refund string) {
	p := Posting{At: at, Kind: Earned, Amount: a.discount(month) - a.granted[month], Transaction: transaction, Refund: refund}
	p.Note = "discount of " + latestEMonthStart(month).Format("2006-01")
	if p.Amount < 0 {
		p.Kind = Reversed
	}
	a.granted[month] += p.Amount
	a.post(p)
}

func (a *latestELastAccount) pay(at time.Time) {
	if amount := a.balance; amount > 0 {
		a.post(Posting{At: at, Kind: Paid, Amount: -amount, Note: "off the bill"})
		a.paidOut += amount
	}
}

// counts says whether a purchase is spend.
func (a *latestELastAccount) counts(sale *latestESale) bool {
	return sale.mcc != "9311" && sale.mcc != "9222"
}

type latestELastEngine struct {
	now      time.Time
	accounts map[string]*latestELastAccount
}

func (e *latestELastEngine) Open(account string) error {
	if e.accounts[account] != nil {
		return nil
	}
	a := &latestELastAccount{
		opened: -1, book: latestENewBook(),
		meter: map[int]int64{}, granted: map[int]int64{}, seen: map[int]bool{},
	}
	if !e.now.IsZero() {
		a.opened = latestEMonth(e.now)
	}
	e.accounts[account] = a
	return nil
}

func (e *latestELastEngine) SetClock(now time.Time) error {
	if !now.After(e.now) {
		return nil
	}
	first, last := latestEMonth(e.now), latestEMonth(now)
	e.now = now
	for _, a := range e.accounts {
		if a.opened < 0 {
			a.opened = last
		}
		for month := first; month < last && len(a.seen) > 0; month++ {
			if a.seen[month] {
				a.grant(month, latestEMonthStart(month+1), "", "")
			}
			a.pay(latestEMonthStart(month + 1))
		}
	}
	return nil
}

// regrant looks at a month again if it is over.
func (e *latestELastEngine) regrant(a *latestELastAccount, month int, transaction, refund string) {
	if month < latestEMonth(e.now) && a.seen[month] {
		a.grant(month, e.now, transaction, refund)
	}
}

func (e *latestELastEngine) Settle(s issuer.Settlement) error {
	a, err := latestEFind(e.accounts, s.Account)
	if err != nil {
		return err
	}
	sale := a.book.settle(s, e.now)
	if sale == nil {
		return nil
	}
	month := latestEMonth(sale.at)
	a.seen[month] = true
	if a.counts(sale) {
		a.meter[month] += sale.net()
	}
	// One that came in late belongs to its month and may lift the limit of the next.
	e.regrant(a, month, sale.id, "")
	e.regrant(a, month+1, sale.id, "")
	return nil
}

// takeBack applies what came back, purchase by purchase.
func (e *latestELastEngine) takeBack(a *latestELastAccount, refund string, before map[string]int64, touched []*latestESale) {
	for _, sale := range touched {
		if a.counts(sale) {
			a.meter[latestEMonth(e.now)] -= before[sale.id] - sale.net()
		}
		e.regrant(a, latestEMonth(sale.at), sale.id, refund)
	}
}

// kept is what is left of each purchase.
func (a *latestELastAccount) kept() map[string]int64 {
	kept := make(map[string]int64, len(a.book.order))
	for _, sale := range a.book.order {
		kept[sale.id] = sale.net()
	}
	return kept
}

func (e *latestELastEngine) Refund(r issuer.Refund) error {
	a, err := latestEFind(e.accounts, r.Account)
	if err != nil {
		return err
	}
	before := a.kept()
	e.takeBack(a, r.Refund, before, a.book.refund(r))
	return nil
}

func (e *latestELastEngine) Chargeback(c issuer.Chargeback) error {
	a, err := latestEFind(e.accounts, c.Account)
	if err != nil {
		return err
	}
	before := a.kept()
	e.takeBack(a, c.Chargeback, before, a.book.chargeback(c))
	return nil
}

// CloseStatement does nothing: months end by the clock.
func (e *latestELastEngine) CloseStatement(account string) error {
	_, err := latestEFind(e.accounts, account)
	return err
}

// Redeem is refused: discounts come off the bill by themselves.
func (e *latestELastEngine) Redeem(r issuer.Redemption) (bool, error) {
	_, err := latestEFind(e.accounts, r.Account)
	return false, err
}

func (e *latestELastEngine) Balance(account string) (issuer.Balance, error) {
	a, err := latestEFind(e.accounts, account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: a.balance}, nil
}

// PaidOut is what has come off the bills.
func (e *latestELastEngine) PaidOut(account string) (int64, error) {
	a, err := latestEFind(e.accounts, account)
	if err != nil {
		return 0, err
	}
	return a.paidOut, nil
}

func (e *latestELastEngine) Postings(account string) []Posting {
	if a := e.accounts[account]; a != nil {
		return append([]Posting(nil), a.postings...)
	}
	return nil
}
