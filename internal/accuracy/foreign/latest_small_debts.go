package foreign

import (
	"time"

	"recoup/internal/issuer"
)

var latestESmallDebts = Design{
	Name: "latest-small-debts",
	Source: "Section 4.3, V3(a), in the guise of an accounting rule: small receivables are written off by themselves once they have an age, as receivables software offers " +
		"(Oracle PeopleSoft Receivables, \"Write-Off Tolerances\": a maximum amount and a minimum of days open; S. Bragg, Accounting Best Practices, 7-11 \"Write Off Small Balances with No Approval\").",
	Published: "3% back at restaurants, bars and fast food (merchant category codes 5812, 5813, 5814), 1.5% on all other purchases; each purchase's reward in whole cents, a half cent going to the even cent. " +
		"No limit. Rewards are credited when a purchase posts and can be redeemed at once, in any amount. When a purchase is returned or charged back, all or in part, its reward becomes what it would have been for the amount that you keep, " +
		"and the rest is taken back at once. Your balance may become negative; what you earn later makes that up first. " +
		"A refund above the price counts as one of the price. A refund without its purchase is set against your latest purchases at that merchant, then against others. Rewards do not expire.",
	How: "Double entry: what the program owes is a payable, what the cardholder owes a receivable; a reward settles the receivable before it adds to the payable, and what is taken back does the reverse. " +
		"At every end of a calendar month (UTC) a receivable of at most $10.00 that has been open for 60 days or more is written off, since collecting it costs more. A larger one stays for ever, and one that is reduced to $10.00 later goes too.",
	Class: "V3(a)",
	Leak: "Buy for $600.00 (reward $9.00), redeem the $9.00 and return everything: a debt of $9.00. Leave the card alone: at the first month's end 60 days on, the debt is gone, net spend is zero and $9.00 are kept. " +
		"With a debt of $12.00 this does not happen, and with one of $9.00 not to a customer who earns it back before; it can be repeated each quarter.",
	Currency: "USD",
	New:      func() Engine { return &latestEDebtEngine{accounts: map[string]*latestEDebtAccount{}} },
}

const (
	latestEDebtMost = 1000
	latestEDebtAge  = 60 * 24 * time.Hour
)

// latestEDebtLine moves an amount from one account of the program's books to another.
type latestEDebtLine struct {
	from, to string
	amount   int64
}

type latestEDebtAccount struct {
	latestETill
	book    *latestEBook
	rewards map[*latestESale]int64
	journal []latestEDebtLine
	books   map[string]int64
	since   time.Time // when the receivable was opened
}

// move enters a line; amounts of zero are none.
func (a *latestEDebtAccount) move(from, to string, amount int64) {
	if amount > 0 {
		a.journal = append(a.journal, latestEDebtLine{from, to, amount})
		a.books[from] -= amount
		a.books[to] += amount
	}
}

// credit gives the cardholder an amount, which settles what is owed first.
func (a *latestEDebtAccount) credit(source string, amount int64) {
	owed := min(amount, a.books["receivable"])
	a.move("receivable", source, owed)
	a.move(source, "payable", amount-owed)
}

// debit takes an amount, of what is payable first.
func (a *latestEDebtAccount) debit(amount int64, at time.Time) {
	had := min(amount, max(0, a.books["payable"]))
	a.move("payable", "expense", had)
	if amount > had && a.books["receivable"] == 0 {
		a.since = at
	}
	a.move("expense", "receivable", amount-had)
}

// bring gives a purchase the reward of what is left of it.
func (a *latestEDebtAccount) bring(sale *latestESale, at time.Time, refund string) {
	rate := int64(15)
	switch sale.mcc {
	case "5812", "5813", "5814":
		rate = 30
	}
	reward := latestEHalfEven(sale.net(), rate, 1000)
	change := reward - a.rewards[sale]
	a.rewards[sale] = reward
	p := Posting{At: at, Kind: Earned, Amount: change, Transaction: sale.id, Refund: refund, Note: "reward of a purchase"}
	if change < 0 {
		p.Kind, p.Note = Reversed, "reward of what came back"
		a.debit(-change, at)
	} else {
		a.credit("expense", change)
	}
	a.post(p)
}

// monthEnd writes a small debt of some age off.
func (a *latestEDebtAccount) monthEnd(at time.Time) {
	owed := a.books["receivable"]
	if owed == 0 || owed > latestEDebtMost || at.Sub(a.since) < latestEDebtAge {
		return
	}
	a.credit("write-offs", owed)
	a.post(Posting{At: at, Kind: Adjusted, Amount: owed, Note: "balance adjustment"})
}

type latestEDebtEngine struct {
	now      time.Time
	accounts map[string]*latestEDebtAccount
}

func (e *latestEDebtEngine) Open(account string) error {
	if e.accounts[account] == nil {
		e.accounts[account] = &latestEDebtAccount{
			book: latestENewBook(), rewards: map[*latestESale]int64{}, books: map[string]int64{},
		}
	}
	return nil
}

func (e *latestEDebtEngine) SetClock(now time.Time) error {
	if !now.After(e.now) {
		return nil
	}
	first, last := latestEMonth(e.now), latestEMonth(now)
	e.now = now
	for _, a := range e.accounts {
		// Only a debt makes a month's end do anything.
		for month := first + 1; month <= last && a.books["receivable"] > 0; month++ {
			a.monthEnd(latestEMonthStart(month))
		}
	}
	return nil
}

func (e *latestEDebtEngine) Settle(s issuer.Settlement) error {
	a, err := latestEFind(e.accounts, s.Account)
	if err != nil {
		return err
	}
	if sale := a.book.settle(s, e.now); sale != nil {
		a.bring(sale, e.now, "")
	}
	return nil
}

func (e *latestEDebtEngine) Refund(r issuer.Refund) error {
	a, err := latestEFind(e.accounts, r.Account)
	if err != nil {
		return err
	}
	for _, sale := range a.book.refund(r) {
		a.bring(sale, e.now, r.Refund)
	}
	return nil
}

func (e *latestEDebtEngine) Chargeback(c issuer.Chargeback) error {
	a, err := latestEFind(e.accounts, c.Account)
	if err != nil {
		return err
	}
	for _, sale := range a.book.chargeback(c) {
		a.bring(sale, e.now, c.Chargeback)
	}
	return nil
}

// CloseStatement does nothing: months end by the clock.
func (e *latestEDebtEngine) CloseStatement(account string) error {
	_, err := latestEFind(e.accounts, account)
	return err
}

func (e *latestEDebtEngine) Redeem(r issuer.Redemption) (bool, error) {
	a, err := latestEFind(e.accounts, r.Account)
	if err != nil {
		return false, err
	}
	before := a.balance
	paid := a.redeem(r, max(0, a.balance))
	a.move("payable", "cash", before-a.balance)
	return paid, nil
}

// Balance is read off the books.
func (e *latestEDebtEngine) Balance(account string) (issuer.Balance, error) {
	a, err := latestEFind(e.accounts, account)
	if err != nil {
		return issuer.Balance{}, err
	}
	balance := a.books["payable"] - a.books["receivable"]
	return issuer.Balance{Balance: balance, Redeemable: max(0, balance)}, nil
}

func (e *latestEDebtEngine) Postings(account string) []Posting {
	if a := e.accounts[account]; a != nil {
		return append([]Posting(nil), a.postings...)
	}
	return nil
}
