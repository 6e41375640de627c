package foreign

import (
	"sort"
	"time"

	"recoup/internal/issuer"
)

var latestCLienDesign = Design{
	Name:   "latest-statement-lien",
	Source: "Chase Freedom Flex and Discover it: 5% in a quarter's categories on up to $1,500 (their rotating category terms); points that move with the statement as at issuers D and E of section 5.3; the lien is how banks treat card authorisations on a deposit account",
	Published: `You earn 1 point per whole dollar of your net purchases of a calendar quarter, and 4 points more per whole dollar of your net purchases in the quarter's bonus category, on up to $1,500 of them a quarter. Bonus categories: January to March groceries (MCC 5411), April to June gas (5541, 5542), July to September dining (5812, 5814), October to December department and wholesale stores (5311, 5300). Net purchases are purchases less returns; a return counts in the quarter of its purchase, whenever it comes, and leaves you with the points you would have without what you returned. Fractions of a dollar count over the whole quarter, then the rest is dropped. A point is worth one cent.
Points of purchases and of returns are posted when your statement closes, on the 5th of each month (00:00 UTC). Points that are posted can be redeemed at once, except that points we are going to take for a return which has posted to your card are on hold from that moment: they still show in your balance until the statement closes. If you have redeemed them already your balance goes below zero at the close and later points make it good first. Refunds above the price have no effect. A refund that does not name its purchase counts against your purchases at that merchant, the latest first, otherwise against your other latest purchases, and against later ones if there are none.`,
	How:      "Books by quarter with two columns, billed and unbilled. Messages move only the columns; the lien is what the billed column no longer bears of what was posted, and is taken from what can be redeemed from the moment of the return. On the 5th the columns are merged and the difference is posted, for each quarter on its own, old ones too. Nothing is floored but what can be redeemed.",
	Class:    "robust",
	Currency: "USD",
	New: func() Engine {
		return &latestCLien{accounts: map[string]*latestCLienAccount{}}
	},
}

type latestCLien struct {
	now      time.Time
	accounts map[string]*latestCLienAccount
}

type latestCLienAccount struct {
	book   latestCBook
	in     latestCIntake
	pages  map[time.Time]*latestCPage
	billed map[string]bool
}

// latestCPage is a quarter: spend of billed and unbilled purchases, less what came back.
type latestCPage struct {
	billed, unbilled latestCColumn
	posted           int64
}

type latestCColumn struct{ all, bonus int64 }

// points is what a column earns.
func (c latestCColumn) points() int64 {
	return c.all/100 + min(c.bonus, 150000)/100*4
}

// latestCRotating says whether an MCC is a bonus category of the quarter of a day.
func latestCRotating(mcc string, at time.Time) bool {
	switch (at.Month() - 1) / 3 {
	case 0:
		return mcc == "5411"
	case 1:
		return mcc == "5541" || mcc == "5542"
	case 2:
		return mcc == "5812" || mcc == "5814"
	}
	return mcc == "5311" || mcc == "5300"
}

// move adds to the column in which a purchase stands; x is negative for a return.
func (a *latestCLienAccount) move(b *latestCBuy, x int64) {
	q := latestCQuarter(b.at)
	p := a.pages[q]
	if p == nil {
		p = &latestCPage{}
		a.pages[q] = p
	}
	c := &p.unbilled
	if a.billed[b.id] {
		c = &p.billed
	}
	c.all += x
	if latestCRotating(b.mcc, b.at) {
		c.bonus += x
	}
}

// lien is what the next close will take for returns that are here.
func (a *latestCLienAccount) lien() int64 {
	var sum int64
	for _, p := range a.pages {
		sum += max(0, p.posted-p.billed.points())
	}
	return sum
}

func (a *latestCLienAccount) free() int64 { return max(0, a.book.sum-a.lien()) }

// close merges the columns and posts the difference, the oldest quarter first.
func (a *latestCLienAccount) close(now time.Time) {
	var list []time.Time
	for q := range a.pages {
		list = append(list, q)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Before(list[j]) })
	for _, q := range list {
		p := a.pages[q]
		p.billed.all += p.unbilled.all
		p.billed.bonus += p.unbilled.bonus
		p.unbilled = latestCColumn{}
		due := p.billed.points()
		kind, note := Earned, "points of this statement"
		if due < p.posted {
			kind, note = Reversed, "points of returns"
		}
		a.book.post(Posting{At: now, Kind: kind, Amount: due - p.posted, Note: note})
		p.posted = due
	}
	for _, b := range a.in.order {
		a.billed[b.id] = true
	}
}

func (e *latestCLien) Open(account string) error {
	if e.accounts[account] == nil {
		e.accounts[account] = &latestCLienAccount{in: latestCNewIntake(), pages: map[time.Time]*latestCPage{}, billed: map[string]bool{}}
	}
	return nil
}

func (e *latestCLien) SetClock(now time.Time) error {
	now = now.UTC()
	if now.Before(e.now) {
		return nil
	}
	if !e.now.IsZero() {
		for d := latestCMonth(e.now).AddDate(0, 0, 4); !d.After(now); d = d.AddDate(0, 1, 0) {
			if d.After(e.now) {
				for _, a := range e.accounts {
					a.close(d)
				}
			}
		}
	}
	e.now = now
	return nil
}

func (e *latestCLien) Settle(s issuer.Settlement) error {
	a := e.accounts[s.Account]
	if a == nil {
		return errLatestCAccount
	}
	b, err := a.in.buy(s, e.now)
	if b == nil {
		return err
	}
	a.move(b, b.amount)
	a.in.arrived(b, func(b *latestCBuy, x int64, _ latestCBack) { a.move(b, -x) })
	return nil
}

func (a *latestCLienAccount) take(r latestCBack, fresh bool) error {
	if fresh {
		a.in.apply(r, nil, func(b *latestCBuy, x int64, _ latestCBack) { a.move(b, -x) })
	}
	return nil
}

func (e *latestCLien) Refund(r issuer.Refund) error {
	a := e.accounts[r.Account]
	if a == nil {
		return errLatestCAccount
	}
	return a.take(a.in.refund(r, e.now))
}

func (e *latestCLien) Chargeback(c issuer.Chargeback) error {
	a := e.accounts[c.Account]
	if a == nil {
		return errLatestCAccount
	}
	return a.take(a.in.chargeback(c, e.now))
}

// CloseStatement has nothing to do: statements close by the clock.
func (e *latestCLien) CloseStatement(account string) error {
	if e.accounts[account] == nil {
		return errLatestCAccount
	}
	return nil
}

func (e *latestCLien) Redeem(r issuer.Redemption) (bool, error) {
	a := e.accounts[r.Account]
	if a == nil {
		return false, errLatestCAccount
	}
	return a.book.redeem(r, a.free()), nil
}

func (e *latestCLien) Balance(account string) (issuer.Balance, error) {
	a := e.accounts[account]
	if a == nil {
		return issuer.Balance{}, errLatestCAccount
	}
	return issuer.Balance{Balance: a.book.sum, Redeemable: a.free()}, nil
}

func (e *latestCLien) Postings(account string) []Posting {
	if a := e.accounts[account]; a != nil {
		return a.book.list()
	}
	return nil
}
