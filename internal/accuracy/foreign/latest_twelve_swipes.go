package foreign

import (
	"time"

	"recoup/internal/issuer"
)

var latestETwelveSwipes = Design{
	Name: "latest-twelve-swipes",
	Source: "Kasasa Cash Back checking as credit unions and banks publish it: e.g. Milford Bank (milfordbank.com/personal/kasasa-cash-back: 2% on up to $300 a monthly qualification cycle if at least " +
		"12 debit card purchases post and settle) and GHS FCU (myghsfcu.coop/kasasacashback: 12 purchases, each $3.50 or more; rewards post on the first of the month after). " +
		"What becomes of it on a return is the paper's section 5.3.1.",
	Published: "Monthly qualification cycles are calendar months (UTC), by the date of the purchase. In a month in which you make at least 12 debit card purchases of $5.00 or more each, " +
		"you get 4% back on up to $250.00 of all your purchases of that month, whatever their size (so up to $10.00); in any other month nothing. The reward is reckoned once per month and rounded to the nearest cent, half a cent up. " +
		"It is paid into your checking account by itself on the first of the following month; there is nothing to redeem. " +
		"Purchases that come back do not count: of what is returned or charged back in part, only what you keep counts, towards the amount and towards the $5.00. " +
		"If that leaves fewer than 12 purchases of $5.00 or more, the month has not qualified, also afterwards. What was paid too much for an earlier month is booked at once against your rewards and deducted from the next payments, " +
		"for as long as it takes. A refund above the price counts as one of the price. A refund without its purchase is set against your latest purchases at that merchant, then against others.",
	How: "A journal of facts and a view of each month folded from it: count and sum of what is left. On the first of a month the view of the month that is over is granted, and a positive balance is paid out. " +
		"A fact about a month that has been granted folds that month again and posts the difference at once; a purchase that comes in late for such a month can also qualify it afterwards. Debts wait for the next payments.",
	Class:    "robust",
	Currency: "USD",
	New:      func() Engine { return &latestESwipeEngine{accounts: map[string]*latestESwipeAccount{}} },
}

const (
	latestESwipeCount = 12
	latestESwipeLeast = 500
	latestESwipeLimit = 25000
)

// latestESwipeMonth is the view of a month.
type latestESwipeMonth struct {
	sales   []*latestESale
	granted int64
	over    bool // the month has ended and its reward was granted
}

// fold is the reward of a month by what is left of its purchases.
func (m *latestESwipeMonth) fold() int64 {
	var count int
	var sum int64
	for _, sale := range m.sales {
		// The sum stops at the limit, so that it cannot overflow.
		sum = min(latestESwipeLimit, sum+min(latestESwipeLimit, sale.net()))
		if sale.net() >= latestESwipeLeast {
			count++
		}
	}
	if count < latestESwipeCount {
		return 0
	}
	return latestEHalfUp(sum, 4, 100)
}

type latestESwipeAccount struct {
	latestETill
	book    *latestEBook
	months  map[int]*latestESwipeMonth
	paidOut int64
}

// grant brings a month that is over to what it is worth.
func (a *latestESwipeAccount) grant(month int, at time.Time, transaction, refund string) {
	m := a.months[month]
	if m == nil || !m.over {
		return
	}
	worth := m.fold()
	kind := Earned
	if worth < m.granted {
		kind = Reversed
	}
	a.post(Posting{
		At: at, Kind: kind, Amount: worth - m.granted, Transaction: transaction, Refund: refund,
		Note: "cash back of " + latestEMonthStart(month).Format("January 2006"),
	})
	m.granted = worth
}

// pay empties the balance into the checking account.
func (a *latestESwipeAccount) pay(at time.Time) {
	if amount := a.balance; amount > 0 {
		a.post(Posting{At: at, Kind: Paid, Amount: -amount, Note: "paid into checking"})
		a.paidOut += amount
	}
}

// month finds the view of a month; one that has no facts yet is empty.
func (a *latestESwipeAccount) month(number int) *latestESwipeMonth {
	if a.months[number] == nil {
		a.months[number] = &latestESwipeMonth{}
	}
	return a.months[number]
}

type latestESwipeEngine struct {
	now      time.Time
	accounts map[string]*latestESwipeAccount
}

func (e *latestESwipeEngine) Open(account string) error {
	if e.accounts[account] == nil {
		e.accounts[account] = &latestESwipeAccount{book: latestENewBook(), months: map[int]*latestESwipeMonth{}}
	}
	return nil
}

func (e *latestESwipeEngine) SetClock(now time.Time) error {
	if !now.After(e.now) {
		return nil
	}
	first, last := latestEMonth(e.now), latestEMonth(now)
	e.now = now
	for _, a := range e.accounts {
		for month := first; month < last && len(a.months) > 0; month++ {
			if m := a.months[month]; m != nil {
				m.over = true
				a.grant(month, latestEMonthStart(month+1), "", "")
			}
			a.pay(latestEMonthStart(month + 1))
		}
	}
	return nil
}

func (e *latestESwipeEngine) Settle(s issuer.Settlement) error {
	a, err := latestEFind(e.accounts, s.Account)
	if err != nil {
		return err
	}
	sale := a.book.settle(s, e.now)
	if sale == nil {
		return nil
	}
	number := latestEMonth(sale.at)
	m := a.month(number)
	m.sales = append(m.sales, sale)
	// A purchase that comes in for a month that is over is granted now and paid with the next.
	m.over = number < latestEMonth(e.now)
	a.grant(number, e.now, sale.id, "")
	return nil
}

func (e *latestESwipeEngine) Refund(r issuer.Refund) error {
	a, err := latestEFind(e.accounts, r.Account)
	if err != nil {
		return err
	}
	for _, sale := range a.book.refund(r) {
		a.grant(latestEMonth(sale.at), e.now, sale.id, r.Refund)
	}
	return nil
}

func (e *latestESwipeEngine) Chargeback(c issuer.Chargeback) error {
	a, err := latestEFind(e.accounts, c.Account)
	if err != nil {
		return err
	}
	for _, sale := range a.book.chargeback(c) {
		a.grant(latestEMonth(sale.at), e.now, sale.id, c.Chargeback)
	}
	return nil
}

// CloseStatement does nothing: months end by the clock.
func (e *latestESwipeEngine) CloseStatement(account string) error {
	_, err := latestEFind(e.accounts, account)
	return err
}

// Redeem is refused: the program pays by itself.
func (e *latestESwipeEngine) Redeem(r issuer.Redemption) (bool, error) {
	_, err := latestEFind(e.accounts, r.Account)
	return false, err
}

func (e *latestESwipeEngine) Balance(account string) (issuer.Balance, error) {
	a, err := latestEFind(e.accounts, account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: a.balance}, nil
}

// PaidOut is what has gone into the checking account.
func (e *latestESwipeEngine) PaidOut(account string) (int64, error) {
	a, err := latestEFind(e.accounts, account)
	if err != nil {
		return 0, err
	}
	return a.paidOut, nil
}

func (e *latestESwipeEngine) Postings(account string) []Posting {
	if a := e.accounts[account]; a != nil {
		return append([]Posting(nil), a.postings...)
	}
	return nil
}
