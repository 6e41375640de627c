package foreign

import (
	"time"

	"recoup/internal/issuer"
)

// This program is one sum a year. It keeps no reward of a purchase at all: a year's
// cashback is worked out from the year's net purchases whenever anything in it changes.

const (
	newestAYearLeast = 50_00    // below this nothing is paid for a year
	newestAYearStep  = 1_000_00 // up to here 0.5%, above it 1%
)

var newestAAnniversary = Design{
	Name: "newest-anniversary-divi",
	Source: "American Express UK, Platinum Cashback Everyday: stepped rates over the account year, a least spend, and one credit at the " +
		"anniversary (americanexpress.com/uk/credit-know-how/what-is-cashback; headforpoints' review of 28 August 2020)",
	Published: "Cashback is worked out over your account year, which begins on the day your account was opened. Purchases less returns " +
		"earn 0.5% up to £1,000 a year and 1% above; a year with less than £50 of them earns nothing. The sum of the year is rounded once, to " +
		"the nearest penny, halves to the even one. It is credited on the anniversary and paid out to your card by itself " +
		"on the same day; it cannot be asked for before or otherwise. A return counts in the year of its purchase whenever it comes. If that year has been " +
		"credited already, its cashback is worked out again and the difference is owed, and taken from the cashback of later years; a purchase " +
		"that reaches us late is made good on the next anniversary. Returns without reference are taken to be of your latest " +
		"purchases, first those at the same merchant, or of the coming ones.",
	How: "All net purchases of an account year are summed and rated anew on every fact that concerns a year that is closed; the difference to " +
		"what has been posted for the year is posted at once. Payout of any positive balance happens on anniversaries only.",
	Class:    "robust",
	Currency: "GBP",
	New:      func() Engine { return &newestAYears{} },
}

type newestAYears struct {
	newestAOffice[newestAYearAccount]
}

type newestAYearAccount struct {
	newestAFile
	opened time.Time
	posted []int64 // what is posted for each closed year
	paid   int64
}

func (e *newestAYears) Open(account string) error {
	return e.add(account, &newestAYearAccount{newestAFile: newestANewFile(), opened: e.now})
}

func (e *newestAYears) SetClock(now time.Time) error {
	if _, err := e.tick(now); err != nil {
		return err
	}
	for _, name := range e.names {
		e.files[name].runTo(now)
	}
	return nil
}

// runTo closes the years that are over, the oldest first.
func (a *newestAYearAccount) runTo(now time.Time) {
	if a.opened.IsZero() {
		// The account was opened before anybody had told the time.
		a.opened = now
	}
	for {
		year := len(a.posted)
		end := a.opened.AddDate(year+1, 0, 0)
		if end.After(now) {
			return
		}
		a.posted = append(a.posted, 0)
		a.rework(year, end, "", "cashback of the year")
		if due := a.balance(); due > 0 {
			a.post(Posting{At: end, Kind: Paid, Amount: -due, Note: "credited to your card"})
			a.paid += due
		}
	}
}

// year is the account year of a time; what was before the account counts in its first.
func (a *newestAYearAccount) year(at time.Time) int {
	year := max(0, at.Year()-a.opened.Year()-1)
	for !a.opened.AddDate(year+1, 0, 0).After(at) {
		year++
	}
	return year
}

// reward is what a year is worth by what is known now.
func (a *newestAYearAccount) reward(year int) int64 {
	var net int64
	for _, s := range a.order {
		if a.year(s.at) == year {
			net += s.net()
		}
	}
	if net < newestAYearLeast {
		return 0
	}
	// Both steps are put in half percents, so that the sum is rounded once.
	halves := net + max(0, net-newestAYearStep)
	return newestAHalfEven(halves, 5, 1000)
}

func (a *newestAYearAccount) rework(year int, at time.Time, refund, note string) {
	delta := a.reward(year) - a.posted[year]
	a.posted[year] += delta
	a.correct(at, delta, "", refund, note)
}

// touched reworks the closed years of the sales that were hit; the open year is rated
// when it ends.
func (e *newestAYears) touched(a *newestAYearAccount, hits []newestAHit) {
	for _, h := range hits {
		if year := a.year(h.sale.at); year < len(a.posted) {
			a.rework(year, e.now, h.by, "return from an earlier year")
		}
	}
}

func (e *newestAYears) Settle(s issuer.Settlement) error {
	a, err := e.file(s.Account)
	if err != nil {
		return err
	}
	at := e.when(s.At)
	sale, _, err := a.sell(s, at)
	if sale == nil {
		return err
	}
	if a.opened.IsZero() {
		a.opened = at
	}
	if year := a.year(at); year < len(a.posted) {
		a.rework(year, e.now, "", "purchase from an earlier year")
	}
	return nil
}

func (e *newestAYears) Refund(r issuer.Refund) error {
	a, err := e.file(r.Account)
	if err != nil {
		return err
	}
	hits, err := a.refund(r)
	e.touched(a, hits)
	return err
}

func (e *newestAYears) Chargeback(c issuer.Chargeback) error {
	a, err := e.file(c.Account)
	if err != nil {
		return err
	}
	hits, err := a.chargeback(c)
	e.touched(a, hits)
	return err
}

// Redeem refuses: cashback goes to the card by itself, once a year.
func (e *newestAYears) Redeem(r issuer.Redemption) (bool, error) {
	_, err := e.file(r.Account)
	return false, err
}

func (e *newestAYears) Balance(account string) (issuer.Balance, error) {
	a, err := e.file(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: a.balance()}, nil
}

// PaidOut is what went to the card on anniversaries.
func (e *newestAYears) PaidOut(account string) (int64, error) {
	a, err := e.file(account)
	if err != nil {
		return 0, err
	}
	return a.paid, nil
}

func (e *newestAYears) Postings(account string) []Posting {
	if a := e.files[account]; a != nil {
		return append([]Posting(nil), a.postings...)
	}
	return nil
}
