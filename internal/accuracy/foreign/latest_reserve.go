package foreign

import (
	"sort"
	"time"

	"recoup/internal/issuer"
)

var latestfReserveDesign = Design{
	Name:   "latest-reserve",
	Source: "Shopping portals that hold cash back while a purchase can be returned and adjust it for returns of all or part (rakuten.com/help/category/earning-cash-back, with caps on boosts; 30 to 90 days pending by moneysbestfriend.com/how-to-redeem-rakuten-cash-back); the reserve of a fifth and the limit per purchase are of this design; paper section 6, algorithm 3: a hold on redemptions",
	Published: "1.25% cash back on every purchase, at most 50.00 for one purchase (which is reached at 4,000.00), rounded to the nearest cent, and half a cent to the even one. " +
		"Cash back is approved 14 days after the purchase has posted and shows in your balance from then on. Four fifths of it can be redeemed at once, the rest, our return reserve, 120 days after the purchase posted. " +
		"If part of a purchase is returned or won back in a dispute, its cash back is that on what you kept: at most 50.00 still, so the first part of a very large purchase may be returned without any loss. What was approved above that is taken off at once, first of all from the reserve of that purchase; " +
		"if what is left is too little, your balance goes below zero and stays there until new cash back has made up for it. Refunds above the price count as the price. A refund without its purchase's number is set against your latest purchase at that shop, or your latest at all.",
	How:      "One small state machine per purchase: posted, approved, released. Approvals and releases are due dates on it, and the clock steps through them. A return works out what the purchase should have been worth and moves the difference, in whatever state it is.",
	Class:    "robust",
	Currency: "GBP",
	New: func() Engine {
		return &latestfReserve{latestfOpenHouse(func() *latestfReserveAccount {
			return &latestfReserveAccount{desk: latestfNewDesk(), book: latestfNewBook(), claims: map[*latestfPurchase]*latestfClaim{}}
		})}
	},
}

type latestfReserve struct {
	latestfHouse[*latestfReserveAccount]
}

type latestfReserveAccount struct {
	desk   latestfDesk
	book   latestfBook
	claims map[*latestfPurchase]*latestfClaim
	line   []*latestfClaim // in the order in which they posted
}

// latestfClaim is the state machine of one purchase.
type latestfClaim struct {
	p        *latestfPurchase
	state    int
	worth    int64 // once approved: what is in the balance for it
	reserved int64 // of that, what cannot be redeemed yet
}

const (
	latestfPosted = iota
	latestfApproved
	latestfReleased
)

// due is when the claim moves on.
func (c *latestfClaim) due() time.Time {
	if c.state == latestfPosted {
		return c.p.came.AddDate(0, 0, 14)
	}
	return c.p.came.AddDate(0, 0, 120)
}

// SetClock moves claims on, the earliest due date first.
func (e *latestfReserve) SetClock(now time.Time) error {
	if now.Before(e.now) {
		return errLatestfClock
	}
	e.now = now
	for _, name := range e.names {
		a := e.accounts[name]
		for {
			var ready []*latestfClaim
			for _, c := range a.line {
				if c.state != latestfReleased && !c.due().After(now) {
					ready = append(ready, c)
				}
			}
			if len(ready) == 0 {
				break
			}
			sort.SliceStable(ready, func(i, j int) bool { return ready[i].due().Before(ready[j].due()) })
			a.step(ready[0])
		}
	}
	return nil
}

func (a *latestfReserveAccount) step(c *latestfClaim) {
	day := c.due()
	c.state++
	switch c.state {
	case latestfApproved:
		c.worth = latestfReserveWorth(c.p.net())
		c.reserved = c.worth / 5
		a.book.post(day, Earned, c.worth, c.p.id, "", "cash back approved")
	case latestfReleased:
		c.reserved = 0
	}
}

// CloseStatement does nothing: every purchase has dates of its own.
func (e *latestfReserve) CloseStatement(account string) error {
	_, err := e.find(account)
	return err
}

func (e *latestfReserve) Settle(s issuer.Settlement) error {
	a, err := e.find(s.Account)
	if err != nil {
		return err
	}
	p, err := a.desk.settle(s, e.now)
	if err != nil || p == nil {
		return err
	}
	c := &latestfClaim{p: p}
	a.claims[p] = c
	a.line = append(a.line, c)
	a.reduce(e.now, a.desk.early(p))
	return nil
}

func (e *latestfReserve) Refund(r issuer.Refund) error {
	a, err := e.find(r.Account)
	if err != nil {
		return err
	}
	hits, err := a.desk.refund(r, e.now)
	a.reduce(e.now, hits)
	return err
}

func (e *latestfReserve) Chargeback(c issuer.Chargeback) error {
	a, err := e.find(c.Account)
	if err != nil {
		return err
	}
	hits, err := a.desk.chargeback(c, e.now)
	a.reduce(e.now, hits)
	return err
}

// reduce brings approved claims down to what was kept. Those that are only posted will be
// worked out when they are approved.
func (a *latestfReserveAccount) reduce(now time.Time, hits []latestfHit) {
	for _, h := range hits {
		c := a.claims[h.p]
		if c.state == latestfPosted {
			continue
		}
		worth := latestfReserveWorth(h.p.net())
		a.book.post(now, Reversed, worth-c.worth, h.p.id, h.credit, "cash back on what was returned")
		c.reserved = max(0, c.reserved-(c.worth-worth))
		c.worth = worth
	}
}

// latestfReserveWorth is the cash back on what was kept of a purchase.
func latestfReserveWorth(net int64) int64 { return min(5000, latestfHalfEven(125*net, 10000)) }

// free is what could be redeemed.
func (a *latestfReserveAccount) free() int64 {
	free := a.book.balance()
	for _, c := range a.line {
		free -= c.reserved
	}
	return max(0, free)
}

func (e *latestfReserve) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.find(r.Account)
	if err != nil {
		return false, err
	}
	return a.book.redeem(r, a.free()), nil
}

func (e *latestfReserve) Balance(account string) (issuer.Balance, error) {
	a, err := e.find(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: a.book.balance(), Redeemable: a.free()}, nil
}

func (e *latestfReserve) Postings(account string) []Posting {
	a, err := e.find(account)
	if err != nil {
		return nil
	}
	return a.book.export()
}
