package foreign

import (
	"time"

	"recoup/internal/issuer"
)

// laterAnniversary pays once a year, by itself, in two tiers on the net purchases of the
// account's year and only above a least spend. Returns of a paid year's purchases have that
// year worked out again; what it was paid too much comes off the next payments.
type laterAnniversary struct {
	laterDesk[*laterAnniversaryAccount]
}

type laterAnniversaryAccount struct {
	laterLedger
	shelf  laterShelf
	opened time.Time // zero: not before the clock runs
	years  []laterAnniversaryYear
	paid   int64
}

// laterAnniversaryYear is one year; the last of an account is the one that runs.
type laterAnniversaryYear struct{ net, granted int64 }

func laterNewAnniversary() Engine {
	e := &laterAnniversary{}
	e.fresh = func(now time.Time) *laterAnniversaryAccount {
		return &laterAnniversaryAccount{opened: now, years: make([]laterAnniversaryYear, 1)}
	}
	return e
}

// worth is 0.5% up to ten thousand pounds and 1% above, from three thousand on.
func (y laterAnniversaryYear) worth() int64 {
	const least, tier = 3_000_00, 10_000_00
	if y.net < least {
		return 0
	}
	return (min(y.net, tier) + 2*max(0, y.net-tier)) / 200
}

// SetClock ends the years that are over, one after the other.
func (e *laterAnniversary) SetClock(now time.Time) error {
	if _, moved := e.tick(now); !moved {
		return nil
	}
	for _, a := range e.order {
		if a.opened.IsZero() {
			a.opened = now
		}
		for {
			due := a.opened.AddDate(len(a.years), 0, 0)
			if due.After(now) {
				break
			}
			a.end(due)
		}
	}
	return nil
}

func (a *laterAnniversaryAccount) end(due time.Time) {
	y := &a.years[len(a.years)-1]
	y.granted = y.worth()
	a.post(due, Earned, y.granted, "", "", "cashback of the year to "+due.Format("2 January 2006"))
	if b := a.balance(); b > 0 {
		a.post(due, Paid, -b, "", "", "credited to your card account")
		a.paid += b
	}
	a.years = append(a.years, laterAnniversaryYear{})
}

// Settle counts what is kept of a purchase in the year that runs.
func (e *laterAnniversary) Settle(s issuer.Settlement) error {
	a, err := e.find(s.Account)
	if err != nil {
		return err
	}
	b, err := a.shelf.arrive(s, e.posted(s.At))
	if b != nil {
		b.mark = len(a.years) - 1
		a.years[b.mark].net += b.left()
	}
	return err
}

func (e *laterAnniversary) takeBack(account string, r laterBack, at time.Time) error {
	a, err := e.find(account)
	if err != nil {
		return err
	}
	hits, err := a.shelf.back(r)
	for _, h := range hits {
		y := &a.years[h.buy.mark]
		y.net -= h.amount
		if h.buy.mark == len(a.years)-1 {
			continue // not granted yet
		}
		d := y.granted - y.worth()
		y.granted -= d
		a.post(e.posted(at), Reversed, -d, h.buy.id, r.name, "a paid year worked out again")
	}
	return err
}

// Refund lowers the year of the purchase.
func (e *laterAnniversary) Refund(r issuer.Refund) error {
	return e.takeBack(r.Account, laterOfRefund(r), r.At)
}

// Chargeback is a return like any other.
func (e *laterAnniversary) Chargeback(c issuer.Chargeback) error {
	return e.takeBack(c.Account, laterOfChargeback(c), c.At)
}

// Redeem never pays: the program pays by itself.
func (e *laterAnniversary) Redeem(r issuer.Redemption) (bool, error) {
	_, err := e.find(r.Account)
	return false, err
}

// Balance is nothing, or what comes off the next payments.
func (e *laterAnniversary) Balance(account string) (issuer.Balance, error) {
	a, err := e.find(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return a.show(0), nil
}

// PaidOut is the sum of the anniversary payments.
func (e *laterAnniversary) PaidOut(account string) (int64, error) {
	a, err := e.find(account)
	if err != nil {
		return 0, err
	}
	return a.paid, nil
}

var laterDesignAnniversary = Design{
	Name: "later-anniversary",
	Source: "public: American Express Platinum Cashback Everyday (UK), 0.5% to £10,000 and 1% above since 4 August 2021, least spend £3,000 a year, paid in one sum after" +
		" twelve months: hfp2022.headforpoints.blog/2021/08/04/earning-rates-american-express-platinum-cashback and .../2020/08/28/american-express-platinum-cashback-credit-card-review",
	Published: "Cashback on the net purchases (purchases less returns) of each account year, which begins at the moment the account was opened and, on the same day and hour, each year after, by the" +
		" time at which purchases post: 0.5% of the first £10,000.00 and 1% of all above; nothing if the net purchases of the year are below £3,000.00. All categories alike." +
		" Worked out once per year, rounded down to a penny, and credited to your card account on the anniversary by itself. It cannot be redeemed otherwise or earlier." +
		" A return counts in the year in which its purchase posted. If that year has been paid, it is worked out again" +
		" - you lose all its cashback if it falls below £3,000.00 - and the difference shows as a negative balance and comes off the next anniversary payments." + laterUnnamed,
	How: "Net totals per account year; SetClock ends years at the hour the account was opened, in order. Re-rates paid years on every later return and carries the" +
		" debt. Pays by itself (Payer), never by Redeem.",
	Class:    "robust",
	Currency: "GBP",
	New:      laterNewAnniversary,
}
