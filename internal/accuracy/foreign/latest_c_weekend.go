package foreign

import (
	"sort"
	"time"

	"recoup/internal/issuer"
)

var latestCWeekendDesign = Design{
	Name:   "latest-weekend-coins",
	Source: "HDFC Bank, reward point terms (hdfcbank.com, business-money-back terms: nothing below a full block of spend, a cap on points of one transaction); BOBCARD (points within 60 days, a point is worth ₹0.25); weekend multiples as Indian debit programs publish them",
	Published: `You earn 2 coins for each full ₹100 of a purchase, and 4 coins for each full ₹100 if its date (UTC) is a Saturday or Sunday; at most 400 coins a purchase. Fractions of ₹100 earn nothing and are not added up over purchases. A coin is worth ₹0.25.
Coins are credited 40 days after the date of the purchase. They can be redeemed from then on, in any amount that your balance covers. On the first day of each month at 06:00 UTC, if coins were credited to you since the last time and your balance is ₹50 or more, all of it is paid to your card bill by itself.
If you return all or a part of a purchase it earns coins on what you kept, by the same rule: coins of full hundreds that remain, at most 400. So a return of a part need not cost any coins, if what you kept earns them all. Coins that are credited are taken back on the day the return posts, and if your balance does not cover them it goes below zero and coins to come make it good first. Refunds above the price have no effect on coins. A refund that does not name its purchase is taken to be of a purchase of that amount at that merchant, otherwise of those at that merchant, purchases of weekends first, otherwise of others, and otherwise of those you make next.`,
	How:      "A queue of jobs ordered by when they are due: one credits a purchase after 40 days by what is left of it, one sweeps the balance to the bill on the first of a month after a credit. A return works at once: it lowers what is left, and if the purchase has been credited posts the difference between the coins of what is left now and what was credited. Nothing is floored.",
	Class:    "robust",
	Currency: "INR",
	New: func() Engine {
		return &latestCWeekend{accounts: map[string]*latestCWeekendAccount{}}
	},
}

type latestCWeekend struct {
	now      time.Time
	accounts map[string]*latestCWeekendAccount
	queue    []latestCJob // by when they are due, then as they were put in
}

type latestCWeekendAccount struct {
	book     latestCBook
	in       latestCIntake
	credited map[string]int64 // in paise, by purchase; known there from its credit on
	sweeping bool             // a sweep is in the queue
	paid     int64
}

// latestCJob is a credit of a purchase, or a sweep if it has none.
type latestCJob struct {
	due     time.Time
	account *latestCWeekendAccount
	buy     *latestCBuy
}

func latestCWeekendDay(t time.Time) bool {
	return t.Weekday() == time.Saturday || t.Weekday() == time.Sunday
}

// latestCCoins is what is left of a purchase earns, in paise.
func latestCCoins(b *latestCBuy) int64 {
	rate := int64(2)
	if latestCWeekendDay(b.at) {
		rate = 4
	}
	return min(b.net()/10000*rate, 400) * 25
}

func (e *latestCWeekend) put(j latestCJob) {
	i := sort.Search(len(e.queue), func(i int) bool { return e.queue[i].due.After(j.due) })
	e.queue = append(e.queue, latestCJob{})
	copy(e.queue[i+1:], e.queue[i:])
	e.queue[i] = j
}

// work does what is due by now, in its order; a job may put in others.
func (e *latestCWeekend) work(now time.Time) {
	for len(e.queue) > 0 && !e.queue[0].due.After(now) {
		j := e.queue[0]
		e.queue = e.queue[1:]
		if j.buy == nil {
			e.sweep(j)
			continue
		}
		a := j.account
		coins := latestCCoins(j.buy)
		a.credited[j.buy.id] = coins
		a.book.post(Posting{At: j.due, Kind: Earned, Amount: coins, Transaction: j.buy.id, Note: "coins credited"})
		if coins > 0 && !a.sweeping {
			a.sweeping = true
			first := latestCMonth(j.due).Add(6 * time.Hour)
			if !first.After(j.due) {
				first = latestCMonth(j.due).AddDate(0, 1, 0).Add(6 * time.Hour)
			}
			e.put(latestCJob{due: first, account: a})
		}
	}
}

