package foreign

import (
	"time"

	"recoup/internal/issuer"
)

// laterWholeDollar gives points for the whole dollars that are kept of each purchase. Points
// show at once as pending and can be used after thirty days, in five-dollar certificates.
type laterWholeDollar struct {
	laterDesk[*laterWholeDollarAccount]
}

type laterWholeDollarAccount struct {
	laterLedger
	shelf   laterShelf
	items   []laterWholeDollarItem
	ripe    int   // items before this one are no longer pending
	pending int64 // points
}

type laterWholeDollarItem struct {
	buy    *laterBuy
	points int64
	from   time.Time // when they can be used
}

func laterNewWholeDollar() Engine {
	e := &laterWholeDollar{}
	e.fresh = func(time.Time) *laterWholeDollarAccount { return &laterWholeDollarAccount{} }
	return e
}

// laterPointsOf counts one point, worth a cent, per whole dollar kept, and two online.
func laterPointsOf(b *laterBuy) int64 {
	dollars := b.left() / 100
	if laterKind(b.category, b.mcc) == "ONLINE" {
		return 2 * dollars
	}
	return dollars
}

// SetClock lets points become usable.
func (e *laterWholeDollar) SetClock(now time.Time) error {
	if _, moved := e.tick(now); !moved {
		return nil
	}
	for _, a := range e.order {
		for ; a.ripe < len(a.items) && !a.items[a.ripe].from.After(now); a.ripe++ {
			a.pending -= a.items[a.ripe].points
		}
	}
	return nil
}

// Settle gives pending points.
func (e *laterWholeDollar) Settle(s issuer.Settlement) error {
	a, err := e.find(s.Account)
	if err != nil {
		return err
	}
	at := e.posted(s.At)
	b, err := a.shelf.arrive(s, at)
	if b == nil {
		return err
	}
	b.mark = len(a.items)
	i := laterWholeDollarItem{b, laterPointsOf(b), at.AddDate(0, 0, 30)}
	a.items = append(a.items, i)
	a.pending += i.points
	a.post(at, Earned, i.points, b.id, "", "points, pending for 30 days")
	return nil
}

func (e *laterWholeDollar) takeBack(account string, r laterBack, at time.Time) error {
	a, err := e.find(account)
	if err != nil {
		return err
	}
	hits, err := a.shelf.back(r)
	for _, h := range hits {
		i := &a.items[h.buy.mark]
		d := i.points - laterPointsOf(h.buy)
		i.points -= d
		if h.buy.mark >= a.ripe {
			a.pending -= d
		}
		a.post(e.posted(at), Reversed, -d, h.buy.id, r.name, "points worked out again on what is kept")
	}
	return err
}

// Refund gives the points anew on what is kept.
func (e *laterWholeDollar) Refund(r issuer.Refund) error {
	return e.takeBack(r.Account, laterOfRefund(r), r.At)
}

// Chargeback is a return like any other.
func (e *laterWholeDollar) Chargeback(c issuer.Chargeback) error {
	return e.takeBack(c.Account, laterOfChargeback(c), c.At)
}

func (a *laterWholeDollarAccount) free() int64 {
	return max(0, a.balance()-a.pending) / 500 * 500
}

// Redeem pays whole certificates only.
func (e *laterWholeDollar) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.find(r.Account)
	if err != nil || r.Amount%500 != 0 {
		return false, err
	}
	return a.pay(r, a.free()), nil
}

// Balance has pending points in it; Redeemable has not.
func (e *laterWholeDollar) Balance(account string) (issuer.Balance, error) {
	a, err := e.find(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return a.show(a.free()), nil
}

var laterDesignWholeDollar = Design{
	Name: "later-whole-dollar",
	Source: "public: retail points programs; rounding down to whole dollars and giving the points of a partly returned order anew on the rest after" +
		" support.nobullproject.com/hc/en-us/articles/19147370958999-Refunds-Tier-Status, 30 days of waiting after help.feedmefightme.com",
	Published: "1 point per whole dollar of each purchase, 2 points per whole dollar in category ONLINE; cents of a purchase earn nothing. A point is worth $0.01. No cap, no expiry." +
		" Points show in the balance when the purchase posts and are pending for 30 days after that. Points that are no longer pending can be redeemed in certificates of $5.00," +
		" that is in multiples of 500 points. When something is returned, the points of that purchase are worked out again on what you keep of it, and the" +
		" difference is taken away on the day the return posts, pending or not. If they have been used, the balance falls below zero and new points go to it first." + laterUnnamed,
	How: "Per purchase, recomputed on the kept amount, at once. Points of purchases younger than 30 days are part of the balance but not of what can be redeemed;" +
		" a debt therefore counts against points that are ripe. SetClock only lets points ripen.",
	Class:    "robust",
	Currency: "USD",
	New:      laterNewWholeDollar,
}
