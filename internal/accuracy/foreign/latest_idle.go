package foreign

import (
	"time"

	"recoup/internal/issuer"
)

var latestfIdleDesign = Design{
	Name:   "latest-idle",
	Source: "IHG One Rewards, clause 24: all points go if nothing is earned or redeemed for twelve months, reviewed monthly (headforpoints.com 2018/02/24, awardwallet.com/blog/ihg-rewards-club-points-expire); Citi Double Cash had the same rule (thetruthaboutcreditcards.com); paper section 4.3, V3(a)",
	Published: "5% at hotels (MCC 3501-3999 and 7011), 2% at restaurants and petrol stations (5811-5814, 5541, 5542), 1% on everything else, no cap, fractions of a cent dropped purchase by purchase. " +
		"Rewards are credited every Monday (0:00 UTC) for the purchases that have posted since the last one, and can be redeemed from then on, in any amount. " +
		"Returns and won disputes reduce rewards to those on what you kept: before the credit by crediting less, afterwards at once, also below zero if you have used them, and also if they have lapsed; what you then earn makes up for that first. " +
		"Rewards lapse if for twelve months you neither earn nor redeem any; we look at that on the first of each month. A refund that names no purchase is set against your latest one at that shop, or else your latest one.",
	How:   "A pool for each account with the date when it last moved by earning or redeeming, a queue of purchases that is worked on Mondays, and a job on the first of each month that sets the pools to zero that have not moved for twelve months. Returns and redemptions change the pool when they come in. Returns do not count as movement.",
	Class: "V3(a)",
	Leak: "The job sets idle pools to zero whatever their sign, so a debt lapses like rewards do. Book a hotel for 2,000.00, redeem the 100.00 on the Monday after, cancel and be refunded: the pool is at -100.00. Use another card for a year; on the first of the month after twelve months the pool is at zero. " +
		"Then use this one again: 1,000.00 at a hotel earns 50.00 that can be redeemed at once, and the 100.00 are never asked for again.",
	Currency: "EUR",
	New: func() Engine {
		return &latestfIdle{latestfOpenHouse(func() *latestfIdleAccount {
			return &latestfIdleAccount{desk: latestfNewDesk(), book: latestfNewBook(), credited: map[*latestfPurchase]int64{}}
		})}
	},
}

type latestfIdle struct {
	latestfHouse[*latestfIdleAccount]
}

type latestfIdleAccount struct {
	desk     latestfDesk
	book     latestfBook
	queue    []latestfIdleTask
	credited map[*latestfPurchase]int64 // what each has in the pool; absent: not worked yet
	moved    time.Time
}

// latestfIdleTask is a purchase that waits for its Monday.
type latestfIdleTask struct {
	due time.Time
	p   *latestfPurchase
}

// SetClock works Mondays and firsts of the month in their order.
func (e *latestfIdle) SetClock(now time.Time) error {
	if now.Before(e.now) {
		return errLatestfClock
	}
	// Before its first date the program has nothing that could have been idle.
	if !e.now.IsZero() {
		for first := latestfMonth(e.now, 1); !first.After(now); first = latestfMonth(first, 1) {
			for _, name := range e.names {
				e.accounts[name].work(first)
				e.accounts[name].review(first)
			}
		}
	}
	for _, name := range e.names {
		e.accounts[name].work(now)
	}
	e.now = now
	return nil
}

// work credits what is due by now. Tasks stand in the order of their Mondays, since they
// were queued by the clock.
func (a *latestfIdleAccount) work(now time.Time) {
	for len(a.queue) > 0 && !a.queue[0].due.After(now) {
		task := a.queue[0]
		a.queue = a.queue[1:]
		amount := latestfIdleReward(task.p, task.p.net())
		a.credited[task.p] = amount
		if amount > 0 {
			a.moved = task.due
		}
		a.book.post(task.due, Earned, amount, task.p.id, "", "rewards of the week")
	}
}

// review empties the pool if it has been idle for a year.
func (a *latestfIdleAccount) review(first time.Time) {
	if !a.moved.AddDate(1, 0, 0).After(first) {
		a.book.post(first, Adjusted, -a.book.balance(), "", "", "lapsed, no activity for twelve months")
	}
}

// CloseStatement does nothing: rewards go by weeks, not by statements.
func (e *latestfIdle) CloseStatement(account string) error {
	_, err := e.find(account)
	return err
}

func (e *latestfIdle) Settle(s issuer.Settlement) error {
	a, err := e.find(s.Account)
	if err != nil {
		return err
	}
	p, err := a.desk.settle(s, e.now)
	if err != nil || p == nil {
		return err
	}
	a.queue = append(a.queue, latestfIdleTask{latestfNextMonday(e.now), p})
	a.takeBack(e.now, a.desk.early(p))
	return nil
}

func (e *latestfIdle) Refund(r issuer.Refund) error {
	a, err := e.find(r.Account)
	if err != nil {
		return err
	}
	hits, err := a.desk.refund(r, e.now)
	a.takeBack(e.now, hits)
	return err
}

func (e *latestfIdle) Chargeback(c issuer.Chargeback) error {
	a, err := e.find(c.Account)
	if err != nil {
		return err
	}
	hits, err := a.desk.chargeback(c, e.now)
	a.takeBack(e.now, hits)
	return err
}

func (a *latestfIdleAccount) takeBack(now time.Time, hits []latestfHit) {
	for _, h := range hits {
		had, worked := a.credited[h.p]
		if !worked {
			continue // Monday will credit less
		}
		a.credited[h.p] = latestfIdleReward(h.p, h.p.net())
		a.book.post(now, Reversed, a.credited[h.p]-had, h.p.id, h.credit, "rewards on what was returned")
	}
}

func (e *latestfIdle) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.find(r.Account)
	if err != nil {
		return false, err
	}
	before := a.book.redeemed
	ok := a.book.redeem(r, a.book.balance())
	if a.book.redeemed != before {
		a.moved = e.now
	}
	return ok, nil
}

func (e *latestfIdle) Balance(account string) (issuer.Balance, error) {
	a, err := e.find(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: a.book.balance(), Redeemable: max(0, a.book.balance())}, nil
}

func (e *latestfIdle) Postings(account string) []Posting {
	a, err := e.find(account)
	if err != nil {
		return nil
	}
	return a.book.export()
}

// latestfIdleReward is the reward of a purchase of which net cents were kept.
func latestfIdleReward(p *latestfPurchase, net int64) int64 {
	rate := int64(1)
	switch mcc := p.mcc; {
	case mcc == "7011", len(mcc) == 4 && mcc >= "3501" && mcc <= "3999":
		rate = 5
	case mcc >= "5811" && mcc <= "5814", mcc == "5541", mcc == "5542":
		rate = 2
	}
	return rate * net / 100
}

// latestfNextMonday is the first Monday midnight after t.
func latestfNextMonday(t time.Time) time.Time {
	t = t.UTC()
	day := time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
	ahead := (int(time.Monday)-int(day.Weekday())+6)%7 + 1
	return day.AddDate(0, 0, ahead)
}