func (e *latestCWeekend) sweep(j latestCJob) {
	a := j.account
	a.sweeping = false
	if a.book.sum < 5000 {
		return
	}
	a.paid += a.book.sum
	a.book.post(Posting{At: j.due, Kind: Paid, Amount: -a.book.sum, Note: "paid to your card bill"})
}

func (e *latestCWeekend) Open(account string) error {
	if e.accounts[account] == nil {
		e.accounts[account] = &latestCWeekendAccount{in: latestCNewIntake(), credited: map[string]int64{}}
	}
	return nil
}

func (e *latestCWeekend) SetClock(now time.Time) error {
	if now = now.UTC(); now.After(e.now) {
		e.work(now)
		e.now = now
	}
	return nil
}

func (e *latestCWeekend) Settle(s issuer.Settlement) error {
	a := e.accounts[s.Account]
	if a == nil {
		return errLatestCAccount
	}
	b, err := a.in.buy(s, e.now)
	if b == nil {
		return err
	}
	a.in.arrived(b, func(*latestCBuy, int64, latestCBack) {})
	// A clearing that comes more than 40 days late is credited on the spot.
	due := b.at.AddDate(0, 0, 40)
	if due.Before(e.now) {
		due = e.now
	}
	e.put(latestCJob{due: due, account: a, buy: b})
	e.work(e.now)
	return nil
}

func (e *latestCWeekend) take(a *latestCWeekendAccount, r latestCBack, fresh bool) {
	if !fresh {
		return
	}
	better := func(x, y *latestCBuy) bool { return latestCWeekendDay(x.at) && !latestCWeekendDay(y.at) }
	a.in.apply(r, better, func(b *latestCBuy, _ int64, r latestCBack) {
		had, ok := a.credited[b.id]
		if !ok {
			return // it will be credited by what is left
		}
		coins := latestCCoins(b)
		a.credited[b.id] = coins
		a.book.post(Posting{At: e.now, Kind: Reversed, Amount: coins - had, Transaction: b.id, Refund: r.id, Note: "coins of a return"})
	})
}

func (e *latestCWeekend) Refund(r issuer.Refund) error {
	a := e.accounts[r.Account]
	if a == nil {
		return errLatestCAccount
	}
	back, fresh := a.in.refund(r, e.now)
	e.take(a, back, fresh)
	return nil
}

func (e *latestCWeekend) Chargeback(c issuer.Chargeback) error {
	a := e.accounts[c.Account]
	if a == nil {
		return errLatestCAccount
	}
	back, fresh := a.in.chargeback(c, e.now)
	e.take(a, back, fresh)
	return nil
}

// CloseStatement has nothing to do: coins do not go by statements.
func (e *latestCWeekend) CloseStatement(account string) error {
	if e.accounts[account] == nil {
		return errLatestCAccount
	}
	return nil
}

func (e *latestCWeekend) Redeem(r issuer.Redemption) (bool, error) {
	a := e.accounts[r.Account]
	if a == nil {
		return false, errLatestCAccount
	}
	return a.book.redeem(r, max(0, a.book.sum)), nil
}

func (e *latestCWeekend) Balance(account string) (issuer.Balance, error) {
	a := e.accounts[account]
	if a == nil {
		return issuer.Balance{}, errLatestCAccount
	}
	return issuer.Balance{Balance: a.book.sum, Redeemable: max(0, a.book.sum)}, nil
}

// PaidOut is what the sweeps have paid to the bill.
func (e *latestCWeekend) PaidOut(account string) (int64, error) {
	a := e.accounts[account]
	if a == nil {
		return 0, errLatestCAccount
	}
	return a.paid, nil
}

func (e *latestCWeekend) Postings(account string) []Posting {
	if a := e.accounts[account]; a != nil {
		return a.book.list()
	}
	return nil
}
