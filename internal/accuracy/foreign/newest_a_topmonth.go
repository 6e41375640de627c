package foreign

import (
	"sort"
	"time"

	"recoup/internal/issuer"
)

// This program rates whole months, since which category is the best paid one is known at
// a month's end only. Corrections of earlier months are posted by the same monthly run,
// but are held back from what can be redeemed from the moment they are known.

const newestATopLimit = 400_00

var newestATopMonth = Design{
	Name: "newest-top-category-month",
	Source: "Citi Custom Cash: 5% in the top eligible category of each billing cycle up to $500 of purchases, 1% otherwise " +
		"(nerdwallet.com, Citi Custom Cash Card review); corrections with the statement as National Bank of Canada has them (nbc.ca help centre, " +
		"'How my cashback is affected if I get a refund'), and as Issuers D and E of the paper (section 5.3.1)",
	Published: "Each calendar month (UTC) you earn 5% on the first $400 of purchases in the category in which you spent most that month, and 1% on " +
		"everything else. Categories go by merchant code: groceries, dining, fuel, drugstores, home improvement, transit. Purchases count less their returns, " +
		"in the month of the purchase. The cash back of a month is rounded once, half a cent up, and is posted and can be redeemed from the first " +
		"of the next month. A return that comes after that has its month rated again; the correction is posted with the next monthly statement, which can leave you " +
		"with a negative balance that later cash back pays off first. From the day we know of a return, what it will cost is held back and cannot be " +
		"redeemed. Returns without reference are taken from your latest purchases, first those at the same merchant.",
	How: "A monthly run rates every closed month from its net purchases and posts the differences. Between runs the amount that can be redeemed is " +
		"the lesser of the posted balance and of what the balance would be if the run took place now.",
	Class:    "robust",
	Currency: "USD",
	New:      func() Engine { return &newestATop{} },
}

type newestATop struct {
	newestAOffice[newestATopAccount]
}

type newestATopAccount struct {
	newestAFile
	posted map[int]int64 // by month
}

func (e *newestATop) Open(account string) error {
	return e.add(account, &newestATopAccount{newestAFile: newestANewFile(), posted: map[int]int64{}})
}

// months are those with purchases that were over at a time, in order.
func (a *newestATopAccount) months(at time.Time) []int {
	seen := map[int]bool{}
	var months []int
	for _, s := range a.order {
		if m := newestAMonth(s.at); !seen[m] && !newestAMonthStart(m+1).After(at) {
			seen[m] = true
			months = append(months, m)
		}
	}
	sort.Ints(months)
	return months
}

// rate is a month's cash back by what is known now.
func (a *newestATopAccount) rate(month int) int64 {
	var all, top int64
	spent := map[string]int64{}
	for _, s := range a.order {
		if newestAMonth(s.at) != month {
			continue
		}
		all += s.net()
		if kind := newestAKind(s.mcc, s.category); kind != "" {
			spent[kind] += s.net()
			// Net amounts do not shrink while we sum, so the largest sum of
			// all at any time is the top category's in the end.
			top = max(top, spent[kind])
		}
	}
	return newestAHalfUp(all+4*min(top, newestATopLimit), 1, 100)
}

func (e *newestATop) SetClock(now time.Time) error {
	was, err := e.tick(now)
	if err != nil {
		return err
	}
	for _, name := range e.names {
		a := e.files[name]
		// A run has something to do on the next first of a month, for what
		// came in late, and after each month that had purchases.
		runs := map[time.Time]bool{newestAMonthStart(newestAMonth(was) + 1): true}
		for _, m := range a.months(now) {
			runs[newestAMonthStart(m+1)] = true
		}
		var order []time.Time
		for at := range runs {
			if at.After(was) && !at.After(now) {
				order = append(order, at)
			}
		}
		sort.Slice(order, func(i, j int) bool { return order[i].Before(order[j]) })
		for _, at := range order {
			a.run(at)
		}
	}
	return nil
}

func (a *newestATopAccount) run(at time.Time) {
	for _, m := range a.months(at) {
		delta := a.rate(m) - a.posted[m]
		a.posted[m] += delta
		a.correct(at, delta, "", "", "cash back for "+newestAMonthStart(m).Format("January 2006"))
	}
}

// redeemable leaves out what the next run is going to take.
func (a *newestATopAccount) redeemable(now time.Time) int64 {
	after := -a.redeemed
	for _, m := range a.months(now) {
		after += a.rate(m)
	}
	return max(0, min(a.balance(), after))
}

func (e *newestATop) Settle(s issuer.Settlement) error {
	a, err := e.file(s.Account)
	if err != nil {
		return err
	}
	_, _, err = a.sell(s, e.when(s.At))
	return err
}

func (e *newestATop) Refund(r issuer.Refund) error {
	a, err := e.file(r.Account)
	if err != nil {
		return err
	}
	_, err = a.refund(r)
	return err
}

func (e *newestATop) Chargeback(c issuer.Chargeback) error {
	a, err := e.file(c.Account)
	if err != nil {
		return err
	}
	_, err = a.chargeback(c)
	return err
}

func (e *newestATop) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.file(r.Account)
	if err != nil {
		return false, err
	}
	return a.redeem(r, a.redeemable(e.now)), nil
}

func (e *newestATop) Balance(account string) (issuer.Balance, error) {
	a, err := e.file(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: a.balance(), Redeemable: a.redeemable(e.now)}, nil
}

func (e *newestATop) Postings(account string) []Posting {
	if a := e.files[account]; a != nil {
		return append([]Posting(nil), a.postings...)
	}
	return nil
}
