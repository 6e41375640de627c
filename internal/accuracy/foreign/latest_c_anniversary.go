package foreign

import (
	"sort"
	"time"

	"recoup/internal/issuer"
)

var latestCAnniversaryDesign = Design{
	Name:   "latest-anniversary-holdback",
	Source: "American Express UK, Platinum Cashback Everyday: rates by the membership year with a smallest spend of £3,000 (headforpoints.com, \"American Express Platinum Cashback credit card review\"; choose.net review); the monthly advance and its holdback as shop co-operatives pay dividends on account",
	Published: `Membership years run from the day you open the account. On what you spend in a membership year, less what you return, you earn 0.75% on the first £10,000 and 1.25% on everything above, rounded to the nearest penny on the whole year (half a penny goes to the even penny). If your spend less returns in a membership year is under £3,000 you earn nothing for that year.
On the first day of each month (00:00 UTC) we pay on account 80% of what your membership year has earned so far, rounded down to a penny. The other 20% are paid with the first monthly run from 60 days after your membership year has ended. What is paid can be redeemed at once, in any amount of a penny or more.
A return always counts in the membership year of its purchase, however late it comes: the year is worked out again as if you had not bought what you returned, and what we have paid too much is taken back on the day the return posts. That may leave your balance below zero; your later cashback makes that good first. A year that falls under £3,000 by a return has earned nothing. Refunds above the price have no effect on cashback. A refund that does not name its purchase counts against your latest purchases at the same merchant, otherwise against your latest purchases.`,
	How:      "A journal of all messages. After each message, and on the first of each month, everything is folded again from the first entry: purchases, what came back of each, net spend by membership year, cashback by year. The difference to what has been posted for the year is posted, downwards at once and upwards only by the monthly run; 80% until 60 days after the year, all of it from then on. Balances may be negative without end.",
	Class:    "robust",
	Currency: "GBP",
	New: func() Engine {
		return &latestCAnniversary{accounts: map[string]*latestCMember{}}
	},
}

type latestCAnniversary struct {
	now      time.Time
	accounts map[string]*latestCMember
}

// latestCMember is an account: nothing but a journal and what has been posted by year.
type latestCMember struct {
	book    latestCBook
	opened  time.Time
	journal []latestCEntry
	paid    map[int]int64
}

// latestCEntry is a message as it came, with when it came. One of the three is set.
type latestCEntry struct {
	came time.Time
	buy  *issuer.Settlement
	ref  *issuer.Refund
	cb   *issuer.Chargeback
}

func (e *latestCAnniversary) Open(account string) error {
	if e.accounts[account] == nil {
		e.accounts[account] = &latestCMember{opened: e.now.UTC(), paid: map[int]int64{}}
	}
	return nil
}

func (e *latestCAnniversary) SetClock(now time.Time) error {
	now = now.UTC()
	if now.Before(e.now) {
		return nil
	}
	if e.now.IsZero() {
		// Accounts opened before the clock was first set begin now.
		for _, a := range e.accounts {
			a.opened = now
		}
		e.now = now
		return nil
	}
	for m := latestCMonth(e.now).AddDate(0, 1, 0); !m.After(now); m = m.AddDate(0, 1, 0) {
		e.now = m
		for _, a := range e.accounts {
			a.run(m, true, "")
		}
	}
	e.now = now
	return nil
}

// fold works out from the whole journal what each membership year has earned.
func (a *latestCMember) fold() map[int]int64 {
	in := latestCNewIntake()
	nothing := func(*latestCBuy, int64, latestCBack) {}
	for _, j := range a.journal {
		var back latestCBack
		fresh := false
		switch {
		case j.buy != nil:
			if b, _ := in.buy(*j.buy, j.came); b != nil {
				in.arrived(b, nothing)
			}
		case j.ref != nil:
			back, fresh = in.refund(*j.ref, j.came)
		case j.cb != nil:
			back, fresh = in.chargeback(*j.cb, j.came)
		}
		if fresh {
			in.apply(back, nil, nothing)
		}
	}
	spend := map[int]int64{}
	for _, b := range in.order {
		spend[a.year(b.at)] += b.net()
	}
	earned := map[int]int64{}
	for y, s := range spend {
		if s < 300000 {
			continue
		}
		low := min(s, 1000000)
		earned[y] = latestCHalfEven(low*75+(s-low)*125, 10000)
	}
	return earned
}

// year is the number of the membership year of a day; what was bought before the account
// was opened counts in the first.
func (a *latestCMember) year(t time.Time) int {
	y := 0
	for !t.Before(a.opened.AddDate(y+1, 0, 0)) {
		y++
	}
	return y
}

// run posts what the books lack. Only the monthly run pays; a message only takes back.
func (a *latestCMember) run(now time.Time, monthly bool, refund string) {
	earned := a.fold()
	years := map[int]bool{}
	for y := range earned {
		years[y] = true
	}
	for y := range a.paid {
		years[y] = true
	}
	var list []int
	for y := range years {
		list = append(list, y)
	}
	sort.Ints(list)
	for _, y := range list {
		due := earned[y]
		if now.Before(a.opened.AddDate(y+1, 0, 60)) {
			due = due * 80 / 100
		}
		switch d := due - a.paid[y]; {
		case d < 0:
			a.book.post(Posting{At: now, Kind: Reversed, Amount: d, Refund: refund, Note: "cashback of a membership year worked out again"})
			a.paid[y] = due
		case d > 0 && monthly:
			a.book.post(Posting{At: now, Kind: Earned, Amount: d, Note: "cashback paid on account"})
			a.paid[y] = due
		}
	}
}

func (e *latestCAnniversary) add(account string, j latestCEntry, refund string) error {
	a := e.accounts[account]
	if a == nil {
		return errLatestCAccount
	}
	j.came = e.now
	a.journal = append(a.journal, j)
	a.run(e.now, false, refund)
	return nil
}

func (e *latestCAnniversary) Settle(s issuer.Settlement) error {
	if s.Transaction == "" || s.Amount < 0 {
		return errLatestCFact
	}
	return e.add(s.Account, latestCEntry{buy: &s}, "")
}

func (e *latestCAnniversary) Refund(r issuer.Refund) error {
	return e.add(r.Account, latestCEntry{ref: &r}, r.Refund)
}

func (e *latestCAnniversary) Chargeback(c issuer.Chargeback) error {
	return e.add(c.Account, latestCEntry{cb: &c}, c.Chargeback)
}

// CloseStatement has nothing to do: the monthly run is the clock's.
func (e *latestCAnniversary) CloseStatement(account string) error {
	if e.accounts[account] == nil {
		return errLatestCAccount
	}
	return nil
}

func (e *latestCAnniversary) Redeem(r issuer.Redemption) (bool, error) {
	a := e.accounts[r.Account]
	if a == nil {
		return false, errLatestCAccount
	}
	return a.book.redeem(r, max(0, a.book.sum)), nil
}

func (e *latestCAnniversary) Balance(account string) (issuer.Balance, error) {
	a := e.accounts[account]
	if a == nil {
		return issuer.Balance{}, errLatestCAccount
	}
	return issuer.Balance{Balance: a.book.sum, Redeemable: max(0, a.book.sum)}, nil
}

func (e *latestCAnniversary) Postings(account string) []Posting {
	if a := e.accounts[account]; a != nil {
		return a.book.list()
	}
	return nil
}
