package foreign

import (
	"time"

	"recoup/internal/issuer"
)

var latestEPointsBack = Design{
	Name: "latest-points-back",
	Source: "Citi Rewards+ Card, \"10% Points Back\": 10% of the points redeemed come back, for the first 100,000 points redeemed per year " +
		"(citi.com, Additional Information - Citi Rewards+ Card, \"How does 10% Points Back work?\"), with 2 points per dollar at supermarkets and gas stations. " +
		"That points given for redeeming are kept when the points redeemed turn out not to have been earned is a consequence that the terms do not speak of.",
	Published: "1 point is worth 1 cent. 2 points per $1 at supermarkets (merchant category code 5411) and gas stations (5541, 5542), 1 point per $1 on all other purchases, " +
		"reckoned on the exact amount of each purchase and rounded to the nearest point, half a point up. No limit on what you earn. Points are credited when a purchase posts and can be redeemed at once, from 1 point. " +
		"10% Points Back: you get back 10% of the points that you redeem in a calendar month (UTC), rounded down to the point once per month, credited on the first of the following month, " +
		"for the first 100,000 points redeemed per calendar year. Points are for net purchases: when a purchase is returned or charged back, all or in part, it keeps the points of the amount that you keep, and the others are deducted at once. " +
		"Your balance may become negative and is then made up by points earned later. A refund above the price counts as one of the price. A refund without its purchase is set against your latest purchases at that merchant, then against others. Points do not expire.",
	How: "One pool of points. A purchase adds its points, a return takes those of what came back at once, below zero if need be, and nothing of that is forgotten. A redemption only adds to two meters, of the month and of the year; " +
		"a monthly job credits a tenth of the month's. The meters and what was credited by them know no purchase, so no return ever reaches them.",
	Class: "other",
	Leak: "Points Back is a reward on having redeemed, and it stays when the purchase that earned the redeemed points is returned. Buy groceries for $5,000.00: 10,000 points; redeem them for $100.00; " +
		"return everything: 10,000 points are deducted. On the first of the next month 1,000 points come back: net spend zero, rewards $100.00 paid less a debt of $90.00, that is $10.00 ahead, up to $100.00 a year.",
	Currency: "USD",
	New:      func() Engine { return &latestEPointsEngine{accounts: map[string]*latestEPointsAccount{}} },
}

// latestEPointsYear is how many points a year come back in part.
const latestEPointsYear = 100000

type latestEPointsAccount struct {
	latestETill
	book   *latestEBook
	earned map[*latestESale]int64
	month  int64         // points redeemed since the last job that count
	years  map[int]int64 // points redeemed that count
}

// bring gives a purchase the points of what is left of it.
func (a *latestEPointsAccount) bring(sale *latestESale, at time.Time, refund string) {
	rate := int64(1)
	switch sale.mcc {
	case "5411", "5541", "5542":
		rate = 2
	}
	points := latestEHalfUp(sale.net(), rate, 100)
	p := Posting{At: at, Kind: Earned, Amount: points - a.earned[sale], Transaction: sale.id, Refund: refund, Note: "points for a purchase"}
	if refund != "" {
		p.Kind, p.Note = Reversed, "points deducted"
	}
	a.earned[sale] = points
	a.post(p)
}

// pointsBack is the job of the first of a month.
func (a *latestEPointsAccount) pointsBack(at time.Time) {
	a.post(Posting{At: at, Kind: Earned, Amount: a.month / 10, Note: "10% Points Back"})
	a.month = 0
}

type latestEPointsEngine struct {
	now      time.Time
	accounts map[string]*latestEPointsAccount
}

func (e *latestEPointsEngine) Open(account string) error {
	if e.accounts[account] == nil {
		e.accounts[account] = &latestEPointsAccount{
			book: latestENewBook(), earned: map[*latestESale]int64{}, years: map[int]int64{},
		}
	}
	return nil
}

func (e *latestEPointsEngine) SetClock(now time.Time) error {
	if !now.After(e.now) {
		return nil
	}
	// Redemptions are made at the clock, so only the end of the present month has any to count.
	if end := latestEMonth(e.now) + 1; latestEMonth(now) >= end {
		for _, a := range e.accounts {
			a.pointsBack(latestEMonthStart(end))
		}
	}
	e.now = now
	return nil
}

func (e *latestEPointsEngine) Settle(s issuer.Settlement) error {
	a, err := latestEFind(e.accounts, s.Account)
	if err != nil {
		return err
	}
	if sale := a.book.settle(s, e.now); sale != nil {
		a.bring(sale, e.now, "")
	}
	return nil
}

func (e *latestEPointsEngine) Refund(r issuer.Refund) error {
	a, err := latestEFind(e.accounts, r.Account)
	if err != nil {
		return err
	}
	for _, sale := range a.book.refund(r) {
		a.bring(sale, e.now, r.Refund)
	}
	return nil
}

func (e *latestEPointsEngine) Chargeback(c issuer.Chargeback) error {
	a, err := latestEFind(e.accounts, c.Account)
	if err != nil {
		return err
	}
	for _, sale := range a.book.chargeback(c) {
		a.bring(sale, e.now, c.Chargeback)
	}
	return nil
}

// CloseStatement does nothing: the only job runs by the clock.
func (e *latestEPointsEngine) CloseStatement(account string) error {
	_, err := latestEFind(e.accounts, account)
	return err
}

func (e *latestEPointsEngine) Redeem(r issuer.Redemption) (bool, error) {
	a, err := latestEFind(e.accounts, r.Account)
	if err != nil {
		return false, err
	}
	before := a.balance
	if !a.redeem(r, max(0, a.balance)) {
		return false, nil
	}
	// One that had been paid before has not moved the balance and does not count again.
	redeemed, year := before-a.balance, e.now.UTC().Year()
	counts := min(redeemed, latestEPointsYear-a.years[year])
	a.years[year] += counts
	a.month += counts
	return true, nil
}

func (e *latestEPointsEngine) Balance(account string) (issuer.Balance, error) {
	a, err := latestEFind(e.accounts, account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: a.balance, Redeemable: max(0, a.balance)}, nil
}

func (e *latestEPointsEngine) Postings(account string) []Posting {
	if a := e.accounts[account]; a != nil {
		return append([]Posting(nil), a.postings...)
	}
	return nil
}
