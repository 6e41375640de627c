package foreign

import (
	"slices"
	"time"

	"recoup/internal/issuer"
)

var latestfHalvesDesign = Design{
	Name:   "latest-halves",
	Source: "Citi Double Cash: 1% when you buy and 1% as you pay, by a purchase tracker that payments run down (creditcardforum.com/blog/citi-double-cash-card-review, doctorofcredit.com/get-2-citi-double-cash); returned items earn nothing; paper section 5.3",
	Published: "1% cash back when a purchase posts, and another 1% when you pay for it, each to the nearest cent of the purchase (half a cent up), on everything and without a cap. AutoPay pays all purchases that posted in a calendar month (UTC) on the 25th of the next. " +
		"Cash back can be redeemed from the moment that it is credited, in any amount. When you return something or win a dispute, we take back the cash back on it: the 1% for buying when the refund posts; the 1% for paying, if you have had it, with the AutoPay of the next 25th, and until then we keep that much aside. " +
		"What you have not paid for yet does not earn its second 1%. If you have redeemed too much, your balance goes below zero, for as long as it takes new cash back to make up for it. " +
		"A refund that names no purchase is set against the latest one at that shop, or else your latest.",
	How: "Two ledgers of halves. The first half follows the net price of its purchase at once, up and down. The second is run on the 25ths by the tracker: it goes through all purchases whose bill is paid and posts what their second half should be, less what it was. " +
		"Between a refund and the next 25th the second half that will go is taken off what can be redeemed.",
	Class:    "robust",
	Currency: "USD",
	New: func() Engine {
		return &latestfHalves{latestfOpenHouse(func() *latestfHalvesAccount {
			return &latestfHalvesAccount{desk: latestfNewDesk(), book: latestfNewBook(), buying: map[*latestfPurchase]int64{}, paying: map[*latestfPurchase]int64{}}
		})}
	},
}

type latestfHalves struct {
	latestfHouse[*latestfHalvesAccount]
}

type latestfHalvesAccount struct {
	desk    latestfDesk
	book    latestfBook
	buying  map[*latestfPurchase]int64 // first halves that are posted
	paying  map[*latestfPurchase]int64 // second halves that are posted; absent: not paid for
	tracker []*latestfPurchase         // not paid for yet
	changed []latestfHit               // came back after they were paid for, since the last 25th
}

// SetClock runs every 25th that has come.
func (e *latestfHalves) SetClock(now time.Time) error {
	if now.Before(e.now) {
		return errLatestfClock
	}
	for _, name := range e.names {
		a := e.accounts[name]
		for _, day := range a.days(now) {
			a.pay(day)
		}
	}
	e.now = now
	return nil
}

// latestfHalvesPaid is the day on which AutoPay pays what posted at t.
func latestfHalvesPaid(t time.Time) time.Time { return latestfMonth(t, 1).AddDate(0, 0, 24) }

// latestfNext25th is the first 25th after t.
func latestfNext25th(t time.Time) time.Time {
	day := latestfMonth(t, 0).AddDate(0, 0, 24)
	if !day.After(t) {
		day = latestfMonth(t, 1).AddDate(0, 0, 24)
	}
	return day
}

// days are the 25ths up to now on which there is something to do.
func (a *latestfHalvesAccount) days(now time.Time) []time.Time {
	var days []time.Time
	for _, p := range a.tracker {
		days = append(days, latestfHalvesPaid(p.came))
	}
	for _, h := range a.changed {
		days = append(days, latestfNext25th(h.at))
	}
	days = slices.DeleteFunc(days, func(d time.Time) bool { return d.After(now) })
	slices.SortFunc(days, time.Time.Compare)
	return slices.CompactFunc(days, time.Time.Equal)
}

// pay is the AutoPay of a 25th.
func (a *latestfHalvesAccount) pay(day time.Time) {
	open := a.tracker
	a.tracker = nil
	for _, p := range open {
		if latestfHalvesPaid(p.came).After(day) {
			a.tracker = append(a.tracker, p)
			continue
		}
		a.paying[p] = latestfHalfUp(p.net(), 100)
		a.book.post(day, Earned, a.paying[p], p.id, "", "1% for paying")
	}
	// A refund that changed a purchase waits for no more than this day.
	for _, h := range a.changed {
		due := latestfHalfUp(h.p.net(), 100)
		a.book.post(day, Reversed, due-a.paying[h.p], h.p.id, h.credit, "1% for paying, on what was returned")
		a.paying[h.p] = due
	}
	a.changed = nil
}

// aside is what the next 25th will take back.
func (a *latestfHalvesAccount) aside() int64 {
	var sum int64
	counted := map[*latestfPurchase]bool{}
	for _, h := range a.changed {
		if !counted[h.p] {
			counted[h.p] = true
			sum += a.paying[h.p] - latestfHalfUp(h.p.net(), 100)
		}
	}
	return sum
}

// CloseStatement does nothing: bills close and are paid by the clock.
func (e *latestfHalves) CloseStatement(account string) error {
	_, err := e.find(account)
	return err
}

func (e *latestfHalves) Settle(s issuer.Settlement) error {
	a, err := e.find(s.Account)
	if err != nil {
		return err
	}
	p, err := a.desk.settle(s, e.now)
	if err != nil || p == nil {
		return err
	}
	a.tracker = append(a.tracker, p)
	a.buying[p] = latestfHalfUp(p.price, 100)
	a.book.post(e.now, Earned, a.buying[p], p.id, "", "1% for buying")
	a.lower(e.now, a.desk.early(p))
	return nil
}

func (e *latestfHalves) Refund(r issuer.Refund) error {
	a, err := e.find(r.Account)
	if err != nil {
		return err
	}
	hits, err := a.desk.refund(r, e.now)
	a.lower(e.now, hits)
	return err
}

func (e *latestfHalves) Chargeback(c issuer.Chargeback) error {
	a, err := e.find(c.Account)
	if err != nil {
		return err
	}
	hits, err := a.desk.chargeback(c, e.now)
	a.lower(e.now, hits)
	return err
}

// lower takes first halves back at once and leaves second ones to the next 25th.
func (a *latestfHalvesAccount) lower(now time.Time, hits []latestfHit) {
	for _, h := range hits {
		due := latestfHalfUp(h.p.net(), 100)
		a.book.post(now, Reversed, due-a.buying[h.p], h.p.id, h.credit, "1% for buying, on what was returned")
		a.buying[h.p] = due
		if _, paid := a.paying[h.p]; paid {
			// It is the day on which we hear of it that counts, not the date on the credit.
			h.at = now
			a.changed = append(a.changed, h)
		}
	}
}

func (e *latestfHalves) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.find(r.Account)
	if err != nil {
		return false, err
	}
	return a.book.redeem(r, a.book.balance()-a.aside()), nil
}

func (e *latestfHalves) Balance(account string) (issuer.Balance, error) {
	a, err := e.find(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	b := a.book.balance()
	return issuer.Balance{Balance: b, Redeemable: max(0, b-a.aside())}, nil
}

func (e *latestfHalves) Postings(account string) []Posting {
	a, err := e.find(account)
	if err != nil {
		return nil
	}
	return a.book.export()
}
