package foreign

import (
	"fmt"
	"time"

	"recoup/internal/issuer"
)

var latestETopCategory = Design{
	Name: "latest-top-category",
	Source: "Citi Custom Cash Card, public terms: 5% cash back on purchases in the top eligible spend category each billing cycle, on up to $500 spent, " +
		"1% on all else (citi.com, card page and its \"Pricing & Information\"); posting of rewards and of their reversal with the statement as in the paper's section 5.3.1 (Issuers D and E).",
	Published: "Each billing cycle runs from the 25th of a month, 00:00 UTC, until the 25th of the next; a purchase belongs to the cycle of its date. " +
		"1% back on all purchases of a cycle, and 4% on top (so 5%) on up to $500.00 of them in your top category: the one of these in which you have spent most in that cycle, " +
		"by merchant category code: groceries (5411), restaurants (5812, 5814), fuel (5541, 5542), drugstores (5912), home improvement (5200, 5211), local transit (4111, 4121), fitness clubs (7997). " +
		"The two are added up for the cycle and rounded down to the cent once per cycle. Rewards are credited when the cycle closes and can be redeemed from then on in any amount. " +
		"Returned and charged back purchases do not count, in the cycle in which they were bought: returned before it closes, they never earn; later, that cycle is reckoned anew without them (also its top category) " +
		"and the difference is booked with your next close. Until then it is shown in the balance but cannot be redeemed. The balance may become negative and is then made up by later rewards. " +
		"A refund above the price counts as one of the price. A refund without its purchase is set against your latest purchases at that merchant, then against others.",
	How: "Nothing is kept per purchase but what is left of it. At every close, by the program's own clock, each cycle that is over is reckoned from scratch and the difference to what has been " +
		"posted for it is posted, one entry a cycle. Between closes the sum of the differences that will be taken is held off what can be redeemed.",
	Class:    "robust",
	Currency: "USD",
	New:      func() Engine { return &latestETopEngine{accounts: map[string]*latestETopAccount{}} },
}

// latestETopGroups are the eligible categories.
var latestETopGroups = map[string]string{
	"5411": "groceries", "5812": "restaurants", "5814": "restaurants", "5541": "fuel", "5542": "fuel",
	"5912": "drugstores", "5200": "home improvement", "5211": "home improvement",
	"4111": "transit", "4121": "transit", "7997": "fitness",
}

const (
	latestETopDay   = 25 // the day of the month on which a cycle closes
	latestETopLimit = 50000
)

// latestETopCycle names a cycle by the month in which it closes.
func latestETopCycle(t time.Time) int {
	month := latestEMonth(t)
	if t.UTC().Day() >= latestETopDay {
		month++
	}
	return month
}

func latestETopClose(cycle int) time.Time {
	return latestEMonthStart(cycle).AddDate(0, 0, latestETopDay-1)
}

type latestETopAccount struct {
	latestETill
	book   *latestEBook
	posted map[int]int64 // by cycle
	active []int         // cycles with purchases, in the order in which they were first seen
}

// reckon is what a cycle is worth by what is known now.
func (a *latestETopAccount) reckon(cycle int) int64 {
	var all, top int64
	groups := map[string]int64{}
	for _, sale := range a.book.order {
		if latestETopCycle(sale.at) != cycle {
			continue
		}
		all += sale.net()
		if group := latestETopGroups[sale.mcc]; group != "" {
			groups[group] += sale.net()
			top = max(top, groups[group])
		}
	}
	// 1% of all and 4% of the top one are summed before the one rounding.
	whole, cents := latestEScale(all, 1, 100)
	return whole + (cents+4*min(top, latestETopLimit))/100
}

// close draws up the statement of a cycle, with what has changed in those before it.
func (a *latestETopAccount) close(cycle int) {
	for _, c := range a.active {
		if c > cycle {
			continue
		}
		p := Posting{At: latestETopClose(cycle), Kind: Earned, Amount: a.reckon(c) - a.posted[c]}
		p.Note = fmt.Sprintf("rewards of the cycle to %s", latestETopClose(c).Format(time.DateOnly))
		if p.Amount < 0 {
			p.Kind = Reversed
		}
		a.posted[c] += p.Amount
		a.post(p)
	}
}

// held is what the next close will take for what has come back since the last.
func (a *latestETopAccount) held(open int) (held int64) {
	for _, c := range a.active {
		if c < open {
			held += max(0, a.posted[c]-a.reckon(c))
		}
	}
	return held
}

type latestETopEngine struct {
	now      time.Time
	accounts map[string]*latestETopAccount
}

func (e *latestETopEngine) Open(account string) error {
	if e.accounts[account] == nil {
		e.accounts[account] = &latestETopAccount{book: latestENewBook(), posted: map[int]int64{}}
	}
	return nil
}

func (e *latestETopEngine) SetClock(now time.Time) error {
	if !now.After(e.now) {
		return nil
	}
	first, last := latestETopCycle(e.now), latestETopCycle(now)
	e.now = now
	for _, a := range e.accounts {
		// Before its first purchase an account has nothing to close.
		for cycle := first; cycle < last && len(a.active) > 0; cycle++ {
			a.close(cycle)
		}
	}
	return nil
}

func (e *latestETopEngine) Settle(s issuer.Settlement) error {
	a, err := latestEFind(e.accounts, s.Account)
	if err != nil {
		return err
	}
	sale := a.book.settle(s, e.now)
	if sale == nil {
		return nil
	}
	cycle := latestETopCycle(sale.at)
	if _, known := a.posted[cycle]; !known {
		a.posted[cycle] = 0
		a.active = append(a.active, cycle)
	}
	return nil
}

func (e *latestETopEngine) Refund(r issuer.Refund) error {
	a, err := latestEFind(e.accounts, r.Account)
	if err != nil {
		return err
	}
	a.book.refund(r)
	return nil
}

func (e *latestETopEngine) Chargeback(c issuer.Chargeback) error {
	a, err := latestEFind(e.accounts, c.Account)
	if err != nil {
		return err
	}
	a.book.chargeback(c)
	return nil
}

// CloseStatement does nothing: cycles close by the clock.
func (e *latestETopEngine) CloseStatement(account string) error {
	_, err := latestEFind(e.accounts, account)
	return err
}

func (e *latestETopEngine) redeemable(a *latestETopAccount) int64 {
	return max(0, a.balance-a.held(latestETopCycle(e.now)))
}

func (e *latestETopEngine) Redeem(r issuer.Redemption) (bool, error) {
	a, err := latestEFind(e.accounts, r.Account)
	if err != nil {
		return false, err
	}
	return a.redeem(r, e.redeemable(a)), nil
}

func (e *latestETopEngine) Balance(account string) (issuer.Balance, error) {
	a, err := latestEFind(e.accounts, account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: a.balance, Redeemable: e.redeemable(a)}, nil
}

func (e *latestETopEngine) Postings(account string) []Posting {
	if a := e.accounts[account]; a != nil {
		return append([]Posting(nil), a.postings...)
	}
	return nil
}
